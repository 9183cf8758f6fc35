//! `./course run` with a cargo on the machine.

use crate::sandbox::Sandbox;
use std::process::Stdio;

fn machine() -> Sandbox {
    Sandbox::new().with_cargo("1.95.0")
}

#[test]
fn a_command_runs_from_the_repository_root() {
    let sandbox = machine();
    let outcome = sandbox.course(&["run", "bash", "-c", "pwd"]);
    assert_eq!(outcome.stdout, format!("{}\n", sandbox.repository().display()));
}

#[test]
fn output_and_exit_code_are_the_commands_own() {
    let sandbox = machine();
    let outcome = sandbox.course(&["run", "bash", "-c", "echo out; echo err >&2; exit 42"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (42, "out\n"));
    assert!(outcome.stderr.ends_with("err\n"), "{}", outcome.stderr);
    // The second time there is nothing to fetch, so nothing of the launcher's own at all.
    let outcome = sandbox.course(&["run", "bash", "-c", "echo out; echo err >&2; exit 42"]);
    assert_eq!(
        (outcome.code, outcome.stdout, outcome.stderr),
        (42, "out\n".into(), "err\n".into())
    );
}

#[test]
fn arguments_reach_the_command_unchanged() {
    let words = ["two words", "", "*", "$HOME", "--seeds", "'\"\\"];
    let outcome = machine()
        .course(&[&["run", "bash", "-c", "printf '<%s>' \"$@\"", "-"], &words[..]].concat());
    assert_eq!(outcome.stdout, "<two words><><*><$HOME><--seeds><'\"\\>");
}

#[test]
fn standard_input_reaches_the_command_even_when_something_is_fetched() {
    let sandbox = machine();
    assert_eq!(sandbox.course_reading(&["run", "cat"], "abc").stdout, "abc");
    assert_eq!(sandbox.calls("cargo fetch --locked"), ["cargo fetch --locked"]);
}

#[test]
fn the_command_takes_the_place_of_the_launcher() {
    // So a signal, such as that of Ctrl-C, ends the command and leaves no bash behind.
    let sandbox = machine();
    let child = sandbox
        .command(&["run", "bash", "-c", "echo $$"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("bash starts the launcher");
    let id = child.id();
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{id}\n"));
}

#[test]
fn dependencies_are_fetched_once() {
    let sandbox = machine();
    for _ in 0..3 {
        let outcome = sandbox.course(&["run", "cargo", "build", "--offline", "--locked"]);
        assert_eq!(outcome.stdout, "cargo did: build --offline --locked\n");
    }
    assert_eq!(sandbox.calls("cargo fetch --locked"), ["cargo fetch --locked"]);
    assert_eq!(sandbox.calls("cargo build").len(), 3);
}

#[test]
fn a_command_still_runs_when_nothing_can_be_fetched() {
    let sandbox = machine().with("FAKE_NETWORK", "down");
    let outcome = sandbox.course(&["run", "bash", "-c", "echo out; exit 3"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (3, "out\n"));
    assert!(outcome.stderr.contains("could not be fetched"), "{}", outcome.stderr);
}

#[test]
fn several_commands_run_in_one_call() {
    let script = "cargo build --locked; cargo run -- evaluate; false; cargo never";
    let sandbox = machine();
    let outcome = sandbox.course(&["run", "bash", "-euc", script]);
    assert_eq!(outcome.code, 1);
    assert_eq!(outcome.stdout, "cargo did: build --locked\ncargo did: run -- evaluate\n");
}

#[test]
fn a_command_that_does_not_exist_is_named() {
    let outcome = machine().course(&["run", "no-such-command"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (127, ""));
    assert!(outcome.stderr.contains("no-such-command"), "{}", outcome.stderr);
}

#[test]
fn run_without_a_command_is_wrong_usage() {
    let outcome = machine().course(&["run"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert!(outcome.stderr.contains("which command?"), "{}", outcome.stderr);
}
