//! All tokens of a vocabulary by the spelling that files of byte-level tokenizers give them.

use std::collections::BTreeMap;

use llm_tokenizer::{ControlRole, TokenId, Tokenizer};

use crate::byte_alphabet;
use crate::error::InteropError;

/// Every token by its spelling: bytes and merges in the byte alphabet, control tokens and those that are
/// looked for in text by their own text.
///
/// # Errors
/// [`InteropError::Inexpressible`] if two tokens are spelled alike, which such files cannot hold.
pub(crate) fn vocabulary(tokenizer: &Tokenizer) -> Result<BTreeMap<String, TokenId>, InteropError> {
    let artifact = tokenizer.artifact();
    let bytes = artifact.byte_ids.iter().flatten().map(|&id| (token(tokenizer, id), id));
    let merged = artifact.merges.iter().map(|merge| (token(tokenizer, merge.id), merge.id));
    let extra = artifact.extra_tokens.iter().map(|extra| match extra.match_text {
        true => (String::from_utf8_lossy(&extra.bytes).into_owned(), extra.id),
        false => (token(tokenizer, extra.id), extra.id),
    });
    let control = artifact.control_tokens.iter().map(|control| (control.text.clone(), control.id));
    let mut vocabulary = BTreeMap::new();
    for (spelling, id) in bytes.chain(merged).chain(extra).chain(control) {
        match vocabulary.insert(spelling.clone(), id) {
            Some(other) if other != id => {
                return Err(InteropError::inexpressible(format!(
                    "tokens {other} and {id} would both be spelled {spelling:?}"
                )));
            }
            _ => {}
        }
    }
    Ok(vocabulary)
}

/// The merges, most important first, as `left right`. No spelling of bytes contains a space.
pub(crate) fn merges(tokenizer: &Tokenizer) -> Vec<String> {
    let merges = tokenizer.artifact().merges.iter();
    let line = |left, right| format!("{} {}", token(tokenizer, left), token(tokenizer, right));
    merges.map(|merge| line(merge.left, merge.right)).collect()
}

/// The token that begins documents, or would if they were begun.
pub(crate) fn start_token(tokenizer: &Tokenizer) -> Option<TokenId> {
    tokenizer.start_token().or_else(|| with_role(tokenizer, ControlRole::Start))
}

/// The first control token of a role.
pub(crate) fn with_role(tokenizer: &Tokenizer, role: ControlRole) -> Option<TokenId> {
    let mut tokens = tokenizer.artifact().control_tokens.iter();
    tokens.find(|token| token.role == role).map(|token| token.id)
}

/// A token in the byte alphabet.
fn token(tokenizer: &Tokenizer, id: TokenId) -> String {
    byte_alphabet::spelling(tokenizer.token_bytes(id).unwrap_or(&[]))
}
