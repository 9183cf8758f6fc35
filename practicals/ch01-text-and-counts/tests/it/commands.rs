//! The program as a learner starts it.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch01-text-and-counts");

#[test]
fn the_order_of_documents_changes_no_count() {
    let counts = |first: &str, second: &str| {
        let arguments = ["--document", first, "--document", second, "--format", "text"];
        let text = printed(&run_program(PROGRAM, arguments));
        text[text.find("transitions  ").unwrap()..].to_owned()
    };
    assert_eq!(counts("ab", "ba c"), counts("ba c", "ab"));
}

#[test]
fn empty_texts_are_texts() {
    let text = printed(&run_program(PROGRAM, ["--document", "", "--sentence", ""]));
    assert!(text.contains("\"target_count\": 1,"), "{text}");
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for (arguments, named) in [
        (&["--sentence"][..], "--sentence"),
        (&["--sentence", "a", "--sentence", "b"], "multiple times"),
        (&["banana"], "banana"),
        (&["--format", "yaml"], "yaml"),
    ] {
        let line = refusal(&run_program(PROGRAM, arguments), 2);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
}

#[cfg(unix)] // where arguments are bytes
#[test]
fn bytes_that_are_no_text_are_wrong_usage() {
    use std::os::unix::ffi::OsStrExt;
    let bytes = std::ffi::OsStr::from_bytes(b"\xff");
    let line = refusal(&run_program(PROGRAM, ["--sentence".as_ref(), bytes]), 2);
    assert!(line.contains("UTF-8"), "{line}");
}
