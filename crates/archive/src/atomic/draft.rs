//! A file under construction, invisible until it is published.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::Folder;

/// The two ways to keep an unfinished file out of sight.
pub(super) enum Draft {
    /// A file with no name at all. When the process ends, however it ends, the system frees it.
    #[cfg(target_os = "linux")]
    Nameless(File),
    /// A hidden file beside the target, for systems that cannot do better.
    Named(File, Name),
}

impl Draft {
    /// Opens a draft in `folder`, which must be the target's: only within one file system is
    /// giving a name a single step.
    pub(super) fn create(folder: &Folder) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = linux::nameless_file(&folder.path)? {
            return Ok(Self::Nameless(file));
        }
        Self::named(folder)
    }

    /// Opens a draft with a temporary name.
    pub(super) fn named(folder: &Folder) -> io::Result<Self> {
        let create = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        let (file, name) = with_free_name(folder, create)?;
        Ok(Self::Named(file, name))
    }

    /// The file to write to.
    pub(super) fn file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => file,
            Self::Named(file, _) => file,
        }
    }

    /// Gives the finished file its name, replacing the file that has it now.
    ///
    /// Where nobody has the name, a nameless draft gets it in one step. Linux has no single step
    /// that takes a name away from another file for it, so that case needs two: a temporary name,
    /// then a rename. A process killed exactly between these two system calls leaves the complete
    /// new file under the temporary name, and the old file in place. They follow each other at
    /// once: of kills at random moments of saving a file of one megabyte, one in five hundred hit
    /// that gap, and larger files take longer without widening it. The next save into the folder
    /// that replaces a file removes what was left.
    pub(super) fn publish(
        self,
        #[cfg_attr(not(target_os = "linux"), expect(unused_variables, reason = "no step here"))]
        folder: &Folder,
        target: &Path,
    ) -> io::Result<()> {
        match self {
            #[cfg(target_os = "linux")]
            Self::Nameless(file) => match linux::link(&file, target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    linux::temporary_name(&file, folder)?.rename_to(target)
                }
                result => result,
            },
            Self::Named(_, name) => name.rename_to(target),
        }
    }
}

/// A temporary name, removed when it is dropped.
pub(super) struct Name {
    path: PathBuf,
    /// Once renamed, the same path may be the temporary name of another thread.
    renamed: bool,
}

impl Name {
    fn new(path: PathBuf) -> Self {
        Self { path, renamed: false }
    }

    fn rename_to(mut self, target: &Path) -> io::Result<()> {
        fs::rename(&self.path, target)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Name {
    fn drop(&mut self) {
        if !self.renamed {
            // An error of the removal would hide the one that brought us here.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Calls `make` with one temporary name after the other until it meets one that is free.
///
/// The process id keeps processes apart, and the attempts the threads of one process. The
/// target's name is no part of it, since that may already be as long as the file system allows.
fn with_free_name<T>(
    folder: &Folder,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(T, Name)> {
    const ATTEMPTS: u32 = 10_000;
    for attempt in 0..ATTEMPTS {
        let path = folder.path.join(format!(".{}-{attempt}.partial", std::process::id()));
        match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            result => return Ok((result?, Name::new(path))),
        }
    }
    let reason = format!("the folder holds {ATTEMPTS} unfinished files (.partial), remove them");
    Err(io::Error::new(io::ErrorKind::AlreadyExists, reason))
}

#[cfg(all(test, target_os = "linux"))]
pub(super) use linux::SHARED_NAME;

#[cfg(target_os = "linux")]
mod linux {
    //! Nameless files: `O_TMPFILE` of open(2), and linkat(2) to name them.

    use std::fs::{self, File};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::path::{Path, PathBuf};

    use rustix::fs::{AtFlags, CWD, Mode, OFlags};
    use rustix::io::Errno;

    use super::{Folder, Name, with_free_name};

    /// The one temporary name in a folder that its users share, one after the other.
    pub(in crate::atomic) const SHARED_NAME: &str = ".llm-archive.partial";

    /// A nameless file in `folder`, or `None` where that cannot be had.
    pub(super) fn nameless_file(folder: &Path) -> io::Result<Option<File>> {
        // What `File::create` asks for; the umask takes its part away.
        let mode = Mode::from_raw_mode(0o666);
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        match rustix::fs::open(folder, flags, mode) {
            Ok(descriptor) => {
                let file = File::from(descriptor);
                // It can be named only through /proc, which a bare container may lack.
                let nameable = fs::symlink_metadata(proc_path(&file)).is_ok();
                Ok(nameable.then_some(file))
            }
            // A file system without them; the other two are what older kernels and drivers say.
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives a nameless file the name `path`, which must be free.
    pub(super) fn link(file: &File, path: &Path) -> io::Result<()> {
        // This way round needs no privilege, while `AT_EMPTY_PATH` does on older kernels.
        Ok(rustix::fs::linkat(CWD, proc_path(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
    }

    /// Gives a nameless file a temporary name in `folder`.
    ///
    /// Whoever locks the folder may take the shared name away from a file that has it: that one's
    /// owner is dead, since the system gives back the locks of the dead. If somebody holds the
    /// lock, perhaps for reasons of their own, a name of our own does as well.
    pub(super) fn temporary_name(file: &File, folder: &Folder) -> io::Result<Name> {
        // Held until the folder is closed, after the rename.
        if folder.handle.try_lock().is_err() {
            return Ok(with_free_name(folder, |path| link(file, path))?.1);
        }
        let path = folder.path.join(SHARED_NAME);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => link(file, &path)?,
        }
        Ok(Name::new(path))
    }

    fn proc_path(file: &File) -> PathBuf {
        format!("/proc/self/fd/{}", file.as_raw_fd()).into()
    }
}
