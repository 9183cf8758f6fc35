//! Runs of the command.

use std::process::Command;

/// The command with these words, `llm WORDS...`.
pub(crate) fn llm<'a>(words: impl IntoIterator<Item = &'a str>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llm"));
    command.args(words);
    command
}

/// Standard output of a run that must succeed and say nothing on standard error.
#[track_caller]
pub(crate) fn printed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{}: {errors}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

/// The one line on standard error of a run that must fail with this code and print nothing.
#[track_caller]
pub(crate) fn refused(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let line = message.strip_prefix("error: ").and_then(|text| text.strip_suffix('\n'));
    let line =
        line.unwrap_or_else(|| panic!("not one line that begins with `error: `: {message:?}"));
    assert!(!line.contains('\n'), "{message:?}");
    line.to_owned()
}
