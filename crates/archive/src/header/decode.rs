//! From the bytes of a header back to its meaning, trusting nothing.

use std::collections::BTreeMap;
use std::str;

use serde::{Deserialize, Serialize};

use super::{DIGEST_KEY, FORMAT_VERSION, Header};
use crate::canonical::{CanonicalObject, canonical_json};
use crate::error::{ArchiveError, excerpt};
use crate::tensor::{Dtype, TensorInfo};

/// The header of any safetensors file, as far as it can be ours. The table is skipped over.
#[derive(Deserialize)]
struct AnyHeader {
    #[serde(rename = "__metadata__")]
    metadata: Option<AnyMetadata>,
}

#[derive(Deserialize)]
struct AnyMetadata {
    llm: Option<String>,
}

/// One entry of a table, ours or not.
#[derive(Deserialize, Serialize, PartialEq)]
struct Entry {
    dtype: Option<String>,
    shape: Option<Vec<u64>>,
    data_offsets: Option<[u64; 2]>,
}

/// One entry of `tensors` in the description.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedTensor {
    name: String,
    dtype: String,
    shape: Vec<u64>,
}

impl Header {
    /// Reads the JSON text of a header, padding included.
    ///
    /// A later format or another kind is reported before anything else that could be wrong,
    /// because there the reader has to do something else than to copy the file again.
    ///
    /// # Errors
    /// Every variant of [`ArchiveError`] that speaks of headers, tables, versions and kinds.
    pub(crate) fn decode(text: &[u8], wanted_kind: Option<&str>) -> Result<Self, ArchiveError> {
        let text = str::from_utf8(text)
            .map_err(|error| ArchiveError::malformed(format!("not UTF-8: {error}")))?;
        let description = CanonicalObject::parse(&description_text(text)?)?;
        let header = from_description(description, wanted_kind)?;
        header.demand_same_bytes(text)?;
        Ok(header)
    }

    /// Compares the header in the file with the one that follows from its description.
    fn demand_same_bytes(&self, text: &str) -> Result<(), ArchiveError> {
        let expected = self.to_json()?;
        let padding = text.strip_prefix(expected.as_str());
        let only_spaces = padding.is_some_and(|padding| padding.bytes().all(|byte| byte == b' '));
        if only_spaces && text.len() == expected.len().next_multiple_of(8) {
            return Ok(());
        }
        self.explain_table(text)?;
        Err(ArchiveError::malformed(
            "the table of tensors is not canonical (keys repeated or unsorted, spaces, wrong padding, something unknown)",
        ))
    }

    /// Names the first tensor whose entry in the table differs, if there is one.
    fn explain_table(&self, text: &str) -> Result<(), ArchiveError> {
        let mut table: BTreeMap<String, Entry> = serde_json::from_str(text)
            .map_err(|error| ArchiveError::bad_json("the table of tensors", &error))?;
        table.remove("__metadata__");
        for (tensor, offsets) in self.placed_tensors() {
            let name = tensor.name();
            let wanted = Entry {
                dtype: Some(tensor.dtype().name().to_owned()),
                shape: Some(tensor.shape().iter().map(|&size| size as u64).collect()),
                data_offsets: Some(offsets),
            };
            match table.remove(name) {
                None => return Err(ArchiveError::table(name, "listed, but not in the table")),
                Some(found) if found != wanted => return Err(difference(name, &found, &wanted)),
                Some(_) => {}
            }
        }
        match table.first_key_value() {
            Some((name, _)) => Err(ArchiveError::table(name, "in the table, but not listed")),
            None => Ok(()),
        }
    }
}

fn difference(name: &str, found: &Entry, wanted: &Entry) -> ArchiveError {
    let show = |entry| canonical_json(entry).map(|text| excerpt(&text));
    let (found, wanted) = match (show(found), show(wanted)) {
        (Ok(found), Ok(wanted)) => (found, wanted),
        (Err(error), _) | (_, Err(error)) => return error,
    };
    let problem = format!(
        "the table says {found}, but {wanted} follows from the list (no holes, no overlaps)"
    );
    ArchiveError::table(name, problem)
}

/// Finds our description in the header of any safetensors file.
fn description_text(header: &str) -> Result<String, ArchiveError> {
    let header: AnyHeader = serde_json::from_str(header)
        .map_err(|error| ArchiveError::bad_json("the table of tensors", &error))?;
    let foreign = |reason: &str| ArchiveError::Foreign { reason: reason.to_owned() };
    let metadata = header.metadata.ok_or_else(|| foreign("it has no metadata"))?;
    metadata.llm.ok_or_else(|| foreign("its metadata has no entry \"llm\""))
}

fn from_description(
    mut description: CanonicalObject,
    wanted_kind: Option<&str>,
) -> Result<Header, ArchiveError> {
    let version = description.take_text("format_version")?;
    if version != FORMAT_VERSION.to_string() {
        return Err(ArchiveError::UnknownVersion { found: excerpt(&version) });
    }
    let kind: String = description.take("kind")?;
    if let Some(expected) = wanted_kind.filter(|wanted| *wanted != kind) {
        return Err(ArchiveError::WrongKind { expected: expected.into(), found: excerpt(&kind) });
    }
    let digest: String = description.take(DIGEST_KEY)?;
    if digest.len() != 64 || !digest.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        let reason = format!("{DIGEST_KEY} is not 64 lower-case hexadecimal digits");
        return Err(ArchiveError::malformed(reason));
    }
    let listed: Vec<ListedTensor> = description.take("tensors")?;
    let tensors = listed.into_iter().map(checked).collect::<Result<_, _>>()?;

    let mut header = Header::new(kind, description, tensors)?;
    header.set_content_sha256(digest);
    Ok(header)
}

fn checked(tensor: ListedTensor) -> Result<TensorInfo, ArchiveError> {
    let Some(dtype) = Dtype::from_name(&tensor.dtype) else {
        let problem = format!("unknown dtype {:?}", excerpt(&tensor.dtype));
        return Err(ArchiveError::table(&tensor.name, problem));
    };
    let sizes: Result<Vec<usize>, _> = tensor.shape.into_iter().map(usize::try_from).collect();
    let shape = sizes.map_err(|_| {
        ArchiveError::table(&tensor.name, "an axis is longer than this machine can address")
    })?;
    TensorInfo::new(tensor.name, dtype, shape)
}
