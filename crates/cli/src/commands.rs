//! One file for each command: its options, what it calls, what it reports.

mod compare;
mod evaluate;
mod export;
mod generate;
mod import;
mod inspect;
mod quantize;
mod scan;
mod shell;
mod tasks;
mod tokenizer;
mod train;

use clap::Subcommand;

use crate::output::{Console, Report};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Tokenizer(tokenizer::TokenizerArgs),
    Train(Box<train::TrainArgs>),
    Evaluate(Box<evaluate::EvaluateArgs>),
    Compare(compare::CompareArgs),
    Tasks(Box<tasks::TasksArgs>),
    Generate(generate::GenerateArgs),
    Scan(scan::ScanArgs),
    Quantize(quantize::QuantizeArgs),
    Inspect(inspect::InspectArgs),
    Import(import::ImportArgs),
    Export(export::ExportArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Does what was asked for.
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Report> {
        match self {
            Self::Tokenizer(args) => tokenizer::run(args),
            Self::Train(args) => train::run(args, console),
            Self::Evaluate(args) => evaluate::run(args, console),
            Self::Compare(args) => compare::run(args),
            Self::Generate(args) => generate::run(args, console),
            Self::Inspect(args) => inspect::run(args, console),
            Self::Tasks(args) => tasks::run(args),
            Self::Scan(args) => scan::run(args),
            Self::Quantize(args) => quantize::run(args),
            Self::Import(args) => import::run(args),
            Self::Export(args) => export::run(args),
            Self::Completions(args) => shell::completions(args),
            Self::Man(args) => shell::man(args),
        }
    }
}
