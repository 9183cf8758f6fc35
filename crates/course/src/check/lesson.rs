//! Lessons: the parts that every one has, in their order, and what is still to be filled in.

use super::{Findings, files, line_of, text};
use crate::chapter::Chapter;
use crate::exercise::{exercises, package};
use cargo_metadata::Metadata;
use cargo_metadata::camino::Utf8Path;
use llm_chapter_kit::fenced_blocks;

/// How the parts of a lesson begin, and what each is for.
const PARTS: [(&str, &str); 7] = [
    ("**You will see**", "what the learner gets, and how long it takes"),
    ("## Run it", "the command, and what it prints"),
    ("**Predict first.**", "a question to answer before running"),
    ("## What this establishes, and what not", "what follows from the numbers"),
    ("## Read the code", "links in reading order"),
    ("## Exercises", "three to five, with folded answers"),
    ("**Where it leads.**", "the chapters that use this"),
];

/// What marks a gap that the author has to fill.
const GAP: &str = "TODO(chapter)";

/// Checks the README of a chapter and looks for gaps in all its files.
pub(super) fn check(workspace: &Metadata, chapter: &Chapter, findings: &mut Findings) {
    let path = chapter.folder.join("README.md");
    let page = text(&path);
    if page.is_empty() {
        findings.problem(&path, 1, "no lesson: the chapter needs a README.md");
    } else {
        let coding =
            package(workspace, chapter).is_some_and(|p| !exercises(p, chapter).0.is_empty());
        check_head(chapter, &path, &page, findings);
        check_parts(&path, &page, findings);
        check_output(chapter, &path, &page, findings);
        check_exercises(chapter, coding, &path, &page, findings);
    }
    for file in files(&chapter.folder, true) {
        for (index, line) in text(&file).lines().enumerate().filter(|(_, l)| l.contains(GAP)) {
            findings.gap(&file, index + 1, line.trim_start_matches(['/', '!', '#', ' ']));
        }
    }
}

/// Title and length are those of the manifest.
fn check_head(chapter: &Chapter, path: &Utf8Path, page: &str, findings: &mut Findings) {
    let title = format!("# {:02} · {}", chapter.chapter, chapter.title);
    if page.lines().next() != Some(&title) {
        findings.problem(path, 1, format!("expected the title `{title}`, as in the manifest"));
    }
    let length = format!("About {} minutes", chapter.minutes);
    if !page.contains(&length) {
        let line = line_of(page, |line| line.starts_with(PARTS[0].0));
        findings.problem(path, line, format!("expected `{length}`, as in the manifest"));
    }
}

/// All parts are there, each behind the one before.
fn check_parts(path: &Utf8Path, page: &str, findings: &mut Findings) {
    let mut at = 0;
    for (start, purpose) in PARTS {
        match page.lines().skip(at).position(|line| line.starts_with(start)) {
            Some(skipped) => at += skipped + 1,
            None => {
                let text = format!("no `{start}` behind this line: {purpose}");
                findings.problem(path, at.max(1), text);
            }
        }
    }
}

/// There is a command and its output, and a test that runs the one and compares the other.
fn check_output(chapter: &Chapter, path: &Utf8Path, page: &str, findings: &mut Findings) {
    let command = "./course run cargo run --quiet --offline --locked -p ";
    let command = format!("{command}{}", chapter.package);
    let blocks = fenced_blocks(page);
    let run_it = line_of(page, |line| line.starts_with("## Run it"));
    if !blocks.iter().any(|b| b.lines.iter().any(|line| line.starts_with(&command))) {
        findings.problem(path, run_it, format!("expected a block with the command `{command}`"));
    }
    for block in blocks.iter().filter(|b| b.language.is_empty()) {
        let text = "a block of no language: `text` or `json` if the program prints it, otherwise \
                    another one, or indent it by four spaces";
        findings.problem(path, block.line, text);
    }
    let tests = files(&chapter.folder.join("tests"), true);
    if !tests.iter().any(|file| text(file).contains("assert_lesson(")) {
        let text = "no test compares this page with the program; call \
                    llm_chapter_kit::assert_lesson in tests/it/lesson.rs";
        findings.problem(path, run_it, text);
    }
}

/// Three to five exercises, each with a folded answer, and one of them in code.
fn check_exercises(
    chapter: &Chapter,
    coding: bool,
    path: &Utf8Path,
    page: &str,
    findings: &mut Findings,
) {
    let heading = "## Exercises";
    let Some(start) = page.lines().position(|line| line.starts_with(heading)) else { return };
    let mut items: Vec<(usize, bool)> = Vec::new(); // line, and whether an answer was seen
    for (index, line) in page.lines().enumerate().skip(start) {
        let number = line.split_once(". ").map(|(number, _)| number.parse::<u32>());
        if matches!(number, Some(Ok(_))) {
            items.push((index + 1, false));
        }
        if let Some((_, answered)) = items.last_mut() {
            *answered |= line.contains("<details>");
        }
    }
    if !(3..=5).contains(&items.len()) {
        let text = format!("{} exercises, expected three to five", items.len());
        findings.problem(path, start + 1, text);
    }
    for (line, _) in items.iter().filter(|(_, answered)| !answered) {
        findings.problem(path, *line, "an exercise without an answer in <details>");
    }
    let command = format!("./course exercise {}", chapter.short_name());
    if !coding {
        findings.gap(path, start + 1, "no exercise in code; practicals/README.md says how");
    } else if !page.contains(&command) {
        findings.problem(path, start + 1, format!("expected the command `{command}`"));
    }
}
