//! The binary behind `./course`: one subcommand, one module of the library.

use clap::{Parser, Subcommand};
use course::ListArgs;
use llm_chapter_kit::{finish_text, parse};
use std::process::ExitCode;

/// What instructors and learners ask about the chapters.
#[derive(Parser)]
#[command(name = "./course", bin_name = "./course")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the chapters of this workspace.
    List(ListArgs),
}

fn main() -> ExitCode {
    finish_text(match parse::<Args>().command {
        Command::List(args) => course::list(&args),
    })
}
