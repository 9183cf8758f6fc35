//! The weights of a folder: `model.safetensors`, or several files with an index.
//!
//! Nothing but headers is read here; [`Shards::tensor`] then reads one tensor, a piece at a time, so
//! that a model is never in memory twice.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use serde::Deserialize;

use crate::error::InteropError;
use crate::file::{self, excerpt};

/// The one file of weights.
const SINGLE: &str = "model.safetensors";
/// The list of several files.
const INDEX: &str = "model.safetensors.index.json";
/// Longest accepted header, as in the safetensors crate; also of an index.
const MAX_HEADER_BYTES: u64 = 100_000_000;
/// Most bytes that are read at once: whole elements of every type.
const PIECE_BYTES: usize = 1 << 20;

/// All tensors of a folder by name.
pub(super) struct Shards {
    /// Where a missing tensor should have been.
    source: PathBuf,
    files: Vec<Shard>,
    tensors: BTreeMap<String, Stored>,
}

/// One open file.
struct Shard {
    path: PathBuf,
    file: File,
}

/// Where one tensor is.
struct Stored {
    /// The number of its file.
    shard: usize,
    info: TensorInfo,
    /// The offset of its first byte in the file.
    start: u64,
    /// Whether somebody has read it: what nobody needs is no part of the model.
    asked_for: bool,
}

/// `model.safetensors.index.json`; its other keys are about sizes.
#[derive(Deserialize)]
struct Index {
    weight_map: BTreeMap<String, String>,
}

impl Shards {
    /// Opens all files of weights of a folder and reads their headers.
    pub(super) fn open(dir: &Path) -> Result<Self, InteropError> {
        let (single, index) = (dir.join(SINGLE), dir.join(INDEX));
        if !index.exists() {
            let (shard, tensors) = open_shard(single.clone())?;
            let stored = |(info, start)| Stored { shard: 0, info, start, asked_for: false };
            let tensors = tensors.into_iter().map(|(name, found)| (name, stored(found)));
            return Ok(Self { source: single, files: vec![shard], tensors: tensors.collect() });
        }
        if single.exists() {
            let problem = format!("stands beside {INDEX}: which of the two holds the weights?");
            return Err(InteropError::malformed(&single, problem));
        }
        Self::open_all(dir, index)
    }

    /// Opens the files that an index names. Each tensor must be in the file that the index says,
    /// and nothing else in any file.
    fn open_all(dir: &Path, index: PathBuf) -> Result<Self, InteropError> {
        let bytes = file::read(&index, MAX_HEADER_BYTES)?;
        let Index { weight_map } = serde_json::from_slice(&bytes).map_err(|error| {
            InteropError::malformed(&index, format!("no index: {}", excerpt(&error.to_string())))
        })?;
        let mut by_file: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (tensor, name) in &weight_map {
            by_file.entry(name).or_default().push(tensor);
        }
        let mut shards = Self { source: index, files: Vec::new(), tensors: BTreeMap::new() };
        for (name, expected) in by_file {
            demand_plain_name(&shards.source, name)?;
            let (shard, mut found) = open_shard(dir.join(name))?;
            for tensor in expected {
                let Some((info, start)) = found.remove(tensor) else {
                    let problem = format!("is not there, though {INDEX} says so");
                    return Err(InteropError::tensor(&shard.path, &excerpt(tensor), problem));
                };
                let shard = shards.files.len();
                let stored = Stored { shard, info, start, asked_for: false };
                shards.tensors.insert(tensor.to_owned(), stored);
            }
            if let Some(extra) = found.keys().next() {
                let problem = format!("is there, but not in {INDEX}");
                return Err(InteropError::tensor(&shard.path, &excerpt(extra), problem));
            }
            shards.files.push(shard);
        }
        Ok(shards)
    }

    /// How many tensors there are.
    pub(super) fn len(&self) -> usize {
        self.tensors.len()
    }

    /// Whether there is a tensor of this name.
    pub(super) fn contains(&self, name: &str) -> bool {
        self.tensors.contains_key(name)
    }

    /// Drops tensors that need not be read.
    pub(super) fn forget(&mut self, unneeded: impl Fn(&str) -> bool) {
        self.tensors.retain(|name, _| !unneeded(name));
    }

    /// The tensor of this name, which must have this shape, ready to be read. Its size is that of a
    /// part of a file that is there, so whoever allocates for it is safe.
    pub(super) fn tensor(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<StoredTensor<'_>, InteropError> {
        let Some(Stored { shard, info, start, asked_for }) = self.tensors.get_mut(name) else {
            return Err(InteropError::tensor(&self.source, name, "is missing"));
        };
        *asked_for = true;
        let Shard { path, file } = &mut self.files[*shard];
        if info.shape != shape {
            let found = excerpt(&format!("{:?}", info.shape));
            let problem = format!("has shape {found}, config.json asks for {shape:?}");
            return Err(InteropError::tensor(path, name, problem));
        }
        file.seek(SeekFrom::Start(*start)).map_err(|error| InteropError::reading(path, error))?;
        let left = info.data_offsets.1 - info.data_offsets.0;
        Ok(StoredTensor { name: name.to_owned(), dtype: info.dtype, path, file, left })
    }

    /// Demands that every tensor was asked for.
    pub(super) fn finish(self) -> Result<(), InteropError> {
        match self.tensors.iter().find(|(_, stored)| !stored.asked_for) {
            None => Ok(()),
            Some((name, stored)) => {
                let problem = "is not a part of the model that config.json describes";
                let path = &self.files[stored.shard].path;
                Err(InteropError::tensor(path, &excerpt(name), problem))
            }
        }
    }
}

/// A tensor whose bytes come next.
pub(super) struct StoredTensor<'a> {
    pub(super) name: String,
    pub(super) dtype: Dtype,
    path: &'a Path,
    file: &'a mut File,
    /// Bytes not read yet.
    left: usize,
}

impl StoredTensor<'_> {
    /// An error about this tensor.
    pub(super) fn refuse(&self, problem: impl Into<String>) -> InteropError {
        InteropError::tensor(self.path, &self.name, problem)
    }

    /// Hands out all bytes, in pieces of whole elements.
    pub(super) fn pieces(
        mut self,
        mut visit: impl FnMut(&Self, &[u8]) -> Result<(), InteropError>,
    ) -> Result<(), InteropError> {
        let mut buffer = vec![0; PIECE_BYTES.min(self.left)];
        while self.left > 0 {
            let piece = &mut buffer[..PIECE_BYTES.min(self.left)];
            let read = self.file.read_exact(piece);
            read.map_err(|error| InteropError::reading(self.path, error))?;
            self.left -= piece.len();
            visit(&self, piece)?;
        }
        Ok(())
    }
}

/// Every tensor of a file: its description, and the offset of its first byte.
type Table = BTreeMap<String, (TensorInfo, u64)>;

/// Opens one file and reads its header.
fn open_shard(path: PathBuf) -> Result<(Shard, Table), InteropError> {
    let (mut file, len) = file::open(&path)?;
    let cut_off = |needed: u64| {
        let problem = format!("its header describes {needed} bytes but there are {len}");
        InteropError::malformed(&path, problem)
    };
    let mut read = |buffer: &mut [u8]| {
        file.read_exact(buffer).map_err(|error| InteropError::reading(&path, error))
    };
    if len < 8 {
        return Err(cut_off(8));
    }
    let mut length = [0; 8];
    read(&mut length)?;
    let length = u64::from_le_bytes(length);
    if length > MAX_HEADER_BYTES {
        let problem = format!("no safetensors file: its header claims {length} bytes");
        return Err(InteropError::malformed(&path, problem));
    }
    if 8 + length > len {
        return Err(cut_off(8 + length));
    }
    let mut header = vec![0; length as usize];
    read(&mut header)?;
    // Reading a `Metadata` proves that the tensors fill the data without holes or overlaps and that
    // every size follows from its shape.
    let metadata: Metadata = serde_json::from_slice(&header).map_err(|error| {
        InteropError::malformed(&path, format!("its header: {}", excerpt(&error.to_string())))
    })?;
    let data = 8 + length;
    let needed = data.saturating_add(metadata.data_len() as u64);
    if needed != len {
        return Err(cut_off(needed));
    }
    let tensors = metadata.tensors().into_iter().map(|(name, info)| {
        let start = data + info.data_offsets.0 as u64;
        (name, (info.clone(), start))
    });
    let tensors = tensors.collect();
    Ok((Shard { path, file }, tensors))
}

/// A file of an index stands in the same folder; a path could lead anywhere.
fn demand_plain_name(index: &Path, name: &str) -> Result<(), InteropError> {
    let plain = Path::new(name).file_name().is_some_and(|file| file == name);
    if plain && name.ends_with(".safetensors") {
        return Ok(());
    }
    let supported = "the name of a .safetensors file in the same folder";
    Err(InteropError::unsupported(index, "a file of `weight_map`", excerpt(name), supported))
}
