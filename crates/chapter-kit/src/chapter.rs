//! A chapter's whole `main`.

use crate::arguments::parse_with_format;
use crate::output::finish_as;
use clap::{Parser, ValueEnum};
use serde::Serialize;
use std::process::ExitCode;

/// How a report is printed; `--format` of every chapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON object, for programs and for the lesson
    #[default]
    Json,
    /// The same fields as indented lines and tables, to read on a terminal
    Text,
}

/// Reads the command line as an `A`, runs the chapter and prints its report.
///
/// `A` gets one more option, `--format json|text`, so it must have none of that name. Everything
/// else is [`parse`](crate::parse) before `run` and [`finish`](crate::finish) after it.
///
/// ```no_run
/// # #[derive(clap::Parser)] struct Args {}
/// # fn run(_: &Args) -> anyhow::Result<f64> { Ok(0.5) }
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     llm_chapter_kit::chapter_main(run) // fn run(args: &Args) -> anyhow::Result<Report>
/// }
/// ```
#[must_use]
pub fn chapter_main<A: Parser, R: Serialize>(
    run: impl FnOnce(&A) -> anyhow::Result<R>,
) -> ExitCode {
    let (args, format) = parse_with_format::<A>();
    finish_as(format, run(&args))
}
