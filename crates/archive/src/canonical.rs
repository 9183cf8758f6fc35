//! Canonical JSON: for every value exactly one text.
//!
//! A digest identifies bytes, and JSON has many spellings of one value. The canonical one has
//!
//! - no white space;
//! - the keys of an object in ascending order of their UTF-8 bytes, none twice;
//! - integers in plain decimal digits;
//! - floating-point numbers with the fewest digits that read back as the same number, and always
//!   with an exponent: `1e4`, `2.5e-1`. So they stay apart from integers, and the text does not
//!   change when a JSON library changes its taste;
//! - in strings, escapes only where JSON demands them, in their shortest form.
//!
//! Source: RFC 8259 for JSON; the idea is that of the JSON Canonicalization Scheme (RFC 8785),
//! whose numbers are those of JavaScript and lose 64-bit integers.

mod transcode;

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::{DeserializeOwned, DeserializeSeed};

use crate::error::{ArchiveError, excerpt};
use transcode::{Members, Transcode, append_members};

/// Writes `value` as canonical JSON.
///
/// JSON has no infinities and no NaN: such a number becomes `null`, so refuse it before.
///
/// # Errors
/// [`ArchiveError::Content`] if `value` has no JSON form, such as a map with lists as keys.
///
/// # Example
/// ```
/// let value: serde_json::Value = serde_json::from_str(r#"{ "b": [1, 0.25], "a": "\u00e9" }"#)?;
/// assert_eq!(llm_archive::canonical_json(&value)?, r#"{"a":"é","b":[1,2.5e-1]}"#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn canonical_json(value: &impl Serialize) -> Result<String, ArchiveError> {
    let mut out = String::new();
    rewrite(value, Transcode(&mut out))?;
    Ok(out)
}

/// Writes `value` as any JSON and reads that with `reader`.
fn rewrite<R: for<'de> DeserializeSeed<'de, Value = T>, T>(
    value: &impl Serialize,
    reader: R,
) -> Result<T, ArchiveError> {
    let text = serde_json::to_string(value);
    text.and_then(|text| read(&text, reader)).map_err(|error| {
        let error = excerpt(&error.to_string());
        ArchiveError::content(format!("cannot be written as JSON: {error}"))
    })
}

/// Reads a whole text, nothing before or after.
fn read<'de, R: DeserializeSeed<'de>>(text: &'de str, reader: R) -> serde_json::Result<R::Value> {
    let mut source = serde_json::Deserializer::from_str(text);
    let value = reader.deserialize(&mut source)?;
    source.end()?;
    Ok(value)
}

/// A JSON object, member by member as canonical text.
///
/// Text instead of a tree of values: a tree needs up to eighty times the memory of its text, which
/// a hostile file would gladly make use of.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CanonicalObject {
    members: BTreeMap<String, String>,
}

impl CanonicalObject {
    /// Takes the members of a structure or map.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if `value` is no JSON object, or nested deeper than 127 levels.
    pub(crate) fn new(value: &impl Serialize) -> Result<Self, ArchiveError> {
        Ok(Self { members: rewrite(value, Members)? })
    }

    /// Reads text that must be canonical already: the text is written anew, and both must be equal.
    ///
    /// # Errors
    /// [`ArchiveError::Malformed`] if the text is no JSON object, is nested deeper than 127 levels,
    /// or is not canonical.
    pub(crate) fn parse(text: &str) -> Result<Self, ArchiveError> {
        let members =
            read(text, Members).map_err(|error| ArchiveError::bad_json("the metadata", &error))?;
        let object = Self { members };
        if object.to_text() != text {
            return Err(ArchiveError::malformed(
                "the metadata is JSON but not canonical (unsorted keys, spaces, another spelling of a value)",
            ));
        }
        Ok(object)
    }

    pub(crate) fn contains(&self, key: &str) -> bool {
        self.members.contains_key(key)
    }

    pub(crate) fn insert(&mut self, key: &str, value: &impl Serialize) -> Result<(), ArchiveError> {
        self.insert_text(key, canonical_json(value)?);
        Ok(())
    }

    /// Inserts a member whose canonical text the caller has made.
    pub(crate) fn insert_text(&mut self, key: &str, text: String) {
        self.members.insert(key.to_owned(), text);
    }

    /// Removes a member and gives its canonical text.
    ///
    /// # Errors
    /// [`ArchiveError::Malformed`] if it is missing.
    pub(crate) fn take_text(&mut self, key: &str) -> Result<String, ArchiveError> {
        self.members
            .remove(key)
            .ok_or_else(|| ArchiveError::malformed(format!("the metadata has no {key:?}")))
    }

    /// Removes a member and reads it as a `T`.
    ///
    /// # Errors
    /// [`ArchiveError::Malformed`] if it is missing or something else.
    pub(crate) fn take<T: DeserializeOwned>(&mut self, key: &str) -> Result<T, ArchiveError> {
        serde_json::from_str(&self.take_text(key)?)
            .map_err(|error| ArchiveError::bad_json(&format!("{key:?} in the metadata"), &error))
    }

    /// The whole object as canonical text.
    pub(crate) fn to_text(&self) -> String {
        let mut out = String::new();
        append_members(&self.members, &mut out);
        out
    }
}

#[cfg(test)]
mod tests;
