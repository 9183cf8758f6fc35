//! The binary behind `./course`: one subcommand, one module of the library.

use clap::{Parser, Subcommand};
use course::{CheckArgs, ExerciseArgs, InteropArgs, ListArgs, NewChapterArgs, Outcome};
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
    /// Write a new chapter that builds, runs, has a lesson to fill in, tests and an exercise.
    NewChapter(NewChapterArgs),
    /// Look for problems in chapters, or in all chapters and crates if none is named.
    Check(CheckArgs),
    /// List the coding exercises, and run those of a chapter.
    Exercise(ExerciseArgs),
    /// Compare with transformers, llama.cpp and lm-evaluation-harness; interop/README.md says how.
    Interop(InteropArgs),
}

fn main() -> ExitCode {
    match parse::<Args>().command {
        Command::List(args) => finish_text(course::list(&args)),
        Command::NewChapter(args) => finish_text(course::new_chapter(&args)),
        Command::Check(args) => finish_outcome(course::check(&args)),
        Command::Exercise(args) => finish_outcome(course::exercise(&args)),
        Command::Interop(args) => finish_text(course::interop(&args).map(|()| String::new())),
    }
}

fn finish_outcome(result: anyhow::Result<Outcome>) -> ExitCode {
    let passed = result.as_ref().is_ok_and(|outcome| outcome.passed);
    let printed = finish_text(result.map(|outcome| outcome.text));
    if passed { printed } else { ExitCode::FAILURE }
}
