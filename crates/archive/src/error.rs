//! Everything that can go wrong with an archive, one variant for each thing a reader can do.

use std::io;
use std::path::{Path, PathBuf};

/// Why an archive could not be made, saved, opened or used.
///
/// Only [`ArchiveError::Io`] knows the path; whoever passed a path in adds it to the others.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The file system said no: a missing file, no permission, a folder, a full disk.
    #[error("cannot {action} {path}", path = path.display())]
    Io {
        /// `"read"` or `"write"`.
        action: &'static str,
        /// The path as it was given.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Header and file disagree about the file's size, in bytes.
    #[error(
        "the header describes a file of {expected} bytes but there are {found}: \
         the file was cut off or something was added; copy it again"
    )]
    WrongSize {
        /// The size that follows from the header; where the header itself is cut off, the least possible.
        expected: u64,
        /// The size there is.
        found: u64,
    },
    /// The first eight bytes, read as the header's length, exceed the limit.
    #[error(
        "the header claims {length} bytes, the limit is {limit}: \
         this is not a safetensors file, or its first bytes are damaged"
    )]
    HeaderTooLong {
        /// The length claimed, or the length that was about to be written.
        length: u64,
        /// The longest header allowed, [`crate::MAX_HEADER_LEN`].
        limit: u64,
    },
    /// The header is not the one canonical header this crate would have written.
    #[error("malformed header: {reason}")]
    Malformed {
        /// What was found and what belongs there.
        reason: String,
    },
    /// A safetensors file of somebody else: it may be fine, but it is not an archive of ours.
    #[error(
        "a safetensors file, but not an archive of this course: {reason}; \
         an archive has the one metadata entry \"llm\", as written by `save`"
    )]
    Foreign {
        /// What is there instead of our metadata.
        reason: String,
    },
    /// The archive is of a later format, or of none.
    #[error("archive format {found} is unknown, this program reads format 1: update the program")]
    UnknownVersion {
        /// The `format_version` in the file, as JSON.
        found: String,
    },
    /// A good archive, but of something else than was asked for.
    #[error("this archive holds a {found:?}, a {expected:?} is needed")]
    WrongKind {
        /// The kind asked for.
        expected: String,
        /// The kind in the file.
        found: String,
    },
    /// One tensor's entry is impossible, or contradicts the list in the metadata.
    #[error("tensor {tensor:?}: {problem}")]
    Table {
        /// The tensor's name.
        tensor: String,
        /// What was found and what belongs there.
        problem: String,
    },
    /// The bytes are not those that were saved.
    #[error(
        "content is damaged: its SHA-256 is {computed}, the header says {declared}; \
         copy or save the file again"
    )]
    DigestMismatch {
        /// The digest in the header, 64 hexadecimal digits.
        declared: String,
        /// The digest of what was read.
        computed: String,
    },
    /// Whole and undamaged, but not usable as what it claims to be; or not fit to be stored.
    #[error("unusable content: {reason}")]
    Content {
        /// What was found, what was expected.
        reason: String,
    },
}

impl ArchiveError {
    pub(crate) fn reading(path: &Path, source: io::Error) -> Self {
        Self::Io { action: "read", path: path.to_path_buf(), source }
    }

    pub(crate) fn writing(path: &Path, source: io::Error) -> Self {
        Self::Io { action: "write", path: path.to_path_buf(), source }
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        Self::Malformed { reason: reason.into() }
    }

    /// The parser's complaint may quote the file.
    pub(crate) fn bad_json(part: &str, error: &serde_json::Error) -> Self {
        Self::malformed(format!("{part}: {}", excerpt(&error.to_string())))
    }

    pub(crate) fn table(tensor: &str, problem: impl Into<String>) -> Self {
        Self::Table { tensor: excerpt(tensor), problem: problem.into() }
    }

    pub(crate) fn content(reason: impl Into<String>) -> Self {
        Self::Content { reason: reason.into() }
    }
}

/// The beginning of text that came from a file, on one line: a hostile file must not be able to
/// fill the screen or to fake lines of output.
pub(crate) fn excerpt(text: &str) -> String {
    const SHOWN: usize = 100;
    let mut shown: String =
        text.chars().take(SHOWN).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}
