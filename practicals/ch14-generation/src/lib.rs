//! Chapter 14: generation.
//!
//! A model gives the distribution of the next token; generation chooses one, appends it, and asks
//! again. How it is chosen is a decision of its own, and so is what is kept between two questions.
//!
//! Read in this order: `filters` (a distribution before and after temperature, top-k and top-p),
//! `texts` (what comes out, and why it ends), `cache` (each token computed once, with the same bits),
//! `setup` (the model that writes).
#![forbid(unsafe_code)]

mod cache;
mod filters;
mod setup;
mod texts;

pub use cache::{CacheComparison, compare_cache};
pub use filters::{FilterRow, filter_table};
pub use setup::Writer;
pub use texts::{TextRow, write_texts};

use clap::Parser;
use llm_from_scratch_practical::model::Filters;
use serde::Serialize;

/// Logits whose distribution is easy to work out by hand.
const WORKED_LOGITS: [f64; 4] = [2.0, 1.0, 0.0, -1.0];
/// Filters for them; those of the model's texts are options.
const WORKED_FILTERS: Filters = Filters { temperature: 0.5, top_k: Some(2), top_p: Some(0.9) };

/// Generation: filters, sampling, reasons to stop, and the key/value cache.
///
/// Trains a small decoder on five names, and lets it write. Prints one JSON object.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Text to go on from
    #[arg(long, default_value = "n")]
    pub prompt: String,
    /// Temperature of the filtered texts, above 0
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true)]
    pub temperature: f64,
    /// Most likely candidates that they choose from
    #[arg(long, default_value_t = 4)]
    pub top_k: usize,
    /// Probability that their candidates have together, above 0 and at most 1
    #[arg(long, default_value_t = 0.95, allow_negative_numbers = true)]
    pub top_p: f64,
    /// Seed of the sampled texts, and of the comparison's cases
    #[arg(long, default_value_t = 39)]
    pub seed: u64,
    /// Random prompts and settings that are written with and without the cache
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    pub cases: u64,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// Temperature 0.5, top-k 2 and top-p 0.9 on the logits 2, 1, 0 and -1.
    pub worked: Vec<FilterRow>,
    /// What the model was given.
    pub prompt: String,
    /// The filters on the model's distribution behind the prompt: the six most likely tokens.
    pub next_token: Vec<FilterRow>,
    /// What the model wrote.
    pub texts: Vec<TextRow>,
    /// Generation with and without the cache.
    pub cache: CacheComparison,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// A filter that cannot be, or a prompt that is longer than the context.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let (top_k, top_p) = (Some(args.top_k), Some(args.top_p));
    let filters = Filters { temperature: args.temperature, top_k, top_p };
    let worked = filter_table(&WORKED_LOGITS, WORKED_FILTERS, |id| id.to_string())?;

    let writer = Writer::trained()?;
    let prompt = writer.encode(&args.prompt)?;
    let logits = writer.next_logits(&prompt)?;
    let mut next_token = filter_table(&logits, filters, |id| writer.name(id))?;
    next_token.truncate(6);
    Ok(Report {
        chapter: "14-generation",
        worked,
        prompt: args.prompt.clone(),
        next_token,
        texts: write_texts(&writer, &prompt, filters, args.seed)?,
        cache: compare_cache(&writer, args.cases, args.seed)?,
    })
}
