//! One file for each command: its options, what it calls, what it reports.

mod evaluate;
mod shell;

use clap::Subcommand;

use crate::output::{Console, Report};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Evaluate(Box<evaluate::EvaluateArgs>),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Does what was asked for.
    pub(crate) fn run(&self, console: &Console) -> anyhow::Result<Report> {
        match self {
            Self::Evaluate(args) => evaluate::run(args, console),
            Self::Completions(args) => shell::completions(args),
            Self::Man(args) => shell::man(args),
        }
    }
}
