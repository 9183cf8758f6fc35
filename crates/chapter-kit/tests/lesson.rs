//! `assert_lesson` with a real program.

use llm_chapter_kit::assert_lesson;
use std::panic::catch_unwind;

const PROGRAM: &str = env!("CARGO_BIN_EXE_tiny-chapter");

/// A page that shows `output` below the command with these arguments.
fn page(arguments: &str, output: &str) -> String {
    let command = "./course run cargo run --quiet --offline --locked -p tiny-chapter --";
    format!(
        "# A lesson\n\n```text\n{command} {arguments}\n```\n\nprints\n\n```json\n{output}\n```\n"
    )
}

/// The message with which the page is refused.
#[track_caller]
fn refusal(page: &str) -> String {
    let panic = catch_unwind(|| assert_lesson(page, PROGRAM)).expect_err("the page is accepted");
    panic.downcast_ref::<String>().expect("a message").clone()
}

#[test]
fn a_page_with_the_programs_output_is_accepted() {
    assert_lesson(&page("--losses 1,0.25", "{\n  ...\n  \"mean\": 0.625\n}"), PROGRAM);
}

#[test]
fn the_readable_form_can_be_shown_too() {
    let output = "losses  1.0, 0.25\nmean    0.625";
    let page = page("--losses 1,0.25 --format text", output).replace("```json", "```text");
    assert_lesson(&page, PROGRAM);
}

#[test]
fn a_number_that_has_drifted_is_named_by_its_line() {
    let message = refusal(&page("--losses 1,0.25", "  \"mean\": 0.626"));
    assert!(message.contains("line 9: no command prints\n  \"mean\": 0.626"), "{message}");
}

#[test]
fn output_belongs_to_the_commands_just_before_it() {
    let two_lessons =
        page("--losses 1", "  \"mean\": 1.0") + &page("--losses 2", "  \"mean\": 1.0");
    assert!(refusal(&two_lessons).contains("line 20: no command prints"));
}

#[test]
fn a_failure_must_be_shown() {
    assert!(refusal(&page("--copies 0", "{")).contains("a command fails with \"error: invalid"));
    let shown = page("", "error: cannot summarize the losses: there are none");
    assert_lesson(&shown, PROGRAM);
}

/// So many copies fit no memory: the program panics, which is no line `error: ...`.
#[test]
fn a_crash_does_not_hide_behind_the_output_of_another_command() {
    let good = page("--losses 1,0.25", "  \"mean\": 0.625");
    let command = good.lines().find(|line| line.starts_with("./course")).expect("a command");
    let crashing = format!("{command} --copies {}", usize::MAX);
    let message = refusal(&good.replace(command, &format!("{command}\n{crashing}")));
    assert!(message.contains("line 3: a command fails with \"\\nthread 'main'"), "{message}");
}

#[test]
fn a_page_without_output_or_without_a_command_is_refused() {
    assert!(refusal("# A lesson\n").contains("nothing to compare"));
    assert!(refusal("```json\n{\n```\n").contains("line 1: output, but no command before it"));
}

#[test]
fn a_chapters_program_has_to_keep_its_promises() {
    // The tiny chapter under the name of a chapter: it has no `chapter` in its report, and no report
    // without arguments. It does refuse unknown options.
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = folder.path().join("practical-ch07-tiny");
    std::fs::copy(PROGRAM, &program).expect("programs can be copied");
    let page = page("--losses 1", "  \"mean\": 1.0").replace("tiny-chapter", "practical-ch07-tiny");
    let panic = catch_unwind(|| assert_lesson(&page, &program)).expect_err("the page is accepted");
    let message = panic.downcast_ref::<String>().expect("a message");
    assert!(message.contains("without arguments: expected a JSON object"), "{message}");
    assert!(message.contains("--format text: expected lines"), "{message}");
    assert!(!message.contains("unknown option") && !message.contains("no command"), "{message}");
}
