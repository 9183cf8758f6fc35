//! `./course check`: what a reader would stumble over and no compiler sees.
//!
//! One file for each kind of problem. They look at the workspace and add to [`Findings`]; nothing is
//! changed, and only `exercises` and `outputs` build anything.

mod arrows;
mod exercises;
mod findings;
mod lesson;
mod links;
mod manifest;
mod outputs;
mod sizes;

use crate::chapter::{Chapter, named, workspace_metadata};
use crate::exercise::package;
use crate::outcome::Outcome;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Metadata, Package};
use clap::Args;
use findings::{Findings, counted};
use std::fs;

/// What to check, and how strictly.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Chapters, for example ch16; if none is named, all chapters, the crates and the documents
    chapters: Vec<String>,
    /// Count gaps (a TODO, a chapter without an exercise in code) as problems
    #[arg(long)]
    finished: bool,
    /// Leave out what has to be compiled: whether exercises fail and their solutions pass, and
    /// whether lessons show what their programs print
    #[arg(long)]
    no_build: bool,
}

/// Checks the workspace around the current folder. Passes if there is no problem; gaps are only
/// counted, unless `--finished` asks for more.
///
/// # Errors
/// If there is no workspace, or no such chapter. Problems are no errors but the result.
pub fn check(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let workspace = workspace_metadata()?;
    let mut findings = Findings::new(&workspace.workspace_root);
    let chapters = manifest::chapters(&workspace, &mut findings);

    let selected: anyhow::Result<Vec<&Chapter>> = if args.chapters.is_empty() {
        Ok(chapters.iter().collect())
    } else {
        args.chapters.iter().map(|name| named(&chapters, name)).collect()
    };
    let selected = match selected {
        // Perhaps its manifest cannot be read, which says more than that there is no such chapter.
        Err(_) if !findings.is_empty() => return Ok(findings.outcome("manifests", args.finished)),
        selected => selected?,
    };
    for chapter in &selected {
        manifest::check(chapter, &mut findings);
        lesson::check(&workspace, chapter, &mut findings);
    }
    exercises::check(&workspace, &selected, !args.no_build, &mut findings);
    if !args.no_build {
        outputs::check(&workspace, &selected, &mut findings);
    }

    let packages: Vec<&Package> = if args.chapters.is_empty() {
        workspace.workspace_packages()
    } else {
        selected.iter().filter_map(|chapter| package(&workspace, chapter)).collect()
    };
    for package in &packages {
        sizes::check(package, &mut findings);
        arrows::check(package, &mut findings);
    }
    for page in pages(&workspace, &packages, args.chapters.is_empty()) {
        links::check(&workspace.workspace_root, &page, &mut findings);
    }

    let (chapters, packages) =
        (counted(selected.len(), "chapter"), counted(packages.len(), "package"));
    Ok(findings.outcome(&format!("{chapters}, {packages}"), args.finished))
}

/// The Markdown pages: the README of each package, and those that belong to the whole workspace.
fn pages(workspace: &Metadata, packages: &[&Package], all: bool) -> Vec<Utf8PathBuf> {
    let root = &workspace.workspace_root;
    let mut pages: Vec<Utf8PathBuf> =
        packages.iter().map(|p| p.manifest_path.with_file_name("README.md")).collect();
    pages.retain(|page| page.exists());
    if all {
        for folder in [root.clone(), root.join("docs"), root.join("practicals")] {
            pages.extend(files(&folder, false).into_iter().filter(|f| f.extension() == Some("md")));
        }
    }
    pages
}

/// The files in a folder, and in the folders below if `deep`, by name. Empty if it cannot be read.
fn files(folder: &Utf8Path, deep: bool) -> Vec<Utf8PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(path) = Utf8PathBuf::from_path_buf(entry.path()) else { continue };
        if !path.is_dir() {
            found.push(path);
        } else if deep {
            found.extend(files(&path, true));
        }
    }
    found.sort();
    found
}

/// The text of a file; empty if there is none, which the check that needs it reports.
fn text(path: &Utf8Path) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

/// The number of the first line that `is_it`, from 1; 1 if there is none.
fn line_of(text: &str, is_it: impl Fn(&str) -> bool) -> usize {
    text.lines().position(is_it).map_or(1, |index| index + 1)
}
