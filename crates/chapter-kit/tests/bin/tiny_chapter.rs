//! A chapter as small as possible: the mean of some losses. `tests/process.rs` runs it.

use anyhow::Context;
use clap::Parser;
use llm_chapter_kit::{chapter_main, six_decimals};
use std::num::NonZeroUsize;
use std::process::ExitCode;

/// Prints the mean of some losses.
#[derive(Parser)]
#[command(version)]
struct Args {
    /// Losses in nats.
    #[arg(long, value_delimiter = ',', allow_negative_numbers = true)]
    losses: Vec<f64>,
    /// How often to print them.
    #[arg(long, default_value = "1")]
    copies: NonZeroUsize,
}

#[derive(serde::Serialize)]
struct Report {
    losses: Vec<f64>,
    #[serde(serialize_with = "six_decimals")]
    mean: f64,
}

fn run(args: &Args) -> anyhow::Result<Report> {
    let mean = mean(&args.losses).context("cannot summarize\nthe losses")?;
    Ok(Report { losses: args.losses.repeat(args.copies.get()), mean })
}

fn mean(losses: &[f64]) -> anyhow::Result<f64> {
    anyhow::ensure!(!losses.is_empty(), "there are none");
    Ok(losses.iter().sum::<f64>() / losses.len() as f64)
}

fn main() -> ExitCode {
    chapter_main(run)
}
