//! What the program accepts and refuses.

use llm_chapter_kit::{printed, refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch09-stable-log-loss");

#[test]
fn gaps_of_any_size_are_printed() {
    for gap in ["0", "103", "746", "1e6"] {
        let words = ["--gap", gap, "--vocab-size", "2"];
        assert!(printed(&run_program(PROGRAM, words)).contains("document_bits_per_token"));
    }
}

#[test]
fn other_gaps_and_sizes_are_wrong_usage() {
    for wrong in ["-1", "NaN", "inf", "1e7", "x"] {
        let message = refusal(&run_program(PROGRAM, ["--gap", wrong]), 2);
        assert!(message.contains("expected a number from 0 to 1e6"), "{message}");
    }
    for wrong in ["1", "1000001", "-3"] {
        let message = refusal(&run_program(PROGRAM, [format!("--vocab-size={wrong}")]), 2);
        assert!(message.contains("--vocab-size"), "{message}");
    }
}
