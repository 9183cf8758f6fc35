//! Chapter 9: a loss that never loses a token.
//!
//! The loss of a token is the logarithm of its probability, and a probability can be too small for a
//! floating-point number while its logarithm is a modest one. Whoever forms the probability first
//! loses the token; whoever stays with logarithms does not.
//!
//! Read in this order: `underflow` (a token that vanishes), `range` (where exponentials end, on both
//! sides), `precision` (what single precision does to a long sum), `gradient` (the slope of the loss),
//! `cross_entropy` (why no model beats the text's own distribution).
#![forbid(unsafe_code)]

mod cross_entropy;
mod gradient;
mod precision;
mod range;
mod underflow;

use clap::Parser;
use serde::Serialize;

pub use cross_entropy::{CrossEntropyReport, ModelRow, cross_entropy};
pub use gradient::{GradientReport, GradientRow, gradient};
pub use precision::{PrecisionReport, precision};
pub use range::{RangeRow, range_rows};
pub use underflow::{UnderflowReport, underflow};

/// Lose a token to underflow, keep it with log-softmax, and check the slope of the loss.
///
/// Prints one JSON object. A value that is infinite is `null` beside a field that says so.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// How far the logit of the token that comes lies below the best one, 0 to 1e6
    #[arg(long, default_value_t = 110.0, allow_hyphen_values = true, value_parser = gap)]
    pub gap: f64,
    /// Entries of the long row that single precision has to sum, 2 to 1000000
    #[arg(long, default_value_t = 49_152,
        value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    pub vocab_size: u32,
}

fn gap(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x| (0.0..=1e6).contains(x));
    number.ok_or_else(|| "expected a number from 0 to 1e6".to_owned())
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// One token that softmax in single precision loses.
    pub underflow: UnderflowReport,
    /// Exponentials of both precisions at the ends of their range.
    pub range: Vec<RangeRow>,
    /// A long row in single and in double precision.
    pub precision: PrecisionReport,
    /// The slope of the loss with respect to the logits.
    pub gradient: GradientReport,
    /// A text's distribution, scored by several models.
    pub cross_entropy: CrossEntropyReport,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// None that the arguments' own checks let through.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    Ok(Report {
        chapter: "09-stable-log-loss",
        underflow: underflow(args.gap)?,
        range: range_rows(),
        precision: precision(args.vocab_size)?,
        gradient: gradient()?,
        cross_entropy: cross_entropy()?,
    })
}

/// A number as JSON can hold it: infinity is none.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
