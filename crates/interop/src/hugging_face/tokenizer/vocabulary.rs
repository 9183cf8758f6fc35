//! The vocabulary of a byte-level BPE: bytes, merges, and whatever else has an id.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use llm_tokenizer::{ControlRole, ControlToken, ExtraToken, Merge, TokenId};
use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::byte_alphabet;
use crate::error::InteropError;
use crate::file::excerpt;

/// `model` of `tokenizer.json`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Model {
    vocab: HashMap<String, TokenId>,
    merges: Vec<Pair>,
    dropout: Option<f64>,
    continuing_subword_prefix: Option<String>,
    end_of_word_suffix: Option<String>,
    #[serde(default)]
    byte_fallback: bool,
    #[serde(default)]
    pub(super) ignore_merges: bool,
    // What stands for a character without a token; such a byte is an error here.
    #[serde(rename = "unk_token")]
    _unk_token: Option<IgnoredAny>,
    #[serde(rename = "fuse_unk")]
    _fuse_unk: Option<IgnoredAny>,
    // Checked before.
    #[serde(rename = "type")]
    _kind: Option<IgnoredAny>,
}

/// A merge, in the older or the newer form.
#[derive(Deserialize)]
#[serde(untagged)]
enum Pair {
    Line(String),
    Two(String, String),
}

/// One of `added_tokens`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AddedToken {
    pub(super) id: TokenId,
    pub(super) content: String,
    #[serde(default)]
    pub(super) special: bool,
    #[serde(default)]
    lstrip: bool,
    #[serde(default)]
    rstrip: bool,
    #[serde(default)]
    single_word: bool,
    // Whether it is looked for before or after the normalizer, which here changes nothing.
    #[serde(rename = "normalized")]
    _normalized: Option<IgnoredAny>,
}

/// The parts of an artifact that say what ids mean.
pub(super) struct Vocabulary {
    pub(super) byte_ids: Vec<Option<TokenId>>,
    pub(super) control_tokens: Vec<ControlToken>,
    pub(super) extra_tokens: Vec<ExtraToken>,
    pub(super) merges: Vec<Merge>,
}

/// Sorts all entries: special tokens steer, bytes and merges make text, the rest has bytes of its own.
pub(super) fn read(
    path: &Path,
    model: &Model,
    added: &[AddedToken],
) -> Result<Vocabulary, InteropError> {
    refuse_other_models(path, model)?;
    let (control_tokens, mut extra_tokens) = added_tokens(path, added)?;
    let mut known: HashSet<TokenId> = added.iter().map(|token| token.id).collect();

    let id_of_byte = |byte| {
        let id = model.vocab.get(byte_alphabet::symbol(byte).encode_utf8(&mut [0; 4])).copied();
        id.filter(|id| !known.contains(id))
    };
    let byte_ids: Vec<_> = (0..=u8::MAX).map(id_of_byte).collect();
    let merges = merges(path, model)?;
    known.extend(byte_ids.iter().flatten());
    known.extend(merges.iter().map(|merge| merge.id));

    // Tokens that no merge makes: only decoded, or found as whole pieces.
    let unmerged = model.vocab.iter().filter(|(_, id)| !known.contains(id));
    for (spelling, &id) in unmerged {
        let Some(bytes) = byte_alphabet::bytes(spelling) else {
            let given = format!("{:?}, which is not spelled in bytes", excerpt(spelling));
            return Err(unsupported(path, "a token of `model.vocab`", given, "byte-level BPE"));
        };
        extra_tokens.push(ExtraToken { bytes, id, match_text: false });
    }
    extra_tokens.sort_by_key(|token| token.id); // a map has no order to keep
    Ok(Vocabulary { byte_ids, control_tokens, extra_tokens, merges })
}

fn refuse_other_models(path: &Path, model: &Model) -> Result<(), InteropError> {
    let is_set = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
    let (what, given) = match model {
        Model { byte_fallback: true, .. } => ("byte_fallback", "true".into()),
        Model { dropout: Some(dropout), .. } if *dropout != 0.0 => ("dropout", dropout.to_string()),
        model if is_set(&model.continuing_subword_prefix) => {
            ("continuing_subword_prefix", "set".into())
        }
        model if is_set(&model.end_of_word_suffix) => ("end_of_word_suffix", "set".into()),
        _ => return Ok(()),
    };
    Err(unsupported(path, &format!("`model.{what}`"), given, "byte-level BPE without it"))
}

/// Special tokens become control tokens, which are never looked for in text; the others are looked
/// for.
fn added_tokens(
    path: &Path,
    added: &[AddedToken],
) -> Result<(Vec<ControlToken>, Vec<ExtraToken>), InteropError> {
    let (mut control_tokens, mut extra_tokens) = (Vec::new(), Vec::new());
    for token in added {
        let AddedToken { id, content, .. } = token;
        if token.special {
            let role = ControlRole::Other; // known later
            control_tokens.push(ControlToken { id: *id, role, text: content.clone() });
        } else if token.lstrip || token.rstrip || token.single_word {
            let what =
                format!("added token {:?} with lstrip, rstrip or single_word", excerpt(content));
            return Err(unsupported(
                path,
                &what,
                "true".into(),
                "false: whether it is found then \
                 depends on its neighbours",
            ));
        } else {
            let bytes = content.clone().into_bytes();
            extra_tokens.push(ExtraToken { bytes, id: *id, match_text: true });
        }
    }
    control_tokens.sort_by_key(|token| token.id);
    Ok((control_tokens, extra_tokens))
}

fn merges(path: &Path, model: &Model) -> Result<Vec<Merge>, InteropError> {
    let id = |rank: usize, token: &str| {
        let missing = || {
            let token = excerpt(token);
            let problem = format!("`model.merges[{rank}]`: {token:?} is not in `model.vocab`");
            InteropError::malformed(path, problem)
        };
        model.vocab.get(token).copied().ok_or_else(missing)
    };
    let merge = |(rank, pair): (usize, &Pair)| {
        let (left, right) = match pair {
            Pair::Two(left, right) => (left.as_str(), right.as_str()),
            Pair::Line(line) => line.split_once(' ').ok_or_else(|| {
                let problem = format!("`model.merges[{rank}]` has no space between two tokens");
                InteropError::malformed(path, problem)
            })?,
        };
        let merged = id(rank, &format!("{left}{right}"))?;
        Ok(Merge { id: merged, left: id(rank, left)?, right: id(rank, right)? })
    };
    model.merges.iter().enumerate().map(merge).collect()
}

fn unsupported(path: &Path, what: &str, given: String, supported: &str) -> InteropError {
    InteropError::unsupported(path, what, given, supported)
}
