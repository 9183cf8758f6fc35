//! Reading an archive from anything that can be read, as long as its size is known.
//!
//! Files and bytes in memory go the same way. The size comes first: what the header claims is
//! compared with it before memory is taken, so a header of twenty bytes cannot ask for gigabytes.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::ArchiveError;
use crate::header::{Header, LENGTH_FIELD, check_length};
use crate::tensor::{PIECE_BYTES, TensorData, Values};

/// A reader, its size in bytes, and the path for error messages.
pub(crate) struct Source<R> {
    reader: R,
    len: u64,
    path: PathBuf,
}

impl Source<File> {
    /// Opens a file for reading.
    ///
    /// # Errors
    /// [`ArchiveError::Io`] if there is no such file or it is not a regular one.
    pub(crate) fn open(path: &Path) -> Result<Self, ArchiveError> {
        let (reader, len) =
            open_regular_file(path).map_err(|error| ArchiveError::reading(path, error))?;
        Ok(Self { reader, len, path: path.to_path_buf() })
    }
}

/// Opens a regular file and gives its size in bytes. Symbolic links are followed.
///
/// # Errors
/// What the system says, and [`io::ErrorKind::InvalidInput`] for a folder, a pipe or a device.
pub fn open_regular_file(path: &Path) -> io::Result<(File, u64)> {
    // Asked before opening: a named pipe without a writer would block there for ever.
    if !fs::metadata(path)?.is_file() {
        let reason = "not a regular file (a folder, a pipe or a device)";
        return Err(io::Error::new(io::ErrorKind::InvalidInput, reason));
    }
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    Ok((file, len))
}

impl<'a> Source<&'a [u8]> {
    /// Reads from memory.
    pub(crate) fn from_bytes(bytes: &'a [u8]) -> Self {
        Self { reader: bytes, len: bytes.len() as u64, path: "<memory>".into() }
    }
}

impl<R: Read> Source<R> {
    /// Reads and checks the header, and that the size of the file follows from it.
    pub(crate) fn read_header(&mut self, kind: Option<&str>) -> Result<Header, ArchiveError> {
        self.demand_at_least(LENGTH_FIELD)?;
        let mut length = [0; LENGTH_FIELD as usize];
        self.read_exact(&mut length)?;
        let length = u64::from_le_bytes(length);
        check_length(length)?;
        self.demand_at_least(LENGTH_FIELD + length)?;

        // No overflow and no surprise: the limit has just been checked, and the file is as large.
        let mut text = vec![0; length as usize];
        self.read_exact(&mut text)?;
        let header = Header::decode(&text, kind)?;

        // Saturating: a sum beyond 64 bits is not the size of any file.
        let expected = (LENGTH_FIELD + length).saturating_add(header.data_len());
        if expected != self.len {
            return Err(ArchiveError::WrongSize { expected, found: self.len });
        }
        Ok(header)
    }

    /// Reads the tensors that follow the header, and checks that they are those that were saved.
    pub(crate) fn read_tensors(
        mut self,
        header: &Header,
    ) -> Result<Vec<TensorData<'static>>, ArchiveError> {
        let mut hasher = Sha256::new_with_prefix(header.identity_json()?);
        let mut tensors = Vec::with_capacity(header.tensors().len());
        for info in header.tensors() {
            let reader = &mut self.reader;
            let seen = &mut |piece: &[u8]| hasher.update(piece);
            let values = Values::read(info.dtype(), info.element_count(), reader, seen)
                .map_err(|error| ArchiveError::reading(&self.path, error))?;
            tensors.push(TensorData::new(info.name(), info.shape().to_vec(), values));
        }
        self.demand_digest(header, hasher)?;
        Ok(tensors)
    }

    /// Reads what follows the header, checks that it is what was saved, and keeps none of it.
    pub(crate) fn verify(
        mut self,
        header: &Header,
        progress: &mut dyn FnMut(u64),
    ) -> Result<(), ArchiveError> {
        let mut hasher = Sha256::new_with_prefix(header.identity_json()?);
        let mut piece = vec![0; PIECE_BYTES];
        let mut left = header.data_len();
        while left > 0 {
            let len = piece.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.read_exact(&mut piece[..len])?;
            hasher.update(&piece[..len]);
            left -= len as u64;
            progress(len as u64);
        }
        self.demand_digest(header, hasher)
    }

    /// Compares the digest of all that was read with the declared one; nothing may follow.
    fn demand_digest(&mut self, header: &Header, hasher: Sha256) -> Result<(), ArchiveError> {
        let computed = hex(&hasher.finalize());
        if computed != header.content_sha256() {
            let declared = header.content_sha256().to_owned();
            return Err(ArchiveError::DigestMismatch { declared, computed });
        }
        self.demand_end()
    }

    fn demand_at_least(&self, expected: u64) -> Result<(), ArchiveError> {
        if self.len < expected {
            return Err(ArchiveError::WrongSize { expected, found: self.len });
        }
        Ok(())
    }

    /// The size was right at the start; a file that somebody still writes to is not.
    fn demand_end(&mut self) -> Result<(), ArchiveError> {
        let failed = |error| ArchiveError::reading(&self.path, error);
        match self.reader.by_ref().take(1).read_to_end(&mut Vec::new()).map_err(failed)? {
            0 => Ok(()),
            more => Err(ArchiveError::WrongSize {
                expected: self.len,
                found: self.len.saturating_add(more as u64),
            }),
        }
    }

    fn read_exact(&mut self, place: &mut [u8]) -> Result<(), ArchiveError> {
        self.reader.read_exact(place).map_err(|error| ArchiveError::reading(&self.path, error))
    }
}

/// Bytes as lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
