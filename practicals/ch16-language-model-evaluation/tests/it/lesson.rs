//! What the lesson and the front page print is what the program prints.

use std::process::Output;

use crate::support::program;

const LESSON: &str = include_str!("../../README.md");
const FRONT_PAGE: &str = include_str!("../../../../README.md");

fn printed(output: Output) -> Vec<String> {
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// The fenced JSON blocks of a page.
fn blocks(page: &str) -> Vec<Vec<&str>> {
    let blocks = page.split("```json\n").skip(1);
    blocks.map(|rest| rest.split("```").next().unwrap().lines().collect()).collect()
}

/// Whether the block's lines stand together in the output; `...` stands for any lines.
#[track_caller]
fn assert_printed(block: &[&str], output: &[String]) {
    let mut rest = output;
    for part in block.split(|line| line.trim() == "...").filter(|part| !part.is_empty()) {
        let found = rest.windows(part.len()).position(|lines| lines == part);
        let at = found.unwrap_or_else(|| panic!("the program does not print\n{}", part.join("\n")));
        rest = &rest[at + part.len()..];
    }
}

#[test]
fn the_lesson_and_the_front_page_show_what_the_program_prints() {
    let folder = tempfile::tempdir().unwrap();
    let save = ["experiment", "--save-model", "tmp/ch16.safetensors"];
    let experiment = printed(program(folder.path()).args(save).output().unwrap());
    let default = printed(program(folder.path()).output().unwrap());
    let evaluate = ["evaluate", "--model", "tmp/ch16.safetensors", "--batch-rows", "1"];
    let evaluation = printed(program(folder.path()).args(evaluate).output().unwrap());

    let lesson = blocks(LESSON);
    assert_eq!(lesson.len(), 6);
    for block in &lesson {
        let output = if block[0] == "{" { &evaluation } else { &default };
        assert_printed(block, output);
    }
    let front_page = blocks(FRONT_PAGE);
    assert_eq!(front_page.len(), 1);
    assert_printed(&front_page[0], &default);
    assert_eq!(experiment.len(), default.len());
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
