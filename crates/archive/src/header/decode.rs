//! From the bytes of a header back to its meaning, trusting nothing.

use std::str;

use serde::Deserialize;

use super::{DIGEST_KEY, FORMAT_VERSION, Header, table};
use crate::canonical::CanonicalObject;
use crate::error::{ArchiveError, excerpt};

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
        table::explain(text, &self.tensors)?;
        Err(ArchiveError::malformed(
            "it does not follow from its own metadata (keys unsorted or repeated, spaces, wrong padding, something unknown)",
        ))
    }
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
    let list: Vec<table::Listed> = description.take("tensors")?;
    let tensors = list.into_iter().map(table::Listed::check).collect::<Result<_, _>>()?;

    let mut header = Header::new(kind, description, tensors)?;
    header.set_content_sha256(digest);
    Ok(header)
}
