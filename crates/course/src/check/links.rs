//! Links in Markdown pages: files and lines that are there.

use super::{Findings, text};
use cargo_metadata::camino::Utf8Path;
use llm_chapter_kit::fenced_blocks;

/// Checks every link of a page that leads into the repository: the file or folder exists, a line
/// `#L12` or `#L12-L20` too, and `#a-heading` is one of the page it leads to.
pub(super) fn check(root: &Utf8Path, page: &Utf8Path, findings: &mut Findings) {
    let content = text(page);
    for (line, target) in links(&content) {
        if let Err(problem) = follow(root, page, target) {
            findings.problem(page, line, format!("link to `{target}`: {problem}"));
        }
    }
}

/// Line number and target of each link `[text](target)` outside of code.
fn links(page: &str) -> Vec<(usize, &str)> {
    let blocks = fenced_blocks(page);
    let in_code =
        |line: usize| blocks.iter().any(|b| (b.line..=b.line + b.lines.len() + 1).contains(&line));
    let mut found = Vec::new();
    for (index, line) in page.lines().enumerate() {
        if in_code(index + 1) || line.starts_with("    ") {
            continue;
        }
        for rest in line.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            found.push((index + 1, target));
        }
    }
    found
}

/// # Errors
/// What is not there.
fn follow(root: &Utf8Path, page: &Utf8Path, target: &str) -> Result<(), String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return Ok(()); // no check needs a network
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().unwrap_or(page);
    let file = if path.is_empty() { page.to_owned() } else { folder.join(path) };
    if !file.exists() {
        return Err(format!("there is no {path}"));
    }
    let real = |path: &Utf8Path| path.canonicalize_utf8().map_err(|error| error.to_string());
    if !real(&file)?.starts_with(real(root)?) {
        return Err("it leads out of the repository".into());
    }
    if anchor.is_empty() {
        return Ok(());
    }
    let content = text(&file);
    if file.extension() == Some("md") {
        let headings = content.lines().filter(|line| line.starts_with('#'));
        let found = headings.map(slug).any(|slug| slug == anchor);
        return if found { Ok(()) } else { Err(format!("there is no heading #{anchor}")) };
    }
    let lines = content.lines().count();
    let number = |text: &str| text.strip_prefix('L')?.parse::<usize>().ok();
    let (first, last) = anchor.split_once('-').unwrap_or((anchor, anchor));
    match (number(first), number(last)) {
        (Some(first), Some(last)) if (1..=last).contains(&first) && last <= lines => Ok(()),
        (Some(_), Some(_)) => Err(format!("the file has lines 1 to {lines}")),
        _ => Err(format!("`#{anchor}` is no line, expected #L12 or #L12-L20")),
    }
}

/// The anchor of a heading, as GitHub makes it: lower case, hyphens for spaces, no punctuation.
fn slug(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_in_code_are_none() {
        let page =
            "[a](b.rs) and [`c`](d.rs#L3 \"title\")\n```text\n[x](y)\n```\n    [x](y)\n[e](f)";
        assert_eq!(links(page), [(1, "b.rs"), (1, "d.rs#L3"), (6, "f")]);
    }

    #[test]
    fn headings_become_anchors_as_on_github() {
        assert_eq!(
            slug("## What this establishes, and what not"),
            "what-this-establishes-and-what-not"
        );
        assert_eq!(slug("# 16 · Über `x_y`"), "16--über-x_y");
    }
}
