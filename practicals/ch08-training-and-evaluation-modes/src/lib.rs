//! Chapter 8: training and evaluation modes.
//!
//! Dropout switches features off at random while a model is trained, and never while it is scored.
//! It is a mode of the forward pass: the weights know nothing of it, and the randomness belongs to
//! whoever trains.
//!
//! Read in this order: `setup` (a model and two documents), `modes` (what each mode does to a loss),
//! `masks` (what a mask depends on), `expectation` (why the kept features are made larger).
#![forbid(unsafe_code)]

mod expectation;
mod masks;
mod modes;
mod setup;

use clap::Parser;
use llm_from_scratch_practical::model::DropoutProbability;
use serde::Serialize;

pub use expectation::{ExpectationReport, expectation};
pub use masks::{ExampleMask, MaskReport, masks};
pub use modes::{ModeReport, TrainingLoss, modes};
pub use setup::Setup;

/// Score one model in training and in evaluation mode, and look at the masks of dropout.
///
/// Prints one JSON object. Losses are nats per target, rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Probability of dropping a feature, at least 0 and below 1
    #[arg(long, default_value = "0.25", allow_hyphen_values = true, value_parser = probability)]
    pub probability: DropoutProbability,
    /// Seed of the masks
    #[arg(long, default_value_t = 7)]
    pub seed: u64,
    /// How many masks the expectation is checked with, 2 to 100000
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub updates: u32,
}

fn probability(text: &str) -> Result<DropoutProbability, String> {
    let number = text.parse().map_err(|_| "expected a number".to_owned())?;
    DropoutProbability::new(number).map_err(|error| error.to_string())
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// Probability of dropping a feature.
    pub probability: f64,
    /// Losses of one trained model in both modes.
    pub modes: ModeReport,
    /// What a mask depends on, and what not.
    pub masks: MaskReport,
    /// The mean of a masked feature.
    pub expectation: ExpectationReport,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// None that the arguments' own checks let through.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let setup = Setup::trained()?;
    Ok(Report {
        chapter: "08-training-and-evaluation-modes",
        probability: args.probability.get(),
        modes: modes(&setup, args.probability, args.seed)?,
        masks: masks(&setup, args.probability, args.seed)?,
        expectation: expectation(args.probability, args.seed, args.updates)?,
    })
}
