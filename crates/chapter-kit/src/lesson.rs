//! A lesson shows what its program prints.
//!
//! Nobody copies output into a page twice: this runs the commands that the page itself gives to the
//! reader and looks for the page's output in what they print. A page is read like this:
//!
//! - A block of `text` whose first line begins with `./course` holds commands. Those of this program
//!   are run, in the order of the page: lines `./course run cargo run ... -p PROGRAM -- ARGUMENTS`,
//!   and in a script the lines `$program ARGUMENTS`. A redirection `> FILE` is left out, so that the
//!   output can be compared.
//! - Any other block of `json` or `text` is output: of one of the commands in the last such block
//!   before it. A line `...` stands for any lines, also for those before and behind the block.
//! - Other blocks, and paragraphs indented by four spaces, are neither.

use crate::markdown::{FencedBlock, fenced_blocks};
use crate::process::run_program_in;
use std::path::Path;
use tempfile::TempDir;

/// Runs the commands in `page` that are about `program`, and compares what they print with the
/// output blocks in `page`. The commands run in a temporary folder, which has a folder `tmp`.
///
/// Of a program called `practical-chNN-NAME` it also asks what every chapter promises: without
/// arguments one JSON object whose `chapter` is `NN-NAME`, a readable form with `--format text`, and
/// one line and exit code 2 for an option that it does not have.
///
/// ```no_run
/// # const PROGRAM: &str = "target/debug/practical-ch00-my-topic";
/// // const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch00-my-topic");
/// llm_chapter_kit::assert_lesson("...the text of README.md...", PROGRAM);
/// ```
///
/// # Panics
/// With all that is wrong, by line number: output that no command printed, output with no command
/// before it, a command that fails with an error that the page does not show, or a page without
/// any output to compare; and with each promise that the program does not keep. Also if the program
/// cannot be started.
#[track_caller]
pub fn assert_lesson(page: &str, program: impl AsRef<Path>) {
    let problems: Vec<String> = lesson_problems(page, program.as_ref())
        .into_iter()
        .map(|(line, problem)| format!("line {line}: {problem}"))
        .collect();
    assert!(problems.is_empty(), "the page and the program differ:\n{}", problems.join("\n"));
}

/// What [`assert_lesson`] reports: lines of the page, from 1, and what is wrong there.
///
/// # Panics
/// If the program cannot be started.
pub fn lesson_problems(page: &str, program: &Path) -> Vec<(usize, String)> {
    let name = program.file_stem().and_then(|name| name.to_str()).expect("programs have names");
    let folder = TempDir::new().expect("a temporary folder");
    std::fs::create_dir(folder.path().join("tmp")).expect("a writable temporary folder");

    let mut problems = Vec::new();
    let mut runs: Option<Vec<Run>> = None; // of each command of the last block of commands
    let mut compared = 0;
    for block in fenced_blocks(page).iter().filter(|b| matches!(b.language, "json" | "text")) {
        let line = block.line;
        if is_commands(block) {
            let commands = block.lines.iter().filter_map(|line| arguments(line, name));
            let finished: Vec<Run> =
                commands.map(|words| run(program, &words, folder.path())).collect();
            let unexpected = finished.iter().filter(|run| run.failed && !run.is_shown_in(page));
            problems.extend(
                unexpected.map(|run| (line, format!("a command fails with {:?}", run.text))),
            );
            runs = Some(finished);
            continue;
        }
        match runs.as_deref() {
            None => problems.push((line, "output, but no command before it".into())),
            Some([]) => {} // of another program
            Some(runs) => {
                compared += 1;
                if !runs.iter().any(|run| shows(block, &run.text)) {
                    let expected = block.lines.join("\n");
                    problems.push((line, format!("no command prints\n{expected}")));
                }
            }
        }
    }
    if compared == 0 {
        problems.push((1, format!("nothing to compare: the page shows no output of {name}")));
    }
    if let Some(chapter) = name.strip_prefix("practical-ch") {
        let broken = broken_promises(program, chapter, folder.path());
        problems.extend(broken.into_iter().map(|promise| (1, promise)));
    }
    problems
}

/// What a chapter's program does otherwise than every chapter should.
fn broken_promises(program: &Path, chapter: &str, folder: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    let report = run(program, &[], folder).text;
    match serde_json::from_str::<serde_json::Value>(&report) {
        Ok(report) if report["chapter"] == chapter => {}
        Ok(_) => broken.push(format!("without arguments: expected `chapter` to be {chapter:?}")),
        Err(_) => broken.push(format!("without arguments: expected a JSON object, not {report:?}")),
    }
    let text = run(program, &["--format", "text"], folder).text;
    if !text.starts_with("chapter ") {
        broken
            .push(format!("--format text: expected lines that begin with `chapter`, not {text:?}"));
    }
    let output = run_program_in(folder, program, ["--no-such-option"]);
    let message = String::from_utf8_lossy(&output.stderr);
    let one_line = message.starts_with("error: ") && message.lines().count() == 1;
    if output.status.code() != Some(2) || !output.stdout.is_empty() || !one_line {
        broken.push("an unknown option: expected one line on standard error, and code 2".into());
    }
    broken
}

fn is_commands(block: &FencedBlock<'_>) -> bool {
    block.language == "text" && block.lines.first().is_some_and(|line| line.starts_with("./course"))
}

/// The arguments that a line of a block of commands gives to the program `name`, if it starts it.
fn arguments<'a>(line: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let mut words = line.split_whitespace();
    if line.trim_start().starts_with("./course run cargo run ") {
        words.by_ref().find(|word| *word == "-p")?;
        (words.next() == Some(name)).then_some(())?;
        words.by_ref().find(|word| *word == "--"); // without it, no words are left
    } else {
        (words.next() == Some("$program")).then_some(())?;
    }
    Some(words.take_while(|word| !word.starts_with('>')).collect())
}

/// What became of a command.
struct Run {
    /// What it printed; if it failed, what it said on standard error.
    text: String,
    failed: bool,
}

impl Run {
    /// Whether the page shows the line with which the program was refused. A crash cannot be shown.
    fn is_shown_in(&self, page: &str) -> bool {
        self.text.starts_with("error: ") && page.contains(self.text.trim())
    }
}

fn run(program: &Path, arguments: &[&str], folder: &Path) -> Run {
    let output = run_program_in(folder, program, arguments);
    let failed = !output.status.success();
    let text = if failed { output.stderr } else { output.stdout };
    Run { text: String::from_utf8_lossy(&text).into_owned(), failed }
}

/// Whether the block's lines stand together in the text, apart from its lines `...`. A block that has
/// no others shows nothing.
fn shows(block: &FencedBlock<'_>, text: &str) -> bool {
    let text: Vec<&str> = text.lines().collect();
    let mut rest = text.as_slice();
    let mut parts = block.lines.split(|line| line.trim() == "...").filter(|p| !p.is_empty());
    // The earliest place is as good as any other: it leaves the most for the parts that follow.
    let mut follows = |part: &[&str]| match rest.windows(part.len()).position(|at| at == part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    };
    parts.next().is_some_and(&mut follows) && parts.all(follows)
}

#[cfg(test)]
mod tests;
