//! Chapter 7: the decoder.
//!
//! A decoder turns the tokens so far into one score for every possible next token. This takes it
//! apart (`parts`), counts its parameters (`parameters`), shows that no position sees what comes
//! after it (`causality`), and measures how activations and gradients change with depth (`depth`).
#![forbid(unsafe_code)]

mod causality;
mod depth;
mod parameters;
mod parts;

use clap::Parser;
use llm_from_scratch_practical::{model::DecoderConfig, tokenizer::chapter_four_tokenizer};
use serde::Serialize;

pub use causality::{CausalityReport, ChangedInput, causality};
pub use depth::{DepthRow, depth_rows};
pub use parameters::{ParameterRow, ParameterTable, parameter_table};
pub use parts::{AttentionPart, NormPart, PartsReport, RotaryRow, parts};

/// Take a small decoder apart: parts, parameters, causality, and what depth does.
///
/// Prints one JSON object.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Seed of the fresh models
    #[arg(long, default_value_t = 39)]
    pub seed: u64,
    /// Numbers of blocks to compare, separated by commas, each from 1 to 32
    #[arg(long, value_delimiter = ',', default_value = "1,2,8", value_name = "BLOCKS",
        value_parser = clap::value_parser!(u8).range(1..=32))]
    pub depths: Vec<u8>,
    /// The text that is read to show causality, 1 to 7 bytes
    #[arg(long, default_value = "abaab", value_parser = short_text)]
    pub text: String,
}

fn short_text(text: &str) -> Result<String, String> {
    if (1..=7).contains(&text.len()) {
        return Ok(text.to_owned());
    }
    Err(format!("{} bytes, expected 1 to 7", text.len()))
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The formulas of a block, on numbers small enough to follow.
    pub parts: PartsReport,
    /// The small decoder that chapters 8 to 17 use, parameter by parameter.
    pub parameters: ParameterTable,
    /// Which logits change when one input changes.
    pub causality: CausalityReport,
    /// The stream behind every block of fresh models of several depths.
    pub depth: Vec<DepthRow>,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// None that the arguments' own checks let through.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let tokenizer = chapter_four_tokenizer();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate()?;
    Ok(Report {
        chapter: "07-decoder-model",
        parts: parts(),
        parameters: parameter_table(&config),
        causality: causality(config, args.seed, &tokenizer, &args.text)?,
        depth: depth_rows(args.seed, &args.depths)?,
    })
}
