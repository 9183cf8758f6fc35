//! The parts of `assert_lesson`; `tests/lesson.rs` runs a program.

use super::*;

fn block<'a>(lines: &[&'a str]) -> FencedBlock<'a> {
    FencedBlock { language: "json", line: 1, lines: lines.to_vec() }
}

const PRINTED: &str = "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ],\n  \"c\": 1\n}\n";

#[test]
fn lines_must_stand_together() {
    assert!(shows(&block(&["  \"a\": 1,", "  \"b\": ["]), PRINTED));
    assert!(!shows(&block(&["  \"a\": 1,", "    2,"]), PRINTED));
}

#[test]
fn dots_stand_for_any_lines_in_the_order_of_the_output() {
    assert!(shows(&block(&["{", "  ...", "    3", "...", "}"]), PRINTED));
    assert!(!shows(&block(&["    3", "...", "    2,"]), PRINTED));
    assert!(!shows(&block(&["    3", "...", "    3"]), PRINTED), "one line shown twice");
}

#[test]
fn a_block_of_nothing_is_not_shown_by_every_output() {
    assert!(!shows(&block(&[]), PRINTED));
    assert!(!shows(&block(&["...", "  ..."]), PRINTED));
}

#[test]
fn indentation_and_digits_count() {
    assert!(!shows(&block(&["\"a\": 1,"]), PRINTED));
    assert!(!shows(&block(&["  \"a\": 1.0,"]), PRINTED));
}

#[test]
fn commands_of_the_program_are_found_and_no_others() {
    let start = "./course run cargo run --quiet --offline --locked -p";
    let found = |line: &str| arguments(line, "ch").map(|words| words.join(" "));
    assert_eq!(found(&format!("{start} ch")).as_deref(), Some(""));
    assert_eq!(found(&format!("{start} ch -- --seed 3")).as_deref(), Some("--seed 3"));
    assert_eq!(found(&format!("{start} chapter -- --seed 3")), None);
    assert_eq!(
        found("  $program evaluate --model m > tmp/out.json").as_deref(),
        Some("evaluate --model m")
    );
    assert_eq!(found("  program=\"cargo run -p ch --\""), None);
    assert_eq!(found("./course test"), None);
}
