//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use llm_from_scratch_practical::quantization::WeightFormat;
use serde::Serialize;

use crate::{
    FormatReport, OriginalReport, RoundedRow, SavedEvaluation, Scored, evaluate_saved, measure,
    round_by_hand,
};

/// Round a trained decoder's weights to 8 and 4 bits, and measure what that costs.
///
/// Prints one JSON object. Losses and divergences are nats per target, rounded to six decimals only
/// there.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// What to do; `inspect` if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `inspect`, so that the word may be left out.
    #[command(flatten)]
    pub inspect: InspectArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Quantize a model in both formats and compare
    Inspect(InspectArgs),
    /// Score a saved quantized model; trains nothing
    Evaluate(EvaluateArgs),
}

/// Options of `inspect`.
#[derive(Debug, clap::Args)]
pub struct InspectArgs {
    /// Weights of one channel to round by hand, separated by commas
    #[arg(
        long,
        value_name = "WEIGHTS",
        value_delimiter = ',',
        allow_hyphen_values = true,
        default_value = "1.27,-0.5,0.004,0.25"
    )]
    pub row: Vec<f64>,
    /// A model saved by chapter 16; without it, the same model is trained here
    #[arg(long, value_name = "PATH")]
    pub model: Option<PathBuf>,
    /// Write int8.safetensors and int4.safetensors to this folder
    #[arg(long, value_name = "FOLDER")]
    pub save: Option<PathBuf>,
}

/// Options of `evaluate`.
#[derive(Debug, clap::Args)]
pub struct EvaluateArgs {
    /// A file written by `inspect --save`
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
}

/// The result of either command.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Of `inspect`.
    Inspection {
        /// Which chapter.
        chapter: &'static str,
        /// One channel in both formats.
        by_hand: Vec<RoundedRow>,
        /// The model before.
        original: OriginalReport,
        /// The model after, in each format.
        formats: Vec<FormatReport>,
    },
    /// Of `evaluate`.
    Evaluation(SavedEvaluation),
}

/// Does what the command line says. Reads and writes no file that it does not name.
///
/// # Errors
/// A weight without a code; a file that cannot be read or written, or is no model.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let inspect = match &args.command {
        Some(Command::Evaluate(evaluate)) => {
            return Ok(Report::Evaluation(evaluate_saved(&evaluate.model)?));
        }
        Some(Command::Inspect(inspect)) => inspect,
        None => &args.inspect,
    };
    let by_hand = round_by_hand(&inspect.row)?;
    let original = match &inspect.model {
        Some(path) => Scored::load(path)?,
        None => Scored::trained()?,
    };
    let save = inspect.save.as_deref();
    let formats = WeightFormat::ALL.into_iter().map(|format| measure(&original, format, save));
    Ok(Report::Inspection {
        chapter: "17-weight-quantization",
        by_hand,
        formats: formats.collect::<anyhow::Result<_>>()?,
        original: original.report()?,
    })
}
