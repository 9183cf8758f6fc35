//! Chapter 23: models from elsewhere.
//!
//! A folder that PyTorch and `transformers` have written becomes a decoder of this course. Whether it is
//! the same model is a question with a number for an answer: the loss of a text, here and there.
//!
//! Read in this order: `imported` (what is in the folder), `scores` (its losses), `rotary` (the one
//! thing that must be converted), `exported` (the way back), `refusals` (what is not imported).
#![forbid(unsafe_code)]

mod exported;
mod imported;
mod refusals;
mod rotary;
mod scores;

use std::path::{Path, PathBuf};

use clap::Parser;
use llm_from_scratch_practical::interop::hugging_face::{ImportOptions, import};
use serde::Serialize;

pub use exported::{ExportReport, GgufReport};
pub use imported::{ModelReport, TextReport};
pub use refusals::Refusal;
pub use rotary::RotaryReport;
pub use scores::{Expected, Score};

/// Models from elsewhere: a Hugging Face folder in, scored, and out again.
///
/// Prints one JSON object. Losses are nats, rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A Hugging Face folder of the Llama family, at most some million parameters
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/harbour"))]
    pub folder: PathBuf,
    /// A text to score; may be given several times. Without it those of the folder's expected.json
    #[arg(long)]
    pub text: Vec<String>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// What the folder holds.
    pub model: ModelReport,
    /// The first text in tokens.
    pub first_text: TextReport,
    /// Losses of all texts.
    pub scores: Vec<Score>,
    /// What would come out without converting the rotary layout.
    pub rotary: RotaryReport,
    /// What was written again.
    pub exported: ExportReport,
    /// Folders that are not imported.
    pub refusals: Vec<Refusal>,
}

/// Runs the chapter. Reads the folder, writes into a temporary one, prints nothing.
///
/// # Errors
/// A folder that cannot be imported, a text that cannot be encoded or scored.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let imported = import::<f64>(&args.folder, &ImportOptions::default())?;
    let expected = texts(&args.folder, &args.text)?;
    let scores = scores::score(&imported, &expected)?;
    Ok(Report {
        chapter: "23-real-models",
        model: ModelReport::new(&imported)?,
        first_text: TextReport::new(&imported, &expected[0].text)?,
        rotary: rotary::without_conversion(&imported, &expected, &scores)?,
        scores,
        exported: exported::export_again(&imported)?,
        refusals: refusals::spoil(&args.folder, imported.model.config().n_layers)?,
    })
}

/// The texts to score, with the losses that another program found, where they are known.
fn texts(folder: &Path, given: &[String]) -> anyhow::Result<Vec<Expected>> {
    if given.is_empty() {
        return scores::expected(&folder.join("expected.json"));
    }
    Ok(given.iter().map(|text| Expected { text: text.clone(), nll: None }).collect())
}
