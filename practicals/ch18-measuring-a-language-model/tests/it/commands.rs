//! The command line: figures on request, and what is refused.

use crate::support::program;
use llm_chapter_kit::{printed, refusal, run_program_in};
use tempfile::TempDir;

#[track_caller]
fn refused(arguments: &[&str], code: i32, expected: &str) {
    let folder = TempDir::new().unwrap();
    let error = refusal(&program(folder.path(), arguments), code);
    assert!(error.contains(expected), "{error}");
    assert_eq!(folder.path().read_dir().unwrap().count(), 0, "nothing was written");
}

const SMALL: [&str; 6] = ["--documents", "50", "--tokens", "100", "--draws", "40"];

#[test]
fn figures_are_written_where_they_are_asked_for() {
    let folder = TempDir::new().unwrap();
    let figures = ["--surprisal-figure", "a.svg", "--averages-figure", "b.svg"];
    let output = program(folder.path(), &[&SMALL[..], &figures].concat());
    printed(&output);
    for name in ["a.svg", "b.svg"] {
        let svg = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"), "{name}");
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 2);
}

#[test]
fn counts_without_a_meaning_are_wrong_usage() {
    for (flag, value) in [
        ("--documents", "1"),
        ("--documents", "1000001"),
        ("--tokens", "0"),
        ("--tokens", "many"),
        ("--draws", "0"),
        ("--seed", "half"),
        ("--seed", "18446744073709551616"),
    ] {
        refused(&[flag, value], 2, flag);
    }
}

#[test]
fn one_file_for_two_figures_is_refused() {
    let figures = ["--surprisal-figure", "a.svg", "--averages-figure", "./a.svg"];
    refused(
        &[&SMALL[..], &figures].concat(),
        1,
        "a.svg cannot hold both the surprisal figure and the averages figure",
    );
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    refused(&[&SMALL[..], &["--surprisal-figure", "."]].concat(), 1, ".");
    let folder = TempDir::new().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    let arguments = [&SMALL[..], &["--surprisal-figure", "file/a.svg"]].concat();
    assert!(refusal(&program(folder.path(), &arguments), 1).contains("file/a.svg"));
}

/// A relative path leads nowhere then, and must not be followed for ever.
#[cfg(unix)]
#[test]
fn a_folder_that_vanishes_below_the_program_is_an_error() {
    let folder = TempDir::new().unwrap();
    let gone = folder.path().join("gone");
    std::fs::create_dir(&gone).unwrap();
    let command = "rmdir \"$PWD\" && exec \"$0\" --draws 40 --surprisal-figure a.svg";
    let program = env!("CARGO_BIN_EXE_practical-ch18-measuring-a-language-model");
    let output = run_program_in(&gone, "sh", ["-c", command, program]);
    assert!(refusal(&output, 1).contains("cannot write a.svg"));
}
