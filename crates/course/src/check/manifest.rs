//! Manifests of chapters: complete, and in agreement with names and folders.

use super::{Findings, line_of, text};
use crate::chapter::{Chapter, chapter_of};
use cargo_metadata::Metadata;

/// The chapters whose manifests can be read, by number. The others are problems, and so are packages
/// among the chapters that do not say which chapter they are.
pub(super) fn chapters(workspace: &Metadata, findings: &mut Findings) -> Vec<Chapter> {
    let mut chapters = Vec::new();
    for package in workspace.workspace_packages() {
        let manifest = &package.manifest_path;
        let is_practical = manifest.starts_with(workspace.workspace_root.join("practicals"));
        match chapter_of(package) {
            Ok(Some(chapter)) => chapters.push(chapter),
            Ok(None) if is_practical => {
                let wanted = "no [package.metadata.course] with chapter, title, minutes and needs";
                findings.problem(manifest, 1, wanted);
            }
            Ok(None) => {}
            Err(error) => {
                let table = |line: &str| line.starts_with("[package.metadata.course]");
                findings.problem(manifest, line_of(&text(manifest), table), format!("{error:#}"));
            }
        }
    }
    chapters.sort_by_key(|chapter| chapter.chapter);
    for pair in chapters.windows(2) {
        if pair[0].chapter == pair[1].chapter {
            let text = format!("{} is chapter {} too", pair[0].package, pair[0].chapter);
            findings.problem(&pair[1].folder.join("Cargo.toml"), 1, text);
        }
    }
    chapters
}

/// Names and values in the manifest of one chapter.
pub(super) fn check(chapter: &Chapter, findings: &mut Findings) {
    let path = chapter.folder.join("Cargo.toml");
    let manifest = text(&path);
    let mut problem = |key: &str, text: String| {
        let entry = |line: &str| line.split('=').next().is_some_and(|name| name.trim() == key);
        findings.problem(&path, line_of(&manifest, entry), text);
    };

    let folder = chapter.folder.file_name().unwrap_or_default();
    if !folder.starts_with(&format!("{}-", chapter.short_name())) {
        let expected = chapter.short_name();
        problem("chapter", format!("the folder is called {folder}, expected {expected}-NAME"));
    }
    let package = format!("practical-{folder}");
    if chapter.package != package {
        problem("name", format!("the package is called {}, expected {package}", chapter.package));
    }
    if chapter.title.trim().is_empty() {
        problem("title", "the title is empty".into());
    }
    if !(5..=180).contains(&chapter.minutes) {
        problem("minutes", format!("{} minutes, expected 5 to 180", chapter.minutes));
    }
    for need in &chapter.needs {
        if !(1..chapter.chapter).contains(need) {
            problem("needs", format!("needs chapter {need}, expected earlier chapters"));
        }
    }
}
