//! `./course new-chapter`: a chapter that works, to be filled in.

mod template;

use crate::chapter::{Chapter, chapters, workspace_metadata};
use anyhow::{Context, bail, ensure};
use cargo_metadata::camino::Utf8Path;
use clap::Args;
use std::fs;
use std::process::{Command, Stdio};

/// Which chapter to write.
#[derive(Debug, Args)]
pub struct NewChapterArgs {
    /// Its name in folders and commands, in kebab-case without a number: my-topic
    name: String,
    /// Its number, 1 to 99; the next after the highest if nothing is said
    #[arg(long)]
    number: Option<u32>,
    /// Its title; made from the name if nothing is said
    #[arg(long)]
    title: Option<String>,
}

/// Writes `practicals/chNN-NAME` from the templates and adds it to `Cargo.lock`. The text says what
/// to do next.
///
/// The folder appears complete or not at all: it is written beside `practicals`, renamed into place,
/// and taken away again if cargo does not accept it.
///
/// # Errors
/// If the name, number or title cannot be used, if there is such a chapter, if something cannot be
/// written, or if cargo refuses the result.
pub fn new_chapter(args: &NewChapterArgs) -> anyhow::Result<String> {
    let workspace = workspace_metadata()?;
    let root = &workspace.workspace_root;
    let existing = chapters(&workspace)?;
    let name = free_name(&args.name, &existing)?;
    let plan = template::Plan {
        number: number(args.number, &existing)?,
        title: title(args.title.as_deref(), name)?,
        name: name.to_owned(),
    };
    let folder = root.join("practicals").join(plan.folder_name());
    let shown = format!("practicals/{}", plan.folder_name());
    ensure!(!folder.exists(), "{shown} is already there; choose another name or number");

    let draft = tempfile::Builder::new().prefix(".new-chapter-").tempdir_in(root);
    let draft = draft.with_context(|| format!("cannot write to {root}"))?;
    plan.write(draft.path()).with_context(|| format!("cannot write to {root}"))?;
    fs::rename(draft.path().join("chapter"), &folder)
        .with_context(|| format!("cannot create {shown}"))?;
    if let Err(error) = add_to_lock(root) {
        fs::remove_dir_all(&folder).with_context(|| format!("cannot remove {shown} again"))?;
        return Err(error.context(format!("cannot add {shown} to the workspace")));
    }

    let short = format!("ch{:02}", plan.number);
    Ok(format!(
        "\
wrote {shown}, which builds and runs as it is:
  ./course run cargo run --quiet --offline --locked -p {}
fill in what is marked TODO(chapter), in this order: src/lib.rs, tests/it, README.md, exercises
  ./course check {short}
  ./course run cargo test --offline --locked -p {}
practicals/README.md says more
",
        plan.package(),
        plan.package()
    ))
}

/// The wanted number, if it is free.
fn number(wanted: Option<u32>, existing: &[Chapter]) -> anyhow::Result<u32> {
    let highest = existing.iter().map(|chapter| chapter.chapter).max().unwrap_or(0);
    let number = wanted.unwrap_or(highest + 1);
    ensure!((1..=99).contains(&number), "chapter number {number}, expected 1 to 99");
    if let Some(other) = existing.iter().find(|chapter| chapter.chapter == number) {
        bail!("chapter {number} is {} already; leave --number out for a free one", other.package);
    }
    Ok(number)
}

/// The name, if it is in kebab-case and no other chapter's.
fn free_name<'a>(name: &'a str, existing: &[Chapter]) -> anyhow::Result<&'a str> {
    let lower = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let words = || name.split('-').all(|word| !word.is_empty() && word.chars().all(lower));
    ensure!(
        name.starts_with(|c: char| c.is_ascii_lowercase()) && words(),
        "`{name}` is no name for a chapter, expected words of a to z and 0 to 9 joined by single \
         hyphens, such as my-topic"
    );
    ensure!(name.len() <= 40, "`{name}` has {} letters, expected at most 40", name.len());
    let first = name.split('-').next().and_then(|word| word.strip_prefix("ch"));
    ensure!(
        first.is_none_or(|rest| rest.is_empty() || !rest.chars().all(|c| c.is_ascii_digit())),
        "`{name}` begins with a number of a chapter; leave it out, or use --number"
    );
    for chapter in existing {
        let folder = chapter.folder.file_name().unwrap_or_default();
        if folder.split_once('-').is_some_and(|(_, other)| other == name) {
            bail!("there is a chapter `{name}` already, {}; choose another name", chapter.package);
        }
    }
    Ok(name)
}

/// The wanted title, or the name, which is in kebab-case, in words.
fn title(wanted: Option<&str>, name: &str) -> anyhow::Result<String> {
    let Some(title) = wanted else {
        let words = name.replace('-', " ");
        let (first, rest) = words.split_at(usize::from(!words.is_empty()));
        return Ok(first.to_uppercase() + rest);
    };
    let usable = |c: char| !c.is_control() && !"\"\\`".contains(c);
    ensure!(
        !title.trim().is_empty() && title.trim() == title && title.chars().all(usable),
        "title {title:?}, expected one line without quotes, backslashes or spaces around it"
    );
    Ok(title.to_owned())
}

/// Gives each member of the workspace its entry in `Cargo.lock` and changes no version. If cargo
/// refuses, the file is as it was.
fn add_to_lock(root: &Utf8Path) -> anyhow::Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["update", "--workspace", "--offline", "--quiet"])
        .current_dir(root)
        .stdin(Stdio::null())
        .output()
        .context("cannot start cargo")?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}", message.trim().trim_start_matches("error: "));
    Ok(())
}

#[cfg(test)]
mod tests;
