//! What the program refuses before it starts.

use llm_chapter_kit::{refusal, run_program};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch12-checkpoint-and-resume");

#[test]
fn a_number_of_updates_that_no_lesson_needs_is_wrong_usage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    for wrong in ["3", "10001", "18446744073709551615", "many", "-1"] {
        let words = [
            "train".as_ref(),
            "--updates".as_ref(),
            wrong.as_ref(),
            "--checkpoint".as_ref(),
            path.as_os_str(),
        ];
        let message = refusal(&run_program(PROGRAM, words), 2);
        assert!(message.contains("--updates"), "{message}");
        assert!(!path.exists(), "{wrong}");
    }
}
