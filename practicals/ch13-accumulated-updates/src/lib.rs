//! Chapter 13: accumulated updates.
//!
//! A batch that does not fit memory is computed in parts, microbatches, whose gradients are added up
//! before the optimizer takes one step. Sums can be added; means of parts of different size cannot
//! be averaged.
//!
//! Read in this order: `losses` (four numbers), `gradients` (a decoder's, computed in four ways),
//! `training` (what the wrong mean does in 80 updates).
#![forbid(unsafe_code)]

mod gradients;
mod losses;
mod training;

pub use gradients::{GradientRow, Weighting, accumulate, compare_gradients};
pub use losses::{Losses, PooledLosses, pool};
pub use training::{TrainingRow, train_three_ways};

use clap::Parser;
use serde::Serialize;

/// Accumulated updates: add up sums, divide once.
///
/// Prints one JSON object. Losses are nats per target, rounded to six decimals only there.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Losses of the targets of one microbatch in nats, separated by commas; once for each microbatch
    #[arg(long = "microbatch", value_name = "NATS", default_values = ["4", "1,1,1"],
          allow_hyphen_values = true)]
    pub microbatches: Vec<Losses>,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The given losses, pooled rightly and wrongly.
    pub losses: PooledLosses,
    /// The gradient of one update of a decoder, computed in four ways.
    pub gradients: Vec<GradientRow>,
    /// Eighty such updates.
    pub training: Vec<TrainingRow>,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// For losses that cannot be pooled.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    Ok(Report {
        chapter: "13-accumulated-updates",
        losses: pool(&args.microbatches)?,
        gradients: compare_gradients()?,
        training: train_three_ways()?,
    })
}
