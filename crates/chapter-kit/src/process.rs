//! For tests: what a chapter's program does when a learner starts it.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

/// Runs a program to its end with these arguments, in the current folder. For another environment,
/// use [`Command`] itself; [`printed`] and [`refusal`] read its output too.
///
/// ```no_run
/// # const PROGRAM: &str = "target/debug/practical-ch00-my-topic";
/// use llm_chapter_kit::{printed, refusal, run_program};
/// // const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch00-my-topic");
/// assert!(printed(&run_program(PROGRAM, ["--format", "text"])).contains("mean_nll"));
/// assert!(refusal(&run_program(PROGRAM, ["--seed", "x"]), 2).contains("'--seed"));
/// ```
///
/// # Panics
/// If the program cannot be started.
#[track_caller]
pub fn run_program(
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Output {
    run_program_in(Path::new("."), program, arguments)
}

/// The same in another folder. The program's path does not depend on it.
///
/// # Panics
/// If the program cannot be started.
#[track_caller]
pub fn run_program_in(
    folder: &Path,
    program: impl AsRef<OsStr>,
    arguments: impl IntoIterator<Item = impl AsRef<OsStr>>,
) -> Output {
    let program = program.as_ref();
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap_or_else(|error| panic!("cannot start {}: {error}", program.display()))
}

/// What a successful run printed.
///
/// # Panics
/// If the run failed, or wrote anything to standard error.
#[track_caller]
pub fn printed(output: &Output) -> String {
    let [out, err] = texts(output);
    assert!(output.status.success() && err.is_empty(), "{}: {err}", output.status);
    out
}

/// The line with which a run was refused, without `error: `. Wrong usage has code 2, anything else
/// code 1.
///
/// # Panics
/// If the exit code is another one, if anything is on standard output, or if standard error is not
/// one line that begins with `error: `.
#[track_caller]
pub fn refusal(output: &Output, code: i32) -> String {
    let [out, err] = texts(output);
    assert_eq!((output.status.code(), out.as_str()), (Some(code), ""), "{err}");
    assert_eq!(err.lines().count(), 1, "expected one line, not {err:?}");
    let message = err.trim_end().strip_prefix("error: ");
    message.unwrap_or_else(|| panic!("expected `error: `, not {err}")).to_owned()
}

fn texts(output: &Output) -> [String; 2] {
    [&output.stdout, &output.stderr]
        .map(|bytes| String::from_utf8(bytes.clone()).expect("a chapter writes UTF-8"))
}
