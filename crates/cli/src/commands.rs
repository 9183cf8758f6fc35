//! One file for each command: its options, what it calls, what it reports.

mod compare;
mod evaluate;
mod generate;
mod inspect;
mod shell;
mod tokenizer;

use clap::Subcommand;

use crate::output::{Console, Report};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Tokenizer(tokenizer::TokenizerArgs),
    Evaluate(Box<evaluate::EvaluateArgs>),
    Compare(compare::CompareArgs),
    Generate(generate::GenerateArgs),
    Inspect(inspect::InspectArgs),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Does what was asked for.
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Report> {
        match self {
            Self::Tokenizer(args) => tokenizer::run(args),
            Self::Evaluate(args) => evaluate::run(args, console),
            Self::Compare(args) => compare::run(args),
            Self::Generate(args) => generate::run(args, console),
            Self::Inspect(args) => inspect::run(args, console),
            Self::Completions(args) => shell::completions(args),
            Self::Man(args) => shell::man(args),
        }
    }
}
