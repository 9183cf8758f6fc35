//! Save a file so that a crash leaves the old one or the new one, never half of it.

use std::fs::File;
use std::io;
use std::path::Path;

/// Writes what `write` writes as the file `path`. If anything goes wrong on the way, whatever was there
/// before is still there, and nothing else is.
pub fn save(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // The old checkpoint is gone from here on, and the new one is not yet complete.
    let mut file = File::create(path)?;
    write(&mut file)?;
    file.sync_all()
}

#[cfg(test)]
mod tests;
