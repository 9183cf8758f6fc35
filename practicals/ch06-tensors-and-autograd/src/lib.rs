//! Chapter 6: tensors and gradients.
//!
//! Training needs the slope of one number, the loss, with respect to every weight. The tape gets all
//! of them in one walk: it remembers which values each value was computed from, and goes back over
//! them with the chain rule.
//!
//! Read in this order: `scalar_graph` (one walk, step by step), `broadcasting` (values that are used
//! several times), `tape_uses` (what is recorded, and for how long), `checks` (every operation
//! against difference quotients).
#![forbid(unsafe_code)]

mod broadcasting;
mod checks;
mod scalar_graph;
mod tape_uses;

use clap::Parser;
use serde::Serialize;

pub use broadcasting::{BroadcastingReport, broadcasting};
pub use checks::{OperationRow, StepRow, operation_rows, step_rows};
pub use scalar_graph::{BackwardRow, ForwardRow, ScalarGraph, scalar_graph};
pub use tape_uses::{TapeUses, tape_uses};

/// Follow a gradient through a small graph, and check every operation against difference quotients.
///
/// Prints one JSON object. The graph is the loss (w x + b - t)^2 of one prediction.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// Weight w
    #[arg(long, default_value_t = 3.0, allow_hyphen_values = true, value_parser = finite)]
    pub weight: f64,
    /// Input x
    #[arg(long, default_value_t = 2.0, allow_hyphen_values = true, value_parser = finite)]
    pub input: f64,
    /// Bias b
    #[arg(long, default_value_t = -5.0, allow_hyphen_values = true, value_parser = finite)]
    pub bias: f64,
    /// What the prediction w x + b should have been
    #[arg(long, default_value_t = 3.0, allow_hyphen_values = true, value_parser = finite)]
    pub target: f64,
}

fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|x: &f64| x.abs() <= 1e6);
    number.ok_or_else(|| "expected a number from -1e6 to 1e6".to_owned())
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// One loss, forward and back.
    pub scalar_graph: ScalarGraph,
    /// A row that is added to two others, and what it gets back.
    pub broadcasting: BroadcastingReport,
    /// What a tape holds, and how often it can be used.
    pub tape_uses: TapeUses,
    /// How the step of a difference quotient decides its error.
    pub step_sizes: Vec<StepRow>,
    /// Every operation of the library.
    pub operations: Vec<OperationRow>,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// None that the arguments' own checks let through.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    Ok(Report {
        chapter: "06-tensors-and-autograd",
        scalar_graph: scalar_graph(args)?,
        broadcasting: broadcasting()?,
        tape_uses: tape_uses()?,
        step_sizes: step_rows(),
        operations: operation_rows(),
    })
}
