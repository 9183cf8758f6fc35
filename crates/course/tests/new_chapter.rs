//! `course new-chapter` in a copy of this repository.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Copies the repository without what was built.
fn copy_of_repository(target: &Path) {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    for name in
        ["Cargo.toml", "Cargo.lock", "rustfmt.toml", "README.md", "CONTRIBUTING.md", "course"]
    {
        fs::copy(root.join(name), target.join(name)).expect("the repository has this file");
    }
    for name in ["LICENSE-APACHE", "LICENSE-MIT"] {
        fs::copy(root.join(name), target.join(name)).expect("the repository has this file");
    }
    for name in ["crates", "practicals", "docs"] {
        copy_folder(&root.join(name), &target.join(name));
    }
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable temporary folder");
    for entry in fs::read_dir(from).expect("a readable repository") {
        let entry = entry.expect("a readable repository");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a readable repository").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a writable temporary folder");
        }
    }
}

/// A package that is no chapter.
fn write_package(folder: &Path, name: &str) {
    let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
    fs::create_dir_all(folder.join("src")).expect("a writable folder");
    fs::write(folder.join("Cargo.toml"), manifest).expect("a writable folder");
    fs::write(folder.join("src/lib.rs"), "").expect("a writable folder");
}

/// `course` with these arguments, in `folder`.
fn course(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_course"));
    command.args(arguments).current_dir(folder).output().expect("course starts")
}

fn cargo(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(arguments).current_dir(folder);
    command
}

#[track_caller]
fn text_of_success(output: Output) -> String {
    let stderr = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{:?}\n{stdout}\n{stderr}", output.status);
    stdout
}

/// All files in the tree, with their content.
fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() {
            found.extend(snapshot(&path));
        } else {
            found.push((path.clone(), fs::read(&path).expect("a readable file")));
        }
    }
    found.sort();
    found
}

const CALL: [&str; 4] = ["new-chapter", "my-topic", "--number", "98"];
const FOLDER: &str = "practicals/ch98-my-topic";
const PACKAGE: &str = "practical-ch98-my-topic";

#[test]
fn a_new_chapter_is_locked_formatted_listed_and_passes_the_checks_that_build_nothing() {
    let root = TempDir::new().expect("a temporary folder");
    copy_of_repository(root.path());
    let text = text_of_success(course(root.path(), &CALL));
    assert!(text.starts_with(&format!("wrote {FOLDER}, ")), "{text}");

    // With --locked cargo would refuse to add the package to Cargo.lock now.
    let metadata = ["metadata", "--offline", "--locked", "--format-version", "1"];
    text_of_success(cargo(root.path(), &metadata).output().expect("cargo starts"));
    let format = ["fmt", "--check", "--package", PACKAGE];
    text_of_success(cargo(root.path(), &format).output().expect("cargo starts"));
    assert!(text_of_success(course(root.path(), &["list"])).contains("  My topic  "));

    let check = text_of_success(course(root.path(), &["check", "ch98", "--no-build"]));
    assert!(check.contains(": 0 problems, "), "{check}");
    assert!(check.contains(&format!("{FOLDER}/README.md:4: gap: ")), "{check}");
    let strict = course(root.path(), &["check", "ch98", "--no-build", "--finished"]);
    assert_eq!(strict.status.code(), Some(1), "gaps are problems when the chapter is finished");
    let exercises = text_of_success(course(root.path(), &["exercise"]));
    assert!(exercises.contains("ch98  pooled-mean "), "{exercises}");
}

#[test]
fn the_longest_name_is_formatted_too_and_the_number_is_the_next() {
    let root = TempDir::new().expect("a temporary folder");
    copy_of_repository(root.path());
    let before = text_of_success(course(root.path(), &["list", "--json"]));
    let before: serde_json::Value = serde_json::from_str(&before).expect("JSON");
    let highest = before["chapters"].as_array().and_then(|all| all.last()).expect("chapters");
    let next = highest["chapter"].as_u64().expect("a number") + 1;

    let name = "a2345678901234567890123456789-1234567890";
    let text = text_of_success(course(root.path(), &["new-chapter", name, "--title", "Ünï & Co"]));
    let package = format!("practical-ch{next:02}-{name}");
    assert!(text.contains(&package), "{text}");
    let format = ["fmt", "--check", "--package", &package];
    text_of_success(cargo(root.path(), &format).output().expect("cargo starts"));
    assert!(text_of_success(course(root.path(), &["list"])).contains("  Ünï & Co  "));
}

#[test]
fn what_is_refused_leaves_every_file_as_it_was() {
    let root = TempDir::new().expect("a temporary folder");
    copy_of_repository(root.path());
    write_package(&root.path().join("practicals/ch97-mine"), "no-chapter");
    let before = snapshot(root.path());
    let refused = [
        (&["new-chapter", "My_Topic"][..], "`My_Topic` is no name for a chapter"),
        (&["new-chapter", "über"], "`über` is no name for a chapter"),
        (&["new-chapter", "language-model-evaluation"], "practical-ch16-language-model-evaluation"),
        (&["new-chapter", "my-topic", "--number", "16"], "chapter 16 is practical-ch16-"),
        (&["new-chapter", "mine", "--number", "97"], "practicals/ch97-mine is already there"),
        (&["new-chapter", "mine", "--title", "a \"b\""], "expected one line without quotes"),
    ];
    for (arguments, message) in refused {
        let output = course(root.path(), arguments);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
        assert!(snapshot(root.path()) == before, "{arguments:?} changed a file");
    }
}

#[test]
fn a_chapter_that_cargo_does_not_accept_is_taken_away_again() {
    // In this workspace nothing stands behind the new manifest's `version.workspace = true`.
    let root = TempDir::new().expect("a temporary folder");
    let manifest = "[workspace]\nresolver = \"3\"\nmembers = [\"practicals/*\"]\n";
    fs::write(root.path().join("Cargo.toml"), manifest).expect("a writable folder");
    write_package(&root.path().join("practicals/other"), "other");
    let before = snapshot(root.path());
    let output = course(root.path(), &CALL);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert!(stderr.starts_with("error: cannot add practicals/ch98-my-topic"), "{stderr}");
    assert!(snapshot(root.path()) == before, "a refused chapter left something");
}

#[test]
#[ignore = "campaign: builds a copy from nothing, three minutes on a quiet machine"]
fn a_new_chapter_builds_runs_and_passes_everything() {
    let root = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let target = root.path().join("target"); // half a gigabyte, which vanishes with the folder
    copy_of_repository(root.path());
    text_of_success(course(root.path(), &CALL));
    let cargo = |arguments: &[&str]| {
        let mut command = cargo(root.path(), arguments);
        command.env("CARGO_TARGET_DIR", &target);
        text_of_success(command.env("RUSTDOCFLAGS", "-D warnings").output().expect("cargo starts"))
    };
    let report = cargo(&["run", "--quiet", "--offline", "--locked", "-p", PACKAGE]);
    assert!(report.contains("\"mean_nll\": 0.924196,\n"), "{report}");
    cargo(&["test", "--offline", "--locked", "-p", PACKAGE]);
    let clippy = ["clippy", "--all-targets", "--offline", "--locked", "-p", PACKAGE];
    cargo(&[&clippy[..], &["--", "-D", "warnings"]].concat());
    cargo(&["doc", "--no-deps", "--offline", "--locked", "-p", PACKAGE]);

    let course = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_course"));
        command.env("CARGO_TARGET_DIR", &target);
        command.args(arguments).current_dir(root.path()).output().expect("course starts")
    };
    let check = text_of_success(course(&["check", "ch98"]));
    assert!(check.contains(": 0 problems, "), "{check}");

    // The exercise as a learner meets it: it fails, is repaired, and passes.
    let exercise = ["exercise", "ch98", "pooled-mean"];
    let unsolved = course(&exercise);
    let text = String::from_utf8(unsolved.stdout).expect("text");
    assert_eq!(unsolved.status.code(), Some(1), "{text}");
    assert!(text.contains("  fails   a_target_weighs_the_same_in_a_batch_of_any_size\n"), "{text}");
    assert!(text.contains("  passes  batches_of_equal_size_have_the_mean_of_their_means\n"));
    assert!(
        text_of_success(course(&["exercise", "ch98", "--solution"]))
            .contains("the solution passes")
    );
    let folder = root.path().join(FOLDER).join("exercises/pooled-mean");
    fs::copy(folder.join("solution.rs"), folder.join("start.rs")).expect("a writable folder");
    assert!(text_of_success(course(&exercise)).contains("  solved\n"));
    // And then the checks notice that there is nothing left to do.
    let check = course(&["check", "ch98"]);
    assert_eq!(check.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&check.stdout).contains("start.rs:1: the start passes"));
}
