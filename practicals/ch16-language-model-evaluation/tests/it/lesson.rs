//! What the lesson and the front page print is what the program prints.

use llm_chapter_kit::assert_lesson;

const LESSON: &str = include_str!("../../README.md");
const FRONT_PAGE: &str = include_str!("../../../../README.md");
const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch16-language-model-evaluation");

#[test]
fn the_lesson_and_the_front_page_show_what_the_program_prints() {
    assert_lesson(LESSON, PROGRAM);
    assert_lesson(FRONT_PAGE, PROGRAM);
}

#[test]
fn the_table_of_seed_39_is_the_programs() {
    let report = crate::support::default_report();
    let rows = LESSON.lines().filter(|line| line.starts_with("| ") && line.contains('.'));
    let rows: Vec<&str> = rows.collect();
    let expected = report.runs[0].checkpoints.iter().map(|c| {
        let (train, validation) = (c.train.mean_nll, c.validation.mean_nll);
        let perplexity = c.validation.perplexity;
        format!("| {} | {train:.6} | {validation:.6} | {perplexity:.6} |", c.update)
    });
    assert_eq!(rows, expected.collect::<Vec<_>>());
}
