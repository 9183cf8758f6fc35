//! Save a file so that a crash leaves the old one or the new one, never half of it: a solution.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Writes what `write` writes as the file `path`. If anything goes wrong on the way, whatever was there
/// before is still there, and nothing else is.
pub fn save(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    // In the same folder, hence on the same disk: only there is a change of name one step.
    let draft = path.with_extension("draft");
    let written = File::create(&draft).and_then(|mut file| {
        write(&mut file)?;
        file.sync_all() // the content must be on the disk before the name is
    });
    let saved = written.and_then(|()| fs::rename(&draft, path));
    if saved.is_err() {
        let _ = fs::remove_file(&draft); // the first error is the one to report
    }
    saved
}

#[cfg(test)]
mod tests;
