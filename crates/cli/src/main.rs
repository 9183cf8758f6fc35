//! The `llm` command: train a tokenizer or a model, score text, compare results.
//!
//! Nothing is computed here. A command turns arguments into calls of the libraries and their
//! answers into a [`Report`].
//!
//! | module | idea |
//! | --- | --- |
//! | `args` | the command line, and the options that every command has |
//! | `output` | a result as text or as JSON, progress, exit codes |
//! | `model`, `documents` | what commands read |
//! | `commands` | one file for each command |
#![forbid(unsafe_code)]

extern crate llm_from_scratch_practical as practical; // its crates as modules, everywhere

mod args;
mod commands;
mod documents;
mod model;
mod output;

use std::process::ExitCode;

use args::Cli;
use output::{Console, Report};

fn main() -> ExitCode {
    let cli: Cli = llm_chapter_kit::parse();
    output::finish(run(&cli), cli.global.json)
}

fn run(cli: &Cli) -> anyhow::Result<Report> {
    if let Some(threads) = cli.global.threads {
        rayon::ThreadPoolBuilder::new().num_threads(threads.into()).build_global()?;
    }
    cli.command.run(&Console::new(cli.global.quiet))
}
