//! What the program accepts and refuses.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch08-training-and-evaluation-modes");

#[test]
fn a_probability_of_zero_drops_nothing_and_is_no_error() {
    let report = printed(&run_program(PROGRAM, ["--probability", "0", "--updates", "2"]));
    assert!(report.contains("\"z\": null"), "{report}");
}

#[test]
fn what_is_no_probability_of_dropping_is_wrong_usage() {
    for wrong in ["1", "-0.1", "1.5", "NaN"] {
        let message = refusal(&run_program(PROGRAM, ["--probability", wrong]), 2);
        assert!(message.contains("expected at least 0 and below 1"), "{message}");
    }
    assert!(
        refusal(&run_program(PROGRAM, ["--probability", "x"]), 2).contains("expected a number")
    );
    assert!(refusal(&run_program(PROGRAM, ["--updates", "1"]), 2).contains("--updates"));
}
