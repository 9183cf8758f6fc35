//! What a chapter's process shows to the outside: its two streams and its exit code.

use std::process::{Command, Stdio};

fn chapter(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tiny-chapter"));
    command.args(arguments);
    command
}

/// Exit code, standard output and standard error of a chapter.
fn outcome(arguments: &[&str]) -> (i32, String, String) {
    let output = chapter(arguments).output().expect("the chapter starts");
    let text = |bytes| String::from_utf8(bytes).expect("the chapter writes UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), text(output.stderr))
}

#[test]
fn success_is_one_json_object_and_silence_on_stderr() {
    let expected = "{\n  \"losses\": [\n    1.0,\n    0.25\n  ],\n  \"mean\": 0.625\n}\n";
    assert_eq!(outcome(&["--losses", "1,0.25"]), (0, expected.into(), String::new()));
}

#[test]
fn the_readable_form_has_the_same_fields() {
    let expected = "losses  1.0, 0.25\nmean    0.625\n";
    let arguments = ["--losses", "1,0.25", "--format", "text"];
    assert_eq!(outcome(&arguments), (0, expected.into(), String::new()));
}

#[test]
fn failure_is_one_line_with_its_causes_and_code_1() {
    let expected = "error: cannot summarize the losses: there are none\n";
    assert_eq!(outcome(&[]), (1, String::new(), expected.into()));
}

#[test]
fn a_number_that_is_not_finite_is_a_failure_that_names_it() {
    let expected = "error: `losses[1]` is inf, which JSON has no way to write\n";
    assert_eq!(outcome(&["--losses", "1,inf"]), (1, String::new(), expected.into()));
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    let (code, stdout, stderr) = outcome(&["--copies", "0"]);
    assert_eq!((code, stdout.as_str()), (2, ""));
    assert!(stderr.starts_with("error: invalid value '0' for '--copies <COPIES>'"), "{stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
    assert_eq!(outcome(&["--unknown"]).0, 2);
}

#[test]
fn help_and_version_go_to_stdout() {
    for (flag, expected) in [("--help", "Prints the mean"), ("--version", "llm-chapter-kit ")] {
        let (code, stdout, stderr) = outcome(&[flag]);
        assert_eq!((code, stderr.as_str()), (0, ""));
        assert!(stdout.contains(expected), "{flag}: {stdout}");
    }
}

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    // A million lines do not fit into a pipe, so the chapter is writing when its reader goes away.
    let mut child = chapter(&["--losses", "1", "--copies", "1000000"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the chapter starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the chapter ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

#[cfg(target_os = "linux")] // other systems have no device that is always full
#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let full = std::fs::File::create("/dev/full").expect("linux has /dev/full");
    let output = chapter(&["--losses", "1"]).stdout(full).output().expect("the chapter starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.starts_with("error: cannot write to standard output: "), "{stderr}");
}

#[test]
fn a_closed_stderr_does_not_change_the_exit_code() {
    let mut child = chapter(&[]).stderr(Stdio::piped()).spawn().expect("the chapter starts");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("the chapter ends").code(), Some(1));
}
