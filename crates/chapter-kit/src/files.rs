//! Small files that a reader names on the command line.

use anyhow::{Context, ensure};
use std::fs::File;
use std::io::Read;
use std::path::Path;

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
