//! Chapter 11: schedules and clipping.
//!
//! Two guards around the optimizer: a schedule says how large a step may be at which time, and a
//! limit on the global norm keeps a rare large gradient from undoing many small steps. A gradient
//! that is not finite is never used at all.
//!
//! Read in this order: `rates` (three schedules), `clipping` (one factor for everything), `refusal`
//! (an update that does not happen).
#![forbid(unsafe_code)]

mod clipping;
mod rates;
mod refusal;

pub use clipping::{ClippedGradient, ClippedUpdate, clip_two_ways, clipped_updates};
pub use rates::{RateRow, rate_table};
pub use refusal::{Refusal, refused_update};

use anyhow::ensure;
use clap::Parser;
use llm_from_scratch_practical::trainer::Schedule;
use serde::Serialize;

/// Schedules and clipping: a table of rates, a gradient clipped, an update refused.
///
/// Prints one JSON object. Numbers are rounded to six decimals only there.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// The largest rate
    #[arg(long, default_value_t = 0.8, allow_negative_numbers = true)]
    pub peak: f64,
    /// The rate that the cosine ends with
    #[arg(long, default_value_t = 0.2, allow_negative_numbers = true)]
    pub floor: f64,
    /// Updates that warm up
    #[arg(long, default_value_t = 4)]
    pub warmup: u64,
    /// Updates until the floor
    #[arg(long, default_value_t = 10)]
    pub updates: u64,
    /// A gradient to clip, its elements separated by commas
    #[arg(long, value_delimiter = ',', default_value = "3,4", allow_negative_numbers = true)]
    pub gradient: Vec<f64>,
    /// Most that the norm of the gradient may be
    #[arg(long, default_value_t = 1.0, allow_negative_numbers = true)]
    pub limit: f64,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The rates of three schedules.
    pub rates: Vec<RateRow>,
    /// One gradient, clipped as a whole and element by element.
    pub clipping: Vec<ClippedGradient>,
    /// A decoder's first updates under the third schedule and a limit.
    pub training: Vec<ClippedUpdate>,
    /// An update that was not made.
    pub refusal: Refusal,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// For a schedule, a gradient or a limit that cannot be.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let &Args { peak, floor, warmup, updates, ref gradient, limit } = args;
    let schedule = Schedule::WarmupCosine { peak, floor, warmup, updates };
    schedule.check()?;
    ensure!(updates <= 1000, "--updates is {updates}, expected at most 1000");
    ensure!(peak <= 1e3, "--peak is {peak:e}, expected at most 1000");
    ensure!(
        limit > 0.0 && limit <= 1e100,
        "--limit is {limit:e}, expected a number above 0 and at most 1e100"
    );
    ensure!((1..=1000).contains(&gradient.len()), "--gradient: give 1 to 1000 elements");
    if let Some(at) = gradient.iter().position(|g| g.abs() > 1e100 || g.is_nan()) {
        let bad = gradient[at];
        anyhow::bail!("--gradient: element {} is {bad:e}, expected -1e100 to 1e100", at + 1);
    }
    Ok(Report {
        chapter: "11-schedules-and-clipping",
        rates: rate_table(schedule),
        clipping: clip_two_ways(gradient, limit),
        training: clipped_updates()?,
        refusal: refused_update()?,
    })
}
