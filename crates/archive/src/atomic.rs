//! Files that appear complete or not at all.
//!
//! Writing in place can leave half a file behind: the disk is full, somebody presses Ctrl-C, the
//! machine loses power. So the bytes go into a *draft* that has no name yet, are forced to the
//! disk, and only then get the name, in one step of the file system. Whoever opens the name finds the
//! old file or the new one, never a mixture.

mod draft;

use std::fs;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf, is_separator};

use crate::error::ArchiveError;
use draft::Draft;

/// Creates or replaces the file `path` with what `write` writes.
///
/// - Missing parent folders are created (and stay, should writing fail).
/// - After an `Ok`, file and name are on the disk, not only in a cache.
/// - After an error, a file that was there before is unchanged, and nothing else is left.
/// - The file gets the permissions of a newly created one (the umask applies), also where it
///   replaces another.
/// - A symbolic link is followed, as by any program that writes to a file: the file it leads to is
///   replaced, the link stays. A link that leads nowhere is refused, and so is everything that is
///   not a regular file: replacing `/dev/null` would harm the whole system.
/// - Two processes that save the same path at once do not disturb each other; the later one wins.
///
/// If the process is killed, nothing is left behind on Linux, where drafts need no name (the one
/// exception, some microseconds long, is described at `Draft::publish`). On other systems, and on
/// file systems without nameless files (NFS, FAT), a kill can leave a hidden `.partial` file.
///
/// # Errors
/// [`ArchiveError::Io`] with the path, for every failure of the file system and every error that
/// `write` returns.
///
/// # Example
/// ```
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("figures/loss.svg");
/// llm_archive::write_atomically(&path, |file| file.write_all(b"<svg/>"))?;
/// assert_eq!(std::fs::read(&path)?, b"<svg/>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_atomically(
    path: impl AsRef<Path>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), ArchiveError> {
    let path = path.as_ref();
    replace(path, Draft::create, write).map_err(|error| ArchiveError::writing(path, error))
}

/// Whether [`write_atomically`] would find a place at `path`: asked before long work whose result is
/// to be written there. Missing parent folders are created, and nothing else changes.
///
/// # Errors
/// [`ArchiveError::Io`] as for `write_atomically`. A disk that is full later is not foreseen.
///
/// # Example
/// ```
/// let folder = tempfile::tempdir()?;
/// llm_archive::check_writable(folder.path().join("result.json"))?;
/// assert!(llm_archive::check_writable(folder.path()).is_err()); // a folder
/// assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), ArchiveError> {
    let path = path.as_ref();
    draft_for(path, Draft::create).map(drop).map_err(|error| ArchiveError::writing(path, error))
}

/// [`write_atomically`] with a choice of draft.
fn replace(
    path: &Path,
    create: impl FnOnce(&Folder) -> io::Result<Draft>,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let (target, folder, draft) = draft_for(path, create)?;
    let mut writer = BufWriter::new(draft.file());
    write(&mut writer)?;
    writer.flush()?;
    drop(writer);
    // Before the name, not after it: else a power failure could leave the name with no bytes.
    draft.file().sync_all()?;
    draft.publish(&folder, &target)?;
    folder.sync()
}

/// The file that will really be created or replaced, its folder, and a draft in that folder.
fn draft_for(
    path: &Path,
    create: impl FnOnce(&Folder) -> io::Result<Draft>,
) -> io::Result<(PathBuf, Folder, Draft)> {
    let target = resolve(path)?;
    create_folders(parent(&target))?;
    let folder = Folder::open(parent(&target))?;
    let draft = create(&folder)?;
    Ok((target, folder, draft))
}

/// The path of the file that will really be created or replaced.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    let refuse = |kind, reason: &str| Err(io::Error::new(kind, reason));
    let names_a_folder =
        path.to_string_lossy().ends_with(is_separator) || path.file_name().is_none();
    match fs::metadata(path) {
        Ok(found) if found.is_dir() => refuse(io::ErrorKind::IsADirectory, "is a folder"),
        Ok(found) if !found.is_file() => {
            refuse(io::ErrorKind::InvalidInput, "is a device or a pipe, not a file")
        }
        Ok(_) => fs::canonicalize(path),
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Err(_) if names_a_folder => {
            refuse(io::ErrorKind::InvalidInput, "is the name of a folder, not of a file")
        }
        Err(_) if path.is_symlink() => {
            refuse(io::ErrorKind::NotFound, "is a symbolic link that leads nowhere")
        }
        Err(_) => Ok(path.to_path_buf()),
    }
}

/// The folder of a file; a bare name is in the current one.
fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Creates what is missing of `folder`, and forces the new names to the disk.
fn create_folders(folder: &Path) -> io::Result<()> {
    let missing: Vec<&Path> = folder.ancestors().take_while(|folder| !is_there(folder)).collect();
    fs::create_dir_all(folder)?;
    missing.into_iter().rev().try_for_each(|created| Folder::open(parent(created))?.sync())
}

/// Whether a folder needs no creation. The last ancestor of a relative path is the empty one.
fn is_there(folder: &Path) -> bool {
    folder.as_os_str().is_empty() || folder.exists()
}

/// An open folder. Opened before anything is written, so that a folder that cannot be synced is
/// found out while nothing has changed.
struct Folder {
    path: PathBuf,
    /// Elsewhere a folder cannot be opened like a file.
    #[cfg(unix)]
    handle: File,
}

impl Folder {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_path_buf(),
            #[cfg(unix)]
            handle: File::open(path)?,
        })
    }

    /// Forces the names in the folder to the disk.
    #[cfg(unix)]
    fn sync(&self) -> io::Result<()> {
        match self.handle.sync_all() {
            // Some network file systems know no such request; there is nothing more one could do.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
            result => result,
        }
    }

    /// Elsewhere the names are left to the file system's journal.
    #[cfg(not(unix))]
    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests;
