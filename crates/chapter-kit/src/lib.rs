//! What every chapter's `main` shares: reading the command line, printing the result, exit codes.
//!
//! A chapter's library computes and returns a report that can be serialized; it prints nothing.
//! Its `main` is one line made of this crate, which is the only place that writes to the standard
//! streams:
//!
//! | | standard output | standard error | exit code |
//! | --- | --- | --- | --- |
//! | success | one JSON object | nothing | 0 |
//! | `--help`, `--version` | the text | nothing | 0 |
//! | failure | nothing | one line | 1 |
//! | wrong usage | nothing | one line | 2 |
//!
//! Left out on purpose: logging, colours and progress. A lesson finishes before they would help.
//!
//! Modules: `arguments` (the command line), `output` (result, error line, exit code), `non_finite`
//! (the search for numbers that JSON cannot write), `decimals` (rounding, at the last moment).
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
mod decimals;
mod non_finite;
mod output;

pub use arguments::parse;
pub use decimals::six_decimals;
pub use output::{finish, finish_text};
