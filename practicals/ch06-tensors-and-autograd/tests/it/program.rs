//! What the program accepts and refuses.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch06-tensors-and-autograd");

#[test]
fn a_negative_weight_is_a_number_like_any_other() {
    let report = printed(&run_program(PROGRAM, ["--weight", "-1.5", "--format", "text"]));
    assert!(report.contains("(weight * input + bias - target)^2"), "{report}");
    assert!(report.contains("-1.5"), "{report}");
}

#[test]
fn what_is_no_number_or_too_large_is_wrong_usage() {
    for wrong in ["x", "", "NaN", "inf", "1e7"] {
        let message = refusal(&run_program(PROGRAM, ["--weight", wrong]), 2);
        assert!(message.contains("expected a number from -1e6 to 1e6"), "{message}");
    }
}
