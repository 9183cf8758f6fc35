//! What several tests need.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

use llm_chapter_kit::printed;
use practical_ch16_language_model_evaluation::{ExperimentReport, Seeds, experiment};
use serde_json::Value;

/// The default experiment, run once for all tests.
pub(crate) fn default_report() -> &'static ExperimentReport {
    static REPORT: OnceLock<ExperimentReport> = OnceLock::new();
    REPORT.get_or_init(|| experiment(&Seeds::default(), None).unwrap())
}

/// The program, to be started in a folder.
pub(crate) fn program(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_practical-ch16-language-model-evaluation"));
    command.current_dir(folder);
    command
}

/// The JSON object that a successful run prints, with nothing on standard error.
#[track_caller]
pub(crate) fn json(output: &Output) -> Value {
    serde_json::from_str(&printed(output)).unwrap()
}
