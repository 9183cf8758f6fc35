//! The tensors in the header, twice: as the ordered list of our description, and as the table that
//! the safetensors format asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::error::{ArchiveError, excerpt};
use crate::tensor::{Dtype, TensorInfo};

/// One member of the list. The fields are in alphabetical order, as canonical JSON wants them.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Listed {
    dtype: String,
    name: String,
    shape: Vec<u64>,
}

impl Listed {
    /// Checks what a file says about a tensor.
    ///
    /// # Errors
    /// [`ArchiveError::Table`] for an unknown type, a reserved name or a size that overflows.
    pub(super) fn check(self) -> Result<TensorInfo, ArchiveError> {
        let Some(dtype) = Dtype::from_name(&self.dtype) else {
            let problem = format!("unknown dtype {:?}", excerpt(&self.dtype));
            return Err(ArchiveError::table(&self.name, problem));
        };
        let sizes: Result<Vec<usize>, _> = self.shape.into_iter().map(usize::try_from).collect();
        let shape = sizes.map_err(|_| {
            ArchiveError::table(&self.name, "an axis is longer than this machine can address")
        })?;
        TensorInfo::new(self.name, dtype, shape)
    }
}

/// The list as canonical text.
pub(super) fn list_text(tensors: &[TensorInfo]) -> String {
    let list: Vec<_> = tensors
        .iter()
        .map(|tensor| Listed {
            dtype: tensor.dtype().name().to_owned(),
            name: tensor.name().to_owned(),
            shape: sizes(tensor),
        })
        .collect();
    serde_json::to_string(&list).expect("texts and integers have a JSON form")
}

/// One entry of the table, in alphabetical order too. In other files anything may be missing.
#[derive(Deserialize, Serialize, PartialEq)]
pub(super) struct Entry {
    data_offsets: Option<[u64; 2]>,
    dtype: Option<String>,
    shape: Option<Vec<u64>>,
}

impl Entry {
    /// The entry as canonical text.
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts and integers have a JSON form")
    }
}

/// Every tensor with its entry: offsets are running sums, so there is no room for holes.
pub(super) fn entries(tensors: &[TensorInfo]) -> impl Iterator<Item = (&TensorInfo, Entry)> {
    tensors.iter().scan(0, |end, tensor| {
        let start = *end;
        *end += tensor.byte_len();
        let entry = Entry {
            data_offsets: Some([start, *end]),
            dtype: Some(tensor.dtype().name().to_owned()),
            shape: Some(sizes(tensor)),
        };
        Some((tensor, entry))
    })
}

fn sizes(tensor: &TensorInfo) -> Vec<u64> {
    tensor.shape().iter().map(|&size| size as u64).collect()
}

/// Adds up the sizes of tensors that must have different names, in bytes.
///
/// # Errors
/// [`ArchiveError::Table`] if a name comes twice or the sum overflows.
pub(super) fn total_len(tensors: &[TensorInfo]) -> Result<u64, ArchiveError> {
    let mut names = BTreeSet::new();
    tensors.iter().try_fold(0_u64, |sum, tensor| {
        if !names.insert(tensor.name()) {
            return Err(ArchiveError::table(tensor.name(), "listed twice"));
        }
        sum.checked_add(tensor.byte_len()).ok_or_else(|| {
            ArchiveError::table(tensor.name(), "the sizes of all tensors overflow 64 bits")
        })
    })
}

/// Finds the first tensor whose entry in a header's table is not the one that the list asks for.
///
/// Only for the message: that the header differs is known already.
///
/// # Errors
/// [`ArchiveError::Table`] for that tensor, [`ArchiveError::Malformed`] if the text is no table.
pub(super) fn explain(header: &str, tensors: &[TensorInfo]) -> Result<(), ArchiveError> {
    let wanted = entries(tensors).map(|(tensor, entry)| (tensor.name(), entry)).collect();
    let mut reader = serde_json::Deserializer::from_str(header);
    match (Comparison { wanted }).deserialize(&mut reader) {
        Ok(None) => Ok(()),
        Ok(Some(difference)) => Err(difference),
        Err(error) => Err(ArchiveError::bad_json("the table of tensors", &error)),
    }
}

/// Compares entry by entry while reading, so that a long table of nonsense takes no memory.
struct Comparison<'a> {
    /// The entries that have not been met yet.
    wanted: BTreeMap<&'a str, Entry>,
}

impl<'de> DeserializeSeed<'de> for Comparison<'_> {
    type Value = Option<ArchiveError>;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Self::Value, D::Error> {
        reader.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Comparison<'_> {
    type Value = Option<ArchiveError>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut table: A) -> Result<Self::Value, A::Error> {
        let mut first = None;
        while let Some(name) = table.next_key::<String>()? {
            if first.is_some() || name == "__metadata__" {
                table.next_value::<IgnoredAny>()?;
                continue;
            }
            let found: Entry = table.next_value()?;
            first = match self.wanted.remove(name.as_str()) {
                Some(wanted) if wanted == found => None,
                Some(wanted) => Some(contradiction(&name, &found, &wanted)),
                None => Some(ArchiveError::table(&name, "in the table once more than in the list")),
            };
        }
        let missing = self.wanted.keys().next();
        Ok(first.or(missing.map(|name| ArchiveError::table(name, "listed, but not in the table"))))
    }
}

fn contradiction(name: &str, found: &Entry, wanted: &Entry) -> ArchiveError {
    let [found, wanted] = [found, wanted].map(|entry| excerpt(&entry.to_text()));
    let problem = format!(
        "the table says {found}, but {wanted} follows from the list (no holes, no overlaps)"
    );
    ArchiveError::table(name, problem)
}
