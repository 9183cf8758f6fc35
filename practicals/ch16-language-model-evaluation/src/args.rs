//! The command line.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Parser, Subcommand};
use llm_chapter_kit::check_output_files;
use llm_from_scratch_practical::archive::write_atomically;
use serde::Serialize;

use crate::{
    ChapterError, DECLARED_SEEDS, ExperimentReport, SavedEvaluation, evaluate_saved, experiment,
    render_figure,
};

/// Train a small decoder on two documents and watch its loss on two others.
///
/// Prints one JSON object. Losses are nats per target, rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
pub struct Args {
    /// What to do; `experiment` if nothing is said.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Options of `experiment`, so that the word may be left out.
    #[command(flatten)]
    pub experiment: ExperimentArgs,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train one model per seed and score it on both splits along the way
    Experiment(ExperimentArgs),
    /// Score a saved model; trains nothing
    Evaluate(EvaluateArgs),
}

/// Options of `experiment`.
#[derive(Debug, clap::Args)]
pub struct ExperimentArgs {
    /// Write the first seed's trained model to this file
    #[arg(long, value_name = "PATH")]
    pub save_model: Option<PathBuf>,
    /// Seeds of the initializations, separated by commas; the first one's model is the saved one
    #[arg(long, value_name = "SEEDS", default_value_t, allow_hyphen_values = true)]
    pub seeds: Seeds,
    /// Draw the losses of all runs to this SVG file
    #[arg(long, value_name = "PATH.svg")]
    pub figure: Option<PathBuf>,
}

/// Options of `evaluate`.
#[derive(Debug, clap::Args)]
pub struct EvaluateArgs {
    /// A file written by `experiment --save-model`
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
    /// Documents per batch, at least 1; changes no bit of the result
    #[arg(long, value_name = "N", value_parser = batch_rows, allow_hyphen_values = true)]
    pub batch_rows: NonZeroUsize,
}

fn batch_rows(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "expected a whole number, at least 1".to_owned())
}

/// At least one seed, none twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(Vec<u64>);

impl Seeds {
    /// # Errors
    /// [`ChapterError::NoSeeds`], [`ChapterError::RepeatedSeed`].
    pub fn new(seeds: Vec<u64>) -> Result<Self, ChapterError> {
        if seeds.is_empty() {
            return Err(ChapterError::NoSeeds);
        }
        match seeds.iter().enumerate().find(|(i, seed)| seeds[..*i].contains(seed)) {
            Some((_, &seed)) => Err(ChapterError::RepeatedSeed { seed }),
            None => Ok(Self(seeds)),
        }
    }

    /// The one whose model is saved.
    pub fn first(&self) -> u64 {
        self.0[0]
    }

    /// All but the first.
    pub fn others(&self) -> &[u64] {
        &self.0[1..]
    }
}

impl Default for Seeds {
    fn default() -> Self {
        Self(DECLARED_SEEDS.to_vec())
    }
}

impl std::fmt::Display for Seeds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let seeds: Vec<String> = self.0.iter().map(u64::to_string).collect();
        f.write_str(&seeds.join(","))
    }
}

impl FromStr for Seeds {
    type Err = ChapterError;

    fn from_str(text: &str) -> Result<Self, ChapterError> {
        let seed = |part: &str| {
            part.trim().parse().map_err(|_| ChapterError::InvalidSeed { given: part.to_owned() })
        };
        Self::new(text.split(',').map(seed).collect::<Result<_, _>>()?)
    }
}

/// The result of either command.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Of `experiment`.
    Experiment(Box<ExperimentReport>),
    /// Of `evaluate`.
    Evaluation(SavedEvaluation),
}

/// Does what the command line says. Reads and writes no file that it does not name.
///
/// # Errors
/// A file that cannot be read or written, or is no model.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let experiment_args = match &args.command {
        Some(Command::Evaluate(evaluate)) => {
            let evaluation = evaluate_saved(&evaluate.model, evaluate.batch_rows)?;
            return Ok(Report::Evaluation(evaluation));
        }
        Some(Command::Experiment(experiment)) => experiment,
        None => &args.experiment,
    };
    check_output_files(&[
        ("the model", &experiment_args.save_model),
        ("the figure", &experiment_args.figure),
    ])?;
    let report = experiment(&experiment_args.seeds, experiment_args.save_model.as_deref())?;
    if let Some(path) = &experiment_args.figure {
        let figure = render_figure(&report.runs)?;
        write_atomically(path, |file| file.write_all(figure.as_bytes()))?;
    }
    Ok(Report::Experiment(Box::new(report)))
}
