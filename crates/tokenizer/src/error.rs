//! The one error type of the crate.

use crate::TokenId;

/// Everything that can go wrong with a tokenizer that comes from outside, or with text and ids
/// that do not fit it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenizerError {
    /// The bytes are not JSON of the expected shape: a syntax error, an unknown, missing or
    /// repeated field, a number that is not an id, an unknown role or pretokenizer.
    #[error("not a tokenizer artifact: {problem}")]
    Json {
        /// What was expected, with the line and column where reading stopped. Called no source: a
        /// chain of causes would show it twice.
        problem: serde_json::Error,
    },
    /// The JSON means an artifact but is not written in the one accepted way.
    #[error(
        "not canonical JSON: byte {offset} differs from the canonical form \
         (sorted keys, no whitespace); write the artifact again with to_json"
    )]
    NotCanonical {
        /// Offset of the first byte that differs, in bytes from the start.
        offset: usize,
    },
    /// The artifact was written for another version of the format.
    #[error("tokenizer format_version is {given}, this program reads version 1")]
    FormatVersion {
        /// The version that was found.
        given: u64,
    },
    /// Something is larger than the documented limit.
    #[error("{what}: {given} is above the limit of {limit}")]
    TooLarge {
        /// What was measured, with its unit.
        what: &'static str,
        /// The measured size.
        given: u64,
        /// The largest accepted size.
        limit: u64,
    },
    /// An id does not fit below `vocab_size`.
    #[error("{at}: id {id} is not below vocab_size {vocab_size}")]
    IdOutOfRange {
        /// The place in the artifact, as a path such as `merges[3].id`.
        at: String,
        /// The id that was given.
        id: TokenId,
        /// The declared number of rows of the vocabulary.
        vocab_size: u32,
    },
    /// One id was given two meanings.
    #[error("{at}: id {id} already has another meaning; every id needs exactly one")]
    IdDefinedTwice {
        /// The place of the second definition.
        at: String,
        /// The id.
        id: TokenId,
    },
    /// An id is used where it has no meaning yet.
    #[error("{at}: id {id} is not {expected}")]
    UndefinedId {
        /// The place of the use.
        at: String,
        /// The id.
        id: TokenId,
        /// What the id had to be.
        expected: &'static str,
    },
    /// Another rule of the format is broken.
    #[error("{at}: {problem}")]
    Malformed {
        /// The place in the artifact.
        at: String,
        /// What is wrong, what was expected.
        problem: String,
    },
    /// The text contains a byte for which this vocabulary has no token.
    #[error("byte 0x{byte:02x} at offset {offset} has no token in this vocabulary")]
    MissingByte {
        /// The byte value.
        byte: u8,
        /// Its offset in the text, in bytes.
        offset: usize,
    },
    /// The text is not in the form that this tokenizer's rule would bring it into.
    #[error(
        "the character at offset {offset} is not in Unicode normal form {form}, into which this \
         tokenizer would bring it: convert the text first, its bytes are never changed here"
    )]
    NotNormalized {
        /// The name of the form.
        form: &'static str,
        /// Offset of the first character that would change, in bytes.
        offset: usize,
    },
    /// The ids are not those of one whole document.
    #[error(
        "{} at position {position} is not {expected}: a document has its start token first, its \
         end token last and no control token in between",
        .id.map_or("nothing".to_owned(), |id| format!("id {id}"))
    )]
    Frame {
        /// The index in the list of ids.
        position: usize,
        /// What stands there; `None` behind the last id.
        id: Option<TokenId>,
        /// What had to stand there.
        expected: &'static str,
    },
    /// An id to decode is not in the vocabulary.
    #[error("id {id} at position {position} is not in the vocabulary")]
    UnknownToken {
        /// The id.
        id: TokenId,
        /// Its index in the list of ids.
        position: usize,
    },
}
