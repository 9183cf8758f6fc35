//! The commands in the README print what it shows.

use std::path::Path;
use std::process::Command;

use llm_chapter_kit::fenced_blocks;

use crate::support::Folder;

/// What a block of `console` shows: a command, and the lines below it.
fn commands<'a>(lines: &'a [&'a str]) -> Vec<(&'a str, &'a [&'a str])> {
    let starts: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].starts_with("$ ")).collect();
    let ends = starts.iter().skip(1).copied().chain([lines.len()]);
    starts.iter().zip(ends).map(|(&at, end)| (&lines[at][2..], &lines[at + 1..end])).collect()
}

/// Whether the lines stand in the text in this order, and together where there is no `...`.
fn shows(expected: &[&str], printed: &str) -> bool {
    let mut rest: Vec<&str> = printed.lines().collect();
    let open = expected.last() == Some(&"...");
    for (index, part) in expected.split(|line| *line == "...").enumerate() {
        let at = rest.windows(part.len().max(1)).position(|lines| lines == part);
        match (part.is_empty(), at) {
            (true, _) => {}
            (false, Some(at)) if at == 0 || index > 0 => rest = rest.split_off(at + part.len()),
            _ => return false,
        }
    }
    open || rest.is_empty()
}

#[test]
fn every_command_of_the_page_prints_what_the_page_shows() {
    let page = include_str!("../../README.md");
    let folder = Folder::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_llm")).parent().unwrap();
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap());
    let mut compared = 0;
    for block in fenced_blocks(page).iter().filter(|block| block.language == "console") {
        for (command, expected) in commands(&block.lines) {
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", command]).current_dir(folder.path()).env("PATH", &path);
            let output = shell.output().unwrap();
            let printed = [output.stdout, output.stderr].concat();
            let printed = String::from_utf8_lossy(&printed);
            let line = block.line;
            assert!(shows(expected, &printed), "line {line}: $ {command}\n{printed}");
            compared += 1;
        }
    }
    assert!(compared > 10, "{compared}");
}
