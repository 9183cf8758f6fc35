//! `./course test`, the subcommands written in Rust, `doctor` and `help`.

use crate::sandbox::{Sandbox, repository};
use std::process::Command;

fn machine() -> Sandbox {
    Sandbox::new().with_cargo("1.95.0")
}

/// The steps of `./course test`: the cargo calls that are not the launcher's own questions.
fn steps(sandbox: &Sandbox) -> Vec<String> {
    let mut calls = sandbox.calls("cargo ");
    calls.retain(|call| !call.contains(" --version") && !call.contains(" fetch "));
    calls
}

const QUICK: [&str; 5] = [
    "cargo fmt --all --check",
    "cargo clippy --workspace --all-targets --offline --locked -- -D warnings",
    "cargo doc --workspace --no-deps --offline --locked",
    "cargo test --workspace --offline --locked",
    "cargo run --quiet --offline --locked -p course -- check",
];

#[test]
fn test_runs_every_step_and_prints_it() {
    let sandbox = machine();
    let outcome = sandbox.course(&["test"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    assert_eq!(steps(&sandbox), QUICK);
    for step in QUICK {
        let shown =
            outcome.stderr.lines().any(|line| line.starts_with("+ ") && line.ends_with(step));
        assert!(shown, "{step} in {}", outcome.stderr);
    }
}

#[test]
fn full_adds_the_long_campaigns_at_the_end() {
    let sandbox = machine();
    assert_eq!(sandbox.course(&["test", "--full"]).code, 0);
    let long = "cargo test --workspace --release --tests --offline --locked -- --include-ignored";
    assert_eq!(steps(&sandbox), [&QUICK[..], &[long]].concat());
}

#[test]
fn test_stops_at_the_first_step_that_fails() {
    for (place, step) in ["fmt", "clippy", "doc", "test", "run"].into_iter().enumerate() {
        let sandbox = machine().with("FAKE_CARGO_FAILS", step);
        assert_eq!(sandbox.course(&["test", "--full"]).code, 7, "{step}");
        assert_eq!(steps(&sandbox), QUICK[..=place]);
    }
}

#[test]
fn test_refuses_what_it_does_not_know() {
    let sandbox = machine();
    for arguments in [&["test", "--ful"][..], &["test", "ch16"], &["test", "--full", "--full"]] {
        let outcome = sandbox.course(arguments);
        assert_eq!((outcome.code, steps(&sandbox).len()), (2, 0));
        assert!(outcome.stderr.contains(&arguments[1..].join(" ")), "{}", outcome.stderr);
    }
}

#[test]
fn test_runs_in_the_container_too() {
    let sandbox = Sandbox::new().with_docker();
    assert_eq!(sandbox.course(&["test"]).code, 0);
    assert_eq!(steps(&sandbox), QUICK);
}

#[test]
fn what_is_about_chapters_is_handed_to_the_rust_tool() {
    let calls = [
        &["list", "--json"][..],
        &["new-chapter", "my-topic"],
        &["check", "ch16"],
        &["exercise", "ch05", "first-fit"],
    ];
    for arguments in calls {
        let outcome = machine().course(arguments);
        let handed = arguments.join(" ");
        let expected = format!("cargo did: run --quiet --offline -p course -- {handed}\n");
        assert_eq!((outcome.code, outcome.stdout), (0, expected));
    }
}

#[test]
fn help_works_without_rust() {
    let calls = [&["help"][..], &["-h"], &["--help"], &[], &["run", "--help"], &["test", "-h"]];
    for arguments in calls {
        let outcome = Sandbox::new().course(arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{arguments:?}");
        let subcommands =
            ["run COMMAND", "test [--full]", "list", "exercise", "check", "new-chapter"];
        for subcommand in subcommands.into_iter().chain(["doctor", "help", "1.95"]) {
            assert!(outcome.stdout.contains(subcommand), "{subcommand} in {}", outcome.stdout);
        }
    }
}

#[test]
fn an_unknown_subcommand_is_named() {
    let outcome = machine().course(&["tset"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""));
    assert_eq!(outcome.stderr, "course: there is no subcommand 'tset'; ./course help lists them\n");
}

#[track_caller]
fn assert_reported(report: &str, status: &str, name: &str, text: &str) {
    let start = format!("{status:<8} {name:<12} ");
    let found = report.lines().any(|line| line.starts_with(&start) && line.contains(text));
    assert!(found, "no line '{start}...{text}...' in\n{report}");
}

#[test]
fn doctor_on_an_empty_machine_says_what_is_missing_and_how_to_get_it() {
    let outcome = Sandbox::new().course(&["doctor"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (1, ""));
    let report = outcome.stdout;
    assert_reported(&report, "missing", "cargo", "1.95 is needed: get it from https://rustup.rs");
    assert_reported(&report, "missing", "linker", "apt install gcc");
    assert_reported(&report, "missing", "cargo fmt", "rustup component add");
    assert_reported(&report, "missing", "cargo clippy", "rustup component add");
    assert_reported(&report, "note", "docker", "COURSE_RUNNER=docker");
    assert_reported(&report, "note", "git", "https://git-scm.com");
    assert_reported(&report, "note", "dependencies", "fetches them once");
}

#[test]
fn doctor_on_a_complete_machine_is_content() {
    let sandbox = machine().with_docker().with_real_tools();
    sandbox.course(&["run", "pwd"]); // fetches
    let outcome = sandbox.course(&["doctor"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{}", outcome.stdout);
    for name in ["runner", "cargo", "linker", "cargo fmt", "docker", "disk", "dependencies"] {
        assert_reported(&outcome.stdout, "ok", name, "");
    }
}

#[test]
fn doctor_asks_only_for_docker_where_the_container_is_used() {
    let outcome = Sandbox::new().with_docker().course(&["doctor"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stdout);
    assert_reported(&outcome.stdout, "note", "cargo", "not installed, 1.95 is needed");
    let outcome = Sandbox::new().with_docker().with("FAKE_DOCKER", "broken").course(&["doctor"]);
    assert_eq!(outcome.code, 1, "{}", outcome.stdout);
    assert_reported(&outcome.stdout, "missing", "docker", "no daemon answers");
}

#[test]
fn the_launcher_can_be_started_as_it_is() {
    let output = Command::new(repository().join("course")).arg("help").output();
    assert!(output.expect("an executable file").status.success());
}

/// `help` names the version that it reads from the repository's manifest.
#[cfg(unix)]
#[test]
fn the_launcher_can_be_called_through_links() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("bin")).expect("a new folder");
    let (first, second) = (folder.path().join("bin/course"), folder.path().join("c"));
    std::os::unix::fs::symlink(repository().join("course"), &first).expect("a link");
    std::os::unix::fs::symlink("bin/course", &second).expect("a relative link to a link");
    for link in [first, second] {
        let output = Command::new(link).arg("help").output().expect("an executable file");
        assert!(output.status.success());
        assert!(String::from_utf8_lossy(&output.stdout).contains("1.95 or later"));
    }
}
