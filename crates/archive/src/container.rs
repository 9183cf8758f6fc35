//! The container: a kind, metadata and named tensors, as one value that can be saved and loaded.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::atomic::write_atomically;
use crate::canonical::CanonicalObject;
use crate::error::ArchiveError;
use crate::header::{Header, LENGTH_FIELD};
use crate::source::{Source, hex};
use crate::tensor::TensorData;

/// Content with an identity. It cannot be changed, so that the identity stays true.
///
/// The tensors may be borrowed: saving a model copies none of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Container<'a> {
    header: Header,
    tensors: Vec<TensorData<'a>>,
}

impl<'a> Container<'a> {
    /// Puts content together and computes its identity, which reads all data once.
    ///
    /// `metadata` is a structure or map of the caller's, without the keys `format_version`,
    /// `kind`, `tensors` and `content_sha256`. The order of `tensors` is part of the content.
    /// Elements are not padded, so put wider types first if every tensor is to begin at a
    /// multiple of its element size.
    ///
    /// # Errors
    /// [`ArchiveError::Table`] for names and shapes that do not fit,
    /// [`ArchiveError::Content`] for metadata under a key of the container, and whatever loading
    /// would say about the header: nothing can be saved that could not be loaded.
    pub fn new(
        kind: &str,
        metadata: &impl Serialize,
        tensors: Vec<TensorData<'a>>,
    ) -> Result<Self, ArchiveError> {
        let list = tensors.iter().map(TensorData::info).collect::<Result<_, _>>()?;
        let mut header = Header::new(kind.to_owned(), CanonicalObject::new(metadata)?, list)?;
        let mut hasher = Sha256::new_with_prefix(header.identity_json()?);
        for tensor in &tensors {
            let mut hash = |piece: &[u8]| {
                hasher.update(piece);
                Ok(())
            };
            tensor.values.to_pieces(&mut hash).expect("hashing cannot fail");
        }
        header.set_content_sha256(hex(&hasher.finalize()));
        Header::decode(&header.encode()?[LENGTH_FIELD as usize..], Some(kind))?;
        Ok(Self { header, tensors })
    }

    /// Kind, metadata, tensor list and identity.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The identity: 64 lower-case hexadecimal digits, see [`Header::content_sha256`].
    pub fn content_sha256(&self) -> &str {
        self.header.content_sha256()
    }

    /// The tensors in their stored order.
    pub fn tensors(&self) -> &[TensorData<'a>] {
        &self.tensors
    }

    /// Gives up the container for its tensors.
    pub fn into_tensors(self) -> Vec<TensorData<'a>> {
        self.tensors
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = self.encoded_header();
        bytes.reserve_exact(self.header.data_len() as usize);
        self.write_data(&mut bytes).expect("a vector takes any bytes");
        bytes
    }

    /// Saves as the file `path`, completely or not at all; see [`write_atomically`].
    ///
    /// # Errors
    /// [`ArchiveError::Io`]; a file that was there before is then still there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ArchiveError> {
        write_atomically(path, |file| {
            file.write_all(&self.encoded_header())?;
            self.write_data(file)
        })
    }

    fn encoded_header(&self) -> Vec<u8> {
        self.header.encode().expect("`new` and `read` have encoded and compared this header before")
    }

    fn write_data(&self, out: &mut dyn Write) -> io::Result<()> {
        self.tensors.iter().try_for_each(|t| t.values.to_pieces(&mut |piece| out.write_all(piece)))
    }
}

impl Container<'static> {
    /// Reads an archive of the given kind from memory.
    ///
    /// # Errors
    /// As [`Container::load`].
    pub fn from_bytes(bytes: &[u8], kind: &str) -> Result<Self, ArchiveError> {
        Self::read(Source::from_bytes(bytes), kind)
    }

    /// Reads the archive of the given kind at `path`, and checks every byte of it.
    ///
    /// Memory: the tensors once, and a moment's work on the header.
    ///
    /// # Errors
    /// [`ArchiveError::Io`] if there is no such file, [`ArchiveError::WrongKind`] if it holds
    /// something else; any other variant but `Content` if it is not, byte for byte, what was saved.
    pub fn load(path: impl AsRef<Path>, kind: &str) -> Result<Self, ArchiveError> {
        Self::read(Source::open(path.as_ref())?, kind)
    }

    fn read(mut source: Source<impl io::Read>, kind: &str) -> Result<Self, ArchiveError> {
        let header = source.read_header(Some(kind))?;
        let tensors = source.read_tensors(&header)?;
        Ok(Self { header, tensors })
    }
}

/// Reads only the header of the archive at `path`, of whatever kind, at once for any size.
///
/// The header is checked as strictly as by [`Container::load`], and so is the file's size. The
/// identity is the declared one: the data is not read, so damage to it is not noticed.
///
/// # Errors
/// As [`Container::load`], without `WrongKind` and `DigestMismatch`.
pub fn inspect(path: impl AsRef<Path>) -> Result<Header, ArchiveError> {
    Source::open(path.as_ref())?.read_header(None)
}

/// Reads the whole archive at `path`, of whatever kind, and checks every byte of it, in the memory of
/// its header. `progress` is told the bytes of each piece.
///
/// # Errors
/// As [`Container::load`], without `WrongKind`.
///
/// # Example
/// ```
/// use llm_archive::{Container, TensorData, verify};
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("gain.llm");
/// let gain = TensorData::new("gain", vec![2], vec![1.0_f64, 0.5]);
/// Container::new("example", &serde_json::json!({}), vec![gain])?.save(&path)?;
///
/// let mut read = 0;
/// assert_eq!(verify(&path, |bytes| read += bytes)?.kind(), "example");
/// assert_eq!(read, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify(
    path: impl AsRef<Path>,
    mut progress: impl FnMut(u64),
) -> Result<Header, ArchiveError> {
    let mut source = Source::open(path.as_ref())?;
    let header = source.read_header(None)?;
    source.verify(&header, &mut progress)?;
    Ok(header)
}
