//! Opening files that come from elsewhere.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use llm_archive::open_regular_file;

use crate::error::InteropError;

/// Opens a regular file and gives its size in bytes. A symbolic link is followed: the cache of
/// `huggingface_hub` consists of them.
///
/// # Errors
/// [`InteropError::Io`] also for a folder, a pipe or a device.
pub(crate) fn open(path: &Path) -> Result<(File, u64), InteropError> {
    open_regular_file(path).map_err(|error| InteropError::reading(path, error))
}

/// The bytes of a file of at most `limit` bytes.
///
/// # Errors
/// [`InteropError::Io`], and [`InteropError::Malformed`] for a larger file.
pub(crate) fn read(path: &Path, limit: u64) -> Result<Vec<u8>, InteropError> {
    let (file, _) = open(path)?;
    let mut bytes = Vec::new();
    // One byte more than allowed tells too much from just enough, also where the file grows.
    let read = file.take(limit + 1).read_to_end(&mut bytes);
    read.map_err(|error| InteropError::reading(path, error))?;
    if bytes.len() as u64 > limit {
        let problem = format!("is larger than {limit} bytes, more than such a file ever needs");
        return Err(InteropError::malformed(path, problem));
    }
    Ok(bytes)
}

/// The beginning of text that came from a file, on one line: a hostile file must not fill the screen
/// or fake lines of output.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 120;
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = text.chars().take(SHOWN).map(printable).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}
