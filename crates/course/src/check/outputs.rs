//! Outputs: what a lesson shows is what its program prints.

use super::{Findings, text};
use crate::cargo_build::built_programs;
use crate::chapter::Chapter;
use cargo_metadata::Metadata;
use llm_chapter_kit::lesson_problems;

/// Builds the programs of some chapters, and runs the commands of their lessons.
pub(super) fn check(workspace: &Metadata, chapters: &[&Chapter], findings: &mut Findings) {
    let Some(first) = chapters.first() else { return };
    let packages = chapters.iter().flat_map(|chapter| ["--package", chapter.package.as_str()]);
    let words: Vec<&str> = ["build", "--bins"].into_iter().chain(packages).collect();
    let programs = match built_programs(&workspace.workspace_root, &words) {
        Ok(Some(programs)) => programs,
        Ok(None) => {
            let text = "the programs do not compile; cargo's messages are above";
            return findings.problem(&first.folder, 1, text);
        }
        Err(error) => return findings.problem(&first.folder, 1, format!("{error:#}")),
    };
    for chapter in chapters {
        let page = chapter.folder.join("README.md");
        let Some(program) = programs.get(&chapter.package) else {
            let text = format!("no program `{}`", chapter.package);
            findings.problem(&chapter.folder.join("Cargo.toml"), 1, text);
            continue;
        };
        for (line, problem) in lesson_problems(&text(&page), program.as_std_path()) {
            let shown = problem.replace('\n', "\n    "); // lines of the page stand below
            findings.problem(&page, line, shown);
        }
    }
}
