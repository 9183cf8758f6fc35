//! Opening files that come from elsewhere.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use crate::error::InteropError;

/// Opens a regular file and gives its size in bytes. A symbolic link is followed: the cache of
/// `huggingface_hub` consists of them.
///
/// # Errors
/// [`InteropError::Io`] also for a folder, a pipe or a device.
pub(crate) fn open(path: &Path) -> Result<(File, u64), InteropError> {
    let open = || {
        // Asked before opening: a named pipe without a writer would block there for ever.
        if !fs::metadata(path)?.is_file() {
            let reason = "not a regular file (a folder, a pipe or a device)";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
        }
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok((file, len))
    };
    open().map_err(|error| InteropError::reading(path, error))
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
