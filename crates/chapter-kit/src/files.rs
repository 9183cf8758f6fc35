//! Files that a reader names on the command line.

use anyhow::{Context, bail, ensure};
use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// The bytes of a file that has at most `limit` of them: whatever is named by mistake, also
/// something without an end, costs no more memory than that.
///
/// # Errors
/// If the file cannot be read or is longer; the message names it.
///
/// # Example
/// ```
/// use llm_chapter_kit::read_at_most;
///
/// let path = std::path::Path::new("Cargo.toml");
/// assert!(read_at_most(path, 1 << 20)?.starts_with(b"[package]"));
/// let error = read_at_most(path, 8).unwrap_err();
/// assert_eq!(error.to_string(), "Cargo.toml has more than 8 bytes");
/// # Ok::<(), anyhow::Error>(())
/// ```
pub fn read_at_most(path: &Path, limit: u64) -> anyhow::Result<Vec<u8>> {
    let name = path.display();
    let mut bytes = Vec::new();
    // One byte more than is allowed shows that there is one more.
    File::open(path)
        .and_then(|file| file.take(limit.saturating_add(1)).read_to_end(&mut bytes))
        .with_context(|| format!("cannot read {name}"))?;
    ensure!(bytes.len() as u64 <= limit, "{name} has more than {limit} bytes");
    Ok(bytes)
}

/// Refuses one file for two outputs: the second would replace the first. Each output has a name for
/// the message, and a place if it is wanted. A link is what it leads to.
///
/// # Errors
/// For the first place that is named twice.
///
/// # Example
/// ```
/// use llm_chapter_kit::check_output_files;
/// use std::path::PathBuf;
///
/// let [page, figure] = ["out/a", "./out/a"].map(|path| Some(PathBuf::from(path)));
/// let error = check_output_files(&[("page", &page), ("records", &None), ("figure", &figure)]);
/// assert_eq!(error.unwrap_err().to_string(), "./out/a cannot hold both page and figure");
/// ```
pub fn check_output_files(outputs: &[(&str, &Option<PathBuf>)]) -> anyhow::Result<()> {
    let mut taken: Vec<(PathBuf, &str)> = Vec::new();
    for (output, path) in outputs {
        let Some(path) = path else { continue };
        let place = place(path);
        if let Some((_, first)) = taken.iter().find(|(other, _)| *other == place) {
            bail!("{} cannot hold both {first} and {output}", path.display());
        }
        taken.push((place, output));
    }
    Ok(())
}

/// The path that all names of a file have in common, whether the file exists yet or not.
fn place(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = |folder: &Path| Some((path.strip_prefix(folder).ok()?, folder.canonicalize().ok()?));
    let mut folders = path.ancestors().filter(|folder| !folder.as_os_str().is_empty());
    let Some((missing, mut place)) = folders.find_map(real) else { return path };
    for component in missing.components() {
        match component {
            Component::ParentDir => drop(place.pop()),
            name => place.push(name),
        }
    }
    place
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn one_file_in_a_folder_that_is_not_there_yet_is_one_file_by_any_name() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| Some(root.path().join(name));
        std::fs::create_dir(root.path().join("there")).unwrap();
        std::os::unix::fs::symlink(root.path().join("there"), root.path().join("link")).unwrap();
        for (one, other) in [
            ("there/a", "link/a"),
            ("there/new/a", "link/new/a"),
            ("new/a", "new/../new/a"),
            ("new/a", "there/../new/deep/../a"),
            ("new/a", "new/./a"),
        ] {
            let outputs = [("page", &path(one)), ("figure", &path(other))];
            let error = check_output_files(&outputs).expect_err(other).to_string();
            assert!(
                error.ends_with(&format!("{other} cannot hold both page and figure")),
                "{error}"
            );
        }
        let outputs =
            [("page", &path("new/a")), ("figure", &path("new/b")), ("records", &path("a"))];
        check_output_files(&outputs).unwrap();
    }
}
