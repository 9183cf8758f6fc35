//! What several tests need.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::OnceLock;

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
    let (out, err) = texts(output);
    assert!(output.status.success() && err.is_empty(), "{:?}: {err}", output.status);
    serde_json::from_str(&out).unwrap()
}

/// One line on standard error, nothing on standard output, and the exit code: returns the line.
#[track_caller]
pub(crate) fn refusal(output: &Output, code: i32) -> String {
    let (out, err) = texts(output);
    assert_eq!((output.status.code(), out.as_str()), (Some(code), ""), "{err}");
    assert_eq!(err.lines().count(), 1, "one line, not {err:?}");
    assert!(err.starts_with("error: "), "{err}");
    err
}

fn texts(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (text(&output.stdout), text(&output.stderr))
}
