//! What every chapter shares: its `main`, its figures, and the test that its lesson shows what it
//! prints.
//!
//! A chapter's library computes and returns a report that can be serialized; it prints nothing.
//! Its `main` is one line, [`chapter_main`], and this crate is the only place that writes to the
//! standard streams:
//!
//! | | standard output | standard error | exit code |
//! | --- | --- | --- | --- |
//! | success | one JSON object, or the same with `--format text` | nothing | 0 |
//! | `--help`, `--version` | the text | nothing | 0 |
//! | failure | nothing | one line | 1 |
//! | wrong usage | nothing | one line | 2 |
//!
//! A chapter's test of its lesson is one line too: [`assert_lesson`] runs the commands in a README
//! and compares what they print with what the README shows.
//!
//! Left out on purpose: logging, colours and progress. A lesson finishes before they would help.
//!
//! Modules, for programs: `chapter` (the whole `main`), `arguments` (the command line), `output`
//! (result, error line, exit code), `decimals` (rounding, at the last moment), `non_finite` (the
//! search for numbers that JSON cannot write), `report_text` and `report_tree` (the readable form),
//! `figure` (SVG pictures), `metric_record` (how reports show a loss), `files` (files that flags
//! name). For tests: `lesson` (commands and output of a README), `markdown` (its fenced
//! blocks), `process` (runs of the program, successful or refused).
//!
//! ```
//! use llm_chapter_kit::{finish, six_decimals};
//! use std::process::ExitCode;
//!
//! #[derive(serde::Serialize)]
//! struct Report {
//!     target_count: usize,
//!     #[serde(serialize_with = "six_decimals")]
//!     mean_nll: f64, // nats per target; stays unrounded in memory
//! }
//!
//! /// Eight halvings of a probability, spread over six targets.
//! fn run() -> anyhow::Result<Report> {
//!     Ok(Report { target_count: 6, mean_nll: 8.0 * std::f64::consts::LN_2 / 6.0 })
//! }
//!
//! // fn main() -> ExitCode { finish(run()) }
//! assert_eq!(finish(run()), ExitCode::SUCCESS);
//! let written = serde_json::to_string(&run()?)?;
//! assert_eq!(written, r#"{"target_count":6,"mean_nll":0.924196}"#);
//! # Ok::<(), anyhow::Error>(())
//! ```
#![forbid(unsafe_code)]

mod arguments;
mod chapter;
mod decimals;
mod figure;
mod files;
mod lesson;
mod markdown;
mod metric_record;
mod non_finite;
mod output;
mod process;
mod report_text;
mod report_tree;

pub use arguments::parse;
pub use chapter::{Format, chapter_main};
pub use decimals::{SixDecimals, six_decimals, two_digits};
pub use figure::{Canvas, Drawn, FIGURE_COLOURS, draw_legend, svg_figure};
pub use files::{check_output_files, read_at_most};
pub use lesson::{assert_lesson, lesson_problems};
pub use markdown::{FencedBlock, fenced_blocks};
pub use metric_record::MetricRecord;
pub use output::{finish, finish_text, print, to_json, to_text, with_causes, write_error_line};
pub use process::{printed, refusal, run_program, run_program_in};
