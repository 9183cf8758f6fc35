//! The header: a safetensors table of tensors, with our description of the content inside it.
//!
//! ```text
//! 8 bytes       length N of the JSON text, little-endian
//! N bytes       {"__metadata__":{"llm":"..."},"name":{"data_offsets":[0,16],"dtype":"F64","shape":[2]},...}
//!               canonical JSON, then spaces up to a multiple of 8
//! the rest      the elements, tensor after tensor, without holes
//! ```
//!
//! The string under `llm` is the *description*, again canonical JSON: what the caller wants to
//! have stored, plus `format_version`, `kind`, `tensors` (the ordered list of names, types and
//! shapes) and `content_sha256`. The whole header follows from the description: offsets are
//! running sums, and the table's keys are sorted. So reading needs no list of rules that a table
//! could break (overlaps, holes, repeated names, spaces): it takes the description, rebuilds the
//! header and demands the same bytes.
//!
//! Identity: SHA-256 over the description without `content_sha256`, followed by the tensor
//! data. No separator is needed, since a JSON object shows where it ends.
//!
//! Source: the safetensors format, <https://github.com/huggingface/safetensors#format>.

mod decode;
mod table;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::canonical::CanonicalObject;
use crate::error::{ArchiveError, excerpt};
use crate::tensor::TensorInfo;

/// The format written and read by this crate.
pub const FORMAT_VERSION: u64 = 1;

/// Most bytes of JSON in a header: 64 MiB, our choice. A tokenizer of half a million merges fits.
///
/// A header made to hurt costs its reader up to fifteen times its size in memory for a moment; the
/// limit is what bounds it.
pub const MAX_HEADER_LEN: u64 = 64 << 20;

/// Bytes before the JSON text: its length.
pub(crate) const LENGTH_FIELD: u64 = 8;

/// The key that the identity leaves out.
const DIGEST_KEY: &str = "content_sha256";

/// Keys of the description that the container itself fills in.
const OWN_KEYS: [&str; 4] = [DIGEST_KEY, "format_version", "kind", "tensors"];

/// Everything an archive says about itself before its data: kind, metadata, tensor list, identity.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    kind: String,
    metadata: CanonicalObject,
    tensors: Vec<TensorInfo>,
    data_len: u64,
    content_sha256: String,
}

impl Header {
    /// A header that lacks only the digest.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if `metadata` uses a key of the container,
    /// [`ArchiveError::Table`] if a name comes twice or the sizes overflow.
    pub(crate) fn new(
        kind: String,
        metadata: CanonicalObject,
        tensors: Vec<TensorInfo>,
    ) -> Result<Self, ArchiveError> {
        if let Some(key) = OWN_KEYS.into_iter().find(|key| metadata.contains(key)) {
            let reason = format!("metadata key {key:?} is filled in by the container, drop it");
            return Err(ArchiveError::content(reason));
        }
        let data_len = table::total_len(&tensors)?;
        Ok(Self { kind, metadata, tensors, data_len, content_sha256: String::new() })
    }

    /// What the content is, for example `"model"`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What the caller stored beside the tensors, read as a `T`.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if the metadata is not that of a `T`.
    pub fn metadata<T: DeserializeOwned>(&self) -> Result<T, ArchiveError> {
        serde_json::from_str(&self.metadata.to_text()).map_err(|error| {
            ArchiveError::content(format!("the metadata: {}", excerpt(&error.to_string())))
        })
    }

    /// All of what the caller stored beside the tensors, as a `T` that is stored as the same text.
    ///
    /// A field that is left out may read like one that is `null`, and `1` like `1.0`. Saved again,
    /// they would be another content, with another identity.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if the metadata is not that of a `T`, or not as a `T` is stored.
    pub fn exact_metadata<T: DeserializeOwned + Serialize>(&self) -> Result<T, ArchiveError> {
        let value = self.metadata()?;
        if CanonicalObject::new(&value)? != self.metadata {
            let reason =
                "the metadata: a field is left out, or spelled in another way than `save` does";
            return Err(ArchiveError::content(reason));
        }
        Ok(value)
    }

    /// The tensors in the order of their data.
    pub fn tensors(&self) -> &[TensorInfo] {
        &self.tensors
    }

    /// Size of the tensor data in bytes.
    pub fn data_len(&self) -> u64 {
        self.data_len
    }

    /// The identity of the content: 64 lower-case hexadecimal digits.
    ///
    /// From [`crate::inspect`] it is what the header declares; only loading checks it.
    pub fn content_sha256(&self) -> &str {
        &self.content_sha256
    }

    pub(crate) fn set_content_sha256(&mut self, digest: String) {
        self.content_sha256 = digest;
    }

    /// The part of the identity that comes before the data.
    pub(crate) fn identity_json(&self) -> Result<String, ArchiveError> {
        Ok(self.undigested()?.to_text())
    }

    /// The description without the digest.
    fn undigested(&self) -> Result<CanonicalObject, ArchiveError> {
        let mut description = self.metadata.clone();
        description.insert("format_version", &FORMAT_VERSION)?;
        description.insert("kind", &self.kind)?;
        description.insert_text("tensors", table::list_text(&self.tensors));
        Ok(description)
    }

    /// The safetensors header, without padding.
    fn to_json(&self) -> Result<String, ArchiveError> {
        let mut description = self.undigested()?;
        description.insert(DIGEST_KEY, &self.content_sha256)?;

        let mut header = CanonicalObject::default();
        header.insert("__metadata__", &json!({"llm": description.to_text()}))?;
        for (tensor, entry) in table::entries(&self.tensors) {
            header.insert_text(tensor.name(), entry.to_text());
        }
        Ok(header.to_text())
    }

    /// The header as it stands in the file: length, JSON, padding.
    ///
    /// # Errors
    /// [`ArchiveError::HeaderTooLong`], since what is written must be readable.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, ArchiveError> {
        framed(self.to_json()?)
    }
}

/// Puts the length before a JSON text and spaces after it.
fn framed(mut json: String) -> Result<Vec<u8>, ArchiveError> {
    // Data that begins at a multiple of 8 can later be mapped into memory as it is.
    json.extend(std::iter::repeat_n(' ', json.len().next_multiple_of(8) - json.len()));
    let length = json.len() as u64;
    check_length(length)?;
    Ok([&length.to_le_bytes()[..], json.as_bytes()].concat())
}

/// Compares the JSON's length with [`MAX_HEADER_LEN`].
pub(crate) fn check_length(length: u64) -> Result<(), ArchiveError> {
    if length > MAX_HEADER_LEN {
        return Err(ArchiveError::HeaderTooLong { length, limit: MAX_HEADER_LEN });
    }
    Ok(())
}

#[cfg(test)]
mod tests;
