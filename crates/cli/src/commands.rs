//! One file for each command: its options, what it calls, what it reports.

mod shell;

use clap::Subcommand;

use crate::output::{Console, Report};

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

impl Command {
    /// Does what was asked for.
    pub(crate) fn run(&self, _console: &Console) -> anyhow::Result<Report> {
        match self {
            Self::Completions(args) => shell::completions(args),
            Self::Man(args) => shell::man(args),
        }
    }
}
