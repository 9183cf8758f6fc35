//! What the lesson prints is what the program prints.

const LESSON: &str = include_str!("../../README.md");
const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch23-real-models");

#[test]
fn the_lesson_shows_what_the_program_prints() {
    llm_chapter_kit::assert_lesson(LESSON, PROGRAM);
}
