//! Canonical JSON of an artifact, its SHA-256, and the strict way back.
//!
//! An artifact has exactly one accepted form as bytes: one line of JSON with sorted keys, no
//! whitespace and numbers and strings as `serde_json` writes them. That makes equality of
//! tokenizers equality of digests. Loading proves the form by writing the artifact again and
//! demanding the same bytes, so no rule of the form needs a check of its own.

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::artifact::{FORMAT_VERSION, TokenizerArtifact};
use crate::error::TokenizerError;

/// Longest accepted canonical JSON, in bytes. Our choice: the largest published byte-level
/// vocabularies (some hundred thousand merges) need about 25 MB.
pub const MAX_ARTIFACT_BYTES: usize = 64 << 20;

/// The canonical JSON of `artifact`.
///
/// # Errors
/// [`TokenizerError::TooLarge`] if it is longer than [`MAX_ARTIFACT_BYTES`], so that whatever is
/// written can be read.
pub(crate) fn to_canonical_json(artifact: &TokenizerArtifact) -> Result<Vec<u8>, TokenizerError> {
    let json = serde_json::to_vec(artifact)
        .expect("a struct of numbers, strings and lists always has a JSON form");
    check_size(&json)?;
    Ok(json)
}

/// Reads canonical JSON; refuses everything that [`to_canonical_json`] would not have written.
///
/// This proves only the form. Whether the ids make sense is the vocabulary's question.
///
/// # Errors
/// `TooLarge`, `FormatVersion`, `Json` (with line and column) or `NotCanonical` (with offset).
pub(crate) fn from_canonical_json(json: &[u8]) -> Result<TokenizerArtifact, TokenizerError> {
    check_size(json)?; // before it costs memory
    let VersionOnly { format_version } = from_json(json)?;
    if format_version != u64::from(FORMAT_VERSION) {
        return Err(TokenizerError::FormatVersion { given: format_version });
    }
    let artifact: TokenizerArtifact = from_json(json)?;
    let canonical = to_canonical_json(&artifact)?;
    match first_difference(json, &canonical) {
        Some(offset) => Err(TokenizerError::NotCanonical { offset }),
        None => Ok(artifact),
    }
}

fn from_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, TokenizerError> {
    serde_json::from_slice(json).map_err(|problem| TokenizerError::Json { problem })
}

/// SHA-256 of `bytes` as 64 lower-case hexadecimal digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Only the version, whatever else is there: a newer artifact is then called newer, not
/// "unknown field".
#[derive(Deserialize)]
struct VersionOnly {
    format_version: u64,
}

fn check_size(json: &[u8]) -> Result<(), TokenizerError> {
    if json.len() > MAX_ARTIFACT_BYTES {
        return Err(TokenizerError::TooLarge {
            what: "tokenizer artifact, in bytes",
            given: json.len() as u64,
            limit: MAX_ARTIFACT_BYTES as u64,
        });
    }
    Ok(())
}

/// Offset of the first byte at which `a` and `b` differ, counting a missing byte as different.
fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let shared = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    (shared < a.len().max(b.len())).then_some(shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_abc_is_that_of_the_standard() {
        // FIPS 180-2, appendix B.1.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256_hex(b"abc"), expected);
    }

    #[test]
    fn the_first_difference_may_be_the_end_of_one_side() {
        assert_eq!(first_difference(b"abc", b"abc"), None);
        assert_eq!(first_difference(b"abc", b"axc"), Some(1));
        assert_eq!(first_difference(b"abc", b"ab"), Some(2));
        assert_eq!(first_difference(b"", b"a"), Some(0));
    }
}
