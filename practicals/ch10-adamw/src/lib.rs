//! Chapter 10: AdamW.
//!
//! An optimizer turns gradients into steps. AdamW keeps two running means for every weight, so that
//! the size of a step hardly depends on the size of the gradient, and takes weight decay as a
//! step of its own.
//!
//! Read in this order: `three_steps` (one weight, by hand), `decay` (a whole model: what is kept
//! and what decays), `valley` (what all this is good for).
#![forbid(unsafe_code)]

mod decay;
mod three_steps;
mod valley;

pub use decay::{ModelState, ParameterState, model_state};
pub use three_steps::{StepRecord, steps_of_one_weight};
pub use valley::{ValleyRun, valley_runs};

use anyhow::ensure;
use clap::Parser;
use llm_from_scratch_practical::trainer::AdamWConfig;
use serde::Serialize;

/// AdamW: one weight by hand, the state of a model, and a valley where plain descent struggles.
///
/// Prints one JSON object. Numbers are rounded to six decimals only there.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Gradients of one weight, one for each step, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "2,1,-2", allow_negative_numbers = true)]
    pub gradients: Vec<f64>,
    /// Learning rate of these steps
    #[arg(long, default_value_t = 0.1, allow_negative_numbers = true)]
    pub rate: f64,
    /// Share of a matrix that a step with rate 1 removes
    #[arg(long, default_value_t = 0.5, allow_negative_numbers = true)]
    pub weight_decay: f64,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The optimizer's numbers.
    pub optimizer: AdamWConfig,
    /// The learning rate of `steps`.
    pub rate: f64,
    /// One weight of 1 under the given gradients, as an element of a matrix and as a gain.
    pub steps: Vec<StepRecord>,
    /// A small decoder after a step without any gradient.
    pub model: ModelState,
    /// Descent into a narrow valley.
    pub valley: Vec<ValleyRun>,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// For a gradient, a rate or a decay that cannot be.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let Args { gradients, rate, weight_decay } = args;
    ensure!((1..=1000).contains(&gradients.len()), "--gradients: give 1 to 1000 of them");
    if let Some((at, bad)) =
        gradients.iter().enumerate().find(|(_, g)| g.abs() > 1e100 || g.is_nan())
    {
        anyhow::bail!(
            "--gradients: number {} is {bad:e}, expected one between -1e100 and 1e100",
            at + 1
        );
    }
    ensure!((0.0..=1e3).contains(rate), "--rate is {rate}, expected a number from 0 to 1000");
    ensure!(
        (0.0..=1e3).contains(weight_decay),
        "--weight-decay is {weight_decay}, expected a number from 0 to 1000"
    );
    let optimizer = AdamWConfig { weight_decay: *weight_decay, ..AdamWConfig::default() };
    Ok(Report {
        chapter: "10-adamw",
        optimizer,
        rate: *rate,
        steps: steps_of_one_weight(optimizer, *rate, gradients)?,
        model: model_state(optimizer, *rate)?,
        valley: valley_runs()?,
    })
}
