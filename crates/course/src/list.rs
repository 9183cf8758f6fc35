//! `./course list`: the chapters as a table or as JSON.

use crate::chapter::{Chapter, chapters, workspace_metadata};
use anyhow::Context;
use clap::Args;
use serde::Serialize;
use std::fmt::Write;

/// How to show the chapters.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Print one JSON object, `{"chapters": [...]}`, instead of a table.
    #[arg(long)]
    json: bool,
}

/// The one object that `--json` prints.
#[derive(Serialize)]
struct ChapterList<'a> {
    chapters: &'a [Chapter],
}

/// The chapters of the workspace around the current folder, ready to print.
///
/// # Errors
/// Those of [`workspace_metadata`] and [`chapters`].
pub fn list(args: &ListArgs) -> anyhow::Result<String> {
    let chapters = chapters(&workspace_metadata()?)?;
    if !args.json {
        return Ok(table(&chapters));
    }
    let json = serde_json::to_string_pretty(&ChapterList { chapters: &chapters })
        .context("cannot write the list as JSON")?;
    Ok(json + "\n")
}

/// The chapters in columns, one a line, and below them the command that runs one.
#[must_use]
pub fn table(chapters: &[Chapter]) -> String {
    let width = chapters.iter().map(|c| c.title.chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!("chapter  minutes  {:width$}  package\n", "title");
    for Chapter { chapter, title, minutes, package, .. } in chapters {
        writeln!(text, "{chapter:>7}  {minutes:>7}  {title:width$}  {package}")
            .expect("a String takes any text");
    }
    text.push_str("\nrun one: ./course run cargo run --quiet --offline --locked -p PACKAGE\n");
    text
}
