//! Chapter 0: My topic.
//!
//! TODO(chapter): say what is shown and why it is so. Below is a computation to replace by yours: it
//! turns the probabilities that a model gave to some targets into a loss. What other chapters could
//! use belongs into a crate, not here.
#![forbid(unsafe_code)]

use clap::Parser;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::score_assigned_probabilities;
use serde::Serialize;

/// My topic.
///
/// Prints one JSON object. Losses are nats per target, rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Probabilities that a model gave to the targets, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "0.5,0.25,0.5")]
    pub probabilities: Vec<f64>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// How many targets were scored.
    pub target_count: usize,
    /// Mean loss, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// The exponential of `mean_nll`: how many equally likely targets would be as surprising.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// If there is no probability, or one that is outside [0, 1].
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let summary = score_assigned_probabilities(&args.probabilities)?;
    Ok(Report {
        chapter: "00-my-topic",
        target_count: summary.target_count(),
        mean_nll: summary.mean_nll(),
        perplexity: summary.perplexity(),
    })
}
