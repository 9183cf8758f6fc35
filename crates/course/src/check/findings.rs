//! What the checks found, with file and line.

use crate::outcome::Outcome;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};

/// One thing that is wrong or unfinished.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Finding {
    path: Utf8PathBuf,
    line: usize,
    text: String,
    is_gap: bool,
}

/// Everything found so far.
pub(super) struct Findings {
    root: Utf8PathBuf,
    list: Vec<Finding>,
}

impl Findings {
    /// None yet; paths will be shown relative to `root`.
    pub(super) fn new(root: &Utf8Path) -> Self {
        Self { root: root.to_owned(), list: Vec::new() }
    }

    /// Whether nothing was found.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Something wrong in a line of a file, counted from 1.
    pub(super) fn problem(&mut self, path: &Utf8Path, line: usize, text: impl Into<String>) {
        self.add(path, line, text.into(), false);
    }

    /// Something unfinished in a line of a file.
    pub(super) fn gap(&mut self, path: &Utf8Path, line: usize, text: impl Into<String>) {
        self.add(path, line, text.into(), true);
    }

    fn add(&mut self, path: &Utf8Path, line: usize, text: String, is_gap: bool) {
        let path = path.strip_prefix(&self.root).unwrap_or(path).to_owned();
        self.list.push(Finding { path, line, text, is_gap });
    }

    /// One line for each finding (and below it, lines of a page that it is about), in the order of files
    /// and lines, and a last line that counts.
    pub(super) fn outcome(mut self, scope: &str, gaps_are_problems: bool) -> Outcome {
        self.list.sort();
        let mut text = String::new();
        for Finding { path, line, text: finding, is_gap } in &self.list {
            let kind = if *is_gap { "gap: " } else { "" };
            text += &format!("{path}:{line}: {kind}{finding}\n");
        }
        let gaps = self.list.iter().filter(|finding| finding.is_gap).count();
        let problems = self.list.len() - gaps;
        let (found, open) = (counted(problems, "problem"), counted(gaps, "gap"));
        text += &format!("checked {scope}: {found}, {open}\n");
        Outcome { text, passed: problems == 0 && (gaps == 0 || !gaps_are_problems) }
    }
}

/// `1 chapter`, `2 chapters`.
pub(super) fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}
