//! The program as a learner starts it.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch05-packed-contexts");

#[test]
fn one_document_has_nobody_to_be_joined_with() {
    let text = printed(&run_program(PROGRAM, ["--document", "abaa"]));
    assert!(text.contains("\"joined\": [],"), "{text}");
    assert!(text.contains("\"layouts_bitwise_equal\": true,"), "{text}");
}

#[test]
fn a_document_that_fits_is_one_window_and_not_refused() {
    let text = printed(&run_program(PROGRAM, ["--long-document", "ab", "--format", "text"]));
    assert!(text.contains("refusal  -"), "{text}");
}

#[test]
fn documents_that_do_not_fit_are_one_line_and_exit_code_1() {
    let (long, longer) = ("ab".repeat(70), "a".repeat(1024));
    for (arguments, named) in [
        (&["--capacity", "4"][..], "document `abaa` has 5 inputs, the capacity is 4"),
        (&["--capacity", "0"], "the capacity is 0"),
        (&["--document", &long], "141 inputs, expected at most 128"),
        (&["--long-document", &longer], "1025 inputs, expected at most 1024"),
    ] {
        let line = refusal(&run_program(PROGRAM, arguments), 1);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for arguments in [["--capacity", "-1"], ["--capacity", "wide"], ["--seed", "1.5"]] {
        let line = refusal(&run_program(PROGRAM, arguments), 2);
        assert!(line.contains(arguments[0]), "{line}");
    }
}
