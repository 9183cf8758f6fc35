//! Chapter 12: stop anywhere, continue to the same bits.
//!
//! A training run is a long computation that will be interrupted. What the next update depends on
//! is all that must be kept: weights, moments, and a handful of counts. A run that is killed goes on
//! from its last checkpoint and ends with the same identity as one that was left alone.
//!
//! Read in this order: `training` (the run, and the program that gets killed), `demonstration` (stopped
//! and resumed, and what happens if a part is forgotten), `forgetting` (a checkpoint, edited).
#![forbid(unsafe_code)]

mod demonstration;
mod forgetting;
mod training;

pub use demonstration::{CheckpointContent, Demonstration, Ending, demonstrate};
pub use forgetting::{Part, forget};
pub use training::{Setup, TrainArgs, TrainingReport, train};

use clap::{Parser, Subcommand};
use serde::Serialize;

/// Stop a training run anywhere, and continue it to the same bits.
///
/// Without a command, trains once in one piece and several times with an interruption, in a temporary
/// folder. Prints one JSON object.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// What to do instead
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train with checkpoints in a file, going on from it if it is there; kill it when you like
    Train(TrainArgs),
}

/// The result of either.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Without a command.
    Demonstration(Box<Demonstration>),
    /// Of `train`.
    Training(TrainingReport),
}

/// Does what the command line says.
///
/// # Errors
/// A checkpoint that cannot be written, or cannot be continued.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    Ok(match &args.command {
        Some(Command::Train(args)) => Report::Training(train(args)?),
        None => Report::Demonstration(Box::new(demonstrate()?)),
    })
}
