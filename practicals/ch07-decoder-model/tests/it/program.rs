//! What the program accepts and refuses.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch07-decoder-model");

#[test]
fn the_readable_form_has_the_table_of_parameters() {
    let report = printed(&run_program(PROGRAM, ["--depths", "1", "--format", "text"]));
    assert!(report.contains("blocks.0.ffn.down.weight"), "{report}");
}

#[test]
fn depths_and_texts_outside_the_range_are_wrong_usage() {
    for wrong in ["0", "33", "-1", "x", "", "1,,2"] {
        let message = refusal(&run_program(PROGRAM, [format!("--depths={wrong}")]), 2);
        assert!(message.contains("--depths"), "{message}");
    }
    for wrong in ["", "abababab"] {
        let message = refusal(&run_program(PROGRAM, ["--text", wrong]), 2);
        assert!(message.contains("expected 1 to 7"), "{message}");
    }
}
