//! What the manifests of the workspace say about its chapters.

use anyhow::{Context, anyhow, ensure};
use cargo_metadata::camino::Utf8PathBuf;
use cargo_metadata::{Metadata, MetadataCommand, Package};
use serde::{Deserialize, Serialize};

/// One chapter, as its manifest describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Chapter {
    /// Its number; unique in the workspace.
    pub chapter: u32,
    /// Its title.
    pub title: String,
    /// How long a learner needs, in minutes.
    pub minutes: u32,
    /// The chapters that are helpful before it.
    pub needs: Vec<u32>,
    /// The package that holds it, for `cargo run -p`.
    pub package: String,
    /// The folder of the package.
    #[serde(skip)]
    pub folder: Utf8PathBuf,
}

impl Chapter {
    /// How commands and folders call it: `ch05`.
    #[must_use]
    pub fn short_name(&self) -> String {
        format!("ch{:02}", self.chapter)
    }
}

/// The table `[package.metadata.course]` of a chapter's manifest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CourseTable {
    chapter: u32,
    title: String,
    minutes: u32,
    #[serde(default)]
    needs: Vec<u32>,
}

/// Asks cargo about the workspace around the current folder; dependencies are left out, so this
/// needs neither a network nor anything fetched.
///
/// # Errors
/// If cargo does not start or there is no valid workspace; the message is cargo's.
pub fn workspace_metadata() -> anyhow::Result<Metadata> {
    MetadataCommand::new().no_deps().exec().context("cannot read the workspace")
}

/// All chapters of a workspace, by number: the packages that have a `[package.metadata.course]`.
///
/// # Errors
/// If such a table lacks an entry or has one of the wrong type, or if two packages claim the same
/// number. The message names the packages.
pub fn chapters(workspace: &Metadata) -> anyhow::Result<Vec<Chapter>> {
    let mut chapters = Vec::new();
    for package in workspace.workspace_packages() {
        chapters.extend(chapter_of(package)?);
    }
    chapters.sort_by_key(|chapter| chapter.chapter);
    for pair in chapters.windows(2) {
        ensure!(
            pair[0].chapter != pair[1].chapter,
            "{} and {} both say that they are chapter {}; give one of them a free number",
            pair[0].package,
            pair[1].package,
            pair[0].chapter,
        );
    }
    Ok(chapters)
}

/// The chapter in `package`, if it is one.
pub(crate) fn chapter_of(package: &Package) -> anyhow::Result<Option<Chapter>> {
    let Some(table) = package.metadata.get("course") else { return Ok(None) };
    let CourseTable { chapter, title, minutes, needs } = CourseTable::deserialize(table)
        .with_context(|| format!("[package.metadata.course] of {}", package.name))?;
    let folder = package.manifest_path.parent().context("a manifest lies in a folder")?.to_owned();
    Ok(Some(Chapter { chapter, title, minutes, needs, package: package.name.to_string(), folder }))
}

/// The chapter that somebody calls `name`: `ch05`, `5`, its folder or its package.
///
/// # Errors
/// If there is none; the message lists those that exist.
pub(crate) fn named<'a>(chapters: &'a [Chapter], name: &str) -> anyhow::Result<&'a Chapter> {
    let number = name.strip_prefix("ch").unwrap_or(name).parse::<u32>().ok();
    let found = chapters.iter().find(|chapter| {
        Some(chapter.chapter) == number
            || chapter.package == name
            || chapter.folder.file_name() == Some(name)
    });
    found.ok_or_else(|| {
        let known: Vec<String> = chapters.iter().map(Chapter::short_name).collect();
        anyhow!("there is no chapter `{name}`, expected one of {}", known.join(", "))
    })
}
