//! What several tests need.

use std::path::Path;
use std::process::Output;
use std::sync::OnceLock;

use clap::Parser;
use llm_chapter_kit::run_program_in;
use practical_ch19_baselines_and_bits_per_byte::{Args, Report, run};

/// What a command line without options means.
pub(crate) fn default_args() -> Args {
    Args::parse_from(["practical"])
}

/// The default report, computed once for all tests.
pub(crate) fn default_report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&default_args()).unwrap())
}

/// Runs the program in a folder.
pub(crate) fn program(folder: &Path, arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_practical-ch19-baselines-and-bits-per-byte");
    run_program_in(folder, program, arguments)
}
