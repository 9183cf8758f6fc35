//! What the lesson prints is what the program prints.

const LESSON: &str = include_str!("../../README.md");
const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch19-baselines-and-bits-per-byte");

#[test]
fn the_lesson_shows_what_the_program_prints() {
    llm_chapter_kit::assert_lesson(LESSON, PROGRAM);
}

/// The rows of a table of the lesson, found by its head.
fn rows(head: &str) -> Vec<&'static str> {
    let lines = LESSON.lines().skip_while(|line| !line.starts_with(head)).skip(2);
    lines.take_while(|line| line.starts_with('|')).collect()
}

#[test]
fn the_table_of_models_is_the_programs() {
    let expected = crate::support::default_report().models.iter().map(|row| {
        let (train, held_out) = (row.train_bits_per_byte, row.held_out_bits_per_byte);
        let perplexity = row.held_out_perplexity;
        format!("| {} | {train:.3} | {held_out:.3} | {perplexity:.1} |", row.model)
    });
    assert_eq!(rows("| model | training"), expected.collect::<Vec<_>>());
}

#[test]
fn the_table_of_strides_is_the_programs() {
    let expected = crate::support::default_report().windows.strides.iter().map(|row| {
        let (windows, context, bits) = (row.windows, row.context_only_tokens, row.bits_per_byte);
        format!("| {} | {windows} | {context} | {bits:.3} |", row.stride)
    });
    assert_eq!(rows("| stride | windows"), expected.collect::<Vec<_>>());
}
