//! The program as a learner starts it.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch03-bpe-training");

#[test]
fn empty_texts_teach_nothing_and_break_nothing() {
    let text = printed(&run_program(PROGRAM, ["--document", "", "--held-out", ""]));
    assert!(text.contains("\"merges\": 0,") && text.contains("\"steps\": [],"), "{text}");
}

#[test]
fn a_weight_for_some_documents_only_is_one_line_and_exit_code_1() {
    let line = refusal(&run_program(PROGRAM, ["--weights", "1"]), 1);
    assert_eq!(line, "1 weights for 2 documents, expected one weight for each or none");
    let heavy = format!("{},1", u64::MAX);
    let line = refusal(&run_program(PROGRAM, ["--weights", &heavy]), 1);
    assert!(line.contains("bytes of training text times weight"), "{line}");
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    for arguments in [
        ["--merges", "1001"],
        ["--merges", "-1"],
        ["--weights", "1,x"],
        ["--pretokenizer", "gpt3"],
        ["--minimum-count", "few"],
    ] {
        let line = refusal(&run_program(PROGRAM, arguments), 2);
        assert!(line.contains(arguments[0]), "{arguments:?}: {line}");
    }
}
