//! Files that are too long to be read in one go.

use super::{Findings, files, text};
use cargo_metadata::Package;

/// A chapter's `main.rs`: the call, its documentation, and the imports.
const LONGEST_MAIN: usize = 15;
/// A `lib.rs`: a table of contents, or a small chapter.
const LONGEST_LIB: usize = 200;
/// Any other file, but for tests in a `tests.rs` beside the code that they are about.
const LONGEST_FILE: usize = 400;

/// Counts the lines of every Rust file of a package.
pub(super) fn check(package: &Package, findings: &mut Findings) {
    let Some(folder) = package.manifest_path.parent() else { return };
    let is_chapter = package.metadata.get("course").is_some();
    for file in files(folder, true) {
        let path = file.strip_prefix(folder).unwrap_or(&file);
        let (limit, advice) = match path.as_str() {
            "src/main.rs" if is_chapter => (LONGEST_MAIN, "move what it does to the library"),
            "src/lib.rs" => (LONGEST_LIB, "move what it does to modules"),
            _ if file.extension() != Some("rs") || file.ends_with("tests.rs") => continue,
            _ => (LONGEST_FILE, "split it by ideas"),
        };
        let lines = text(&file).lines().count();
        if lines > limit {
            findings.problem(&file, limit + 1, format!("{lines} lines, at most {limit}: {advice}"));
        }
    }
}
