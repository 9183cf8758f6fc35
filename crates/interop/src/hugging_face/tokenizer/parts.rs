//! The named rules of `tokenizer.json`: normalizer, pretokenizer, post-processor.

use std::path::Path;

use llm_tokenizer::{Normalizer, Pretokenizer, TokenId};
use serde_json::{Value, json};

use crate::error::InteropError;
use crate::file::excerpt;

/// The expression that Llama 3 folders carry.
pub(in crate::hugging_face) const LLAMA3_PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";
/// The expression that Qwen2 folders carry.
pub(in crate::hugging_face) const QWEN2_PATTERN: &str = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+";

/// The rule that rewrites text.
pub(super) fn normalizer(path: &Path, rule: Option<&Value>) -> Result<Normalizer, InteropError> {
    match steps(rule, "normalizers")[..] {
        [] => Ok(Normalizer::None),
        [step] if kind(step) == "NFC" => Ok(Normalizer::Nfc),
        [step, ..] => {
            let supported = "none, or NFC, which then refuses text that it would change";
            Err(unsupported(path, "normalizer", step, supported))
        }
    }
}

/// The rule that cuts text. All forms end with `ByteLevel`, which writes bytes as characters.
pub(super) fn pretokenizer(
    path: &Path,
    rule: Option<&Value>,
) -> Result<Pretokenizer, InteropError> {
    let steps = steps(rule, "pretokenizers");
    let supported = "ByteLevel, alone or behind Digits or the expression of Llama 3 or Qwen2";
    let Some((last, before)) = steps.split_last() else {
        return Err(unsupported(path, "pre_tokenizer", &Value::Null, supported));
    };
    if kind(last) != "ByteLevel" {
        return Err(unsupported(path, "pre_tokenizer", last, supported));
    }
    if last.get("add_prefix_space") != Some(&json!(false)) {
        let supported =
            "\"add_prefix_space\": false: a space that is not in the text is not scored";
        return Err(unsupported(path, "pre_tokenizer", last, supported));
    }
    let gpt2 = last.get("use_regex") != Some(&json!(false)); // absent in older files, where it was so
    match (before, gpt2) {
        ([], false) => Ok(Pretokenizer::None),
        ([], true) => Ok(Pretokenizer::Gpt2),
        ([digits], true)
            if kind(digits) == "Digits"
                && digits.get("individual_digits") == Some(&json!(true)) =>
        {
            Ok(Pretokenizer::Gpt2Digits)
        }
        ([split], false) if is_cut_by(split, LLAMA3_PATTERN) => Ok(Pretokenizer::Llama3),
        ([split], false) if is_cut_by(split, QWEN2_PATTERN) => Ok(Pretokenizer::Qwen2),
        ([other, ..], _) => Err(unsupported(path, "pre_tokenizer", other, supported)),
    }
}

/// Whether a step makes every match of `pattern` a piece. The patterns match everything, so keeping
/// the matches and dropping what is between them are the same.
fn is_cut_by(step: &Value, pattern: &str) -> bool {
    let has = |key: &str, value: &str| step.get(key).is_some_and(|given| given == value);
    let inverted = step.get("invert") == Some(&json!(true));
    kind(step) == "Split"
        && step.get("pattern") == Some(&json!({"Regex": pattern}))
        && (has("behavior", "Isolated") || (has("behavior", "Removed") && inverted))
}

/// What a post-processor puts around one text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Framing {
    pub(super) before: Option<TokenId>,
    pub(super) behind: Option<TokenId>,
}

/// The tokens that the post-processor adds.
pub(super) fn framing(path: &Path, rule: Option<&Value>) -> Result<Framing, InteropError> {
    let mut framing = Framing::default();
    for step in steps(rule, "processors") {
        match kind(step) {
            "ByteLevel" => {} // moves offsets, adds nothing
            "TemplateProcessing" => {
                framing = template(step).ok_or_else(|| {
                    let supported =
                        "a template of the text with at most one token before and one behind";
                    unsupported(path, "post_processor", step, supported)
                })?
            }
            _ => {
                let supported = "ByteLevel or TemplateProcessing";
                return Err(unsupported(path, "post_processor", step, supported));
            }
        }
    }
    Ok(framing)
}

/// The template of a single text: `[token] A [token]`.
fn template(step: &Value) -> Option<Framing> {
    let token = |piece: &Value| {
        let name = piece.get("SpecialToken")?.get("id")?.as_str()?;
        let [id] = step.get("special_tokens")?.get(name)?.get("ids")?.as_array()?.as_slice() else {
            return None;
        };
        TokenId::try_from(id.as_u64()?).ok()
    };
    let is_text = |piece: &Value| piece.get("Sequence").is_some_and(|text| text["id"] == "A");
    let (before, behind) = match step.get("single")?.as_array()?.as_slice() {
        [text] if is_text(text) => (None, None),
        [before, text] if is_text(text) => (Some(token(before)?), None),
        [text, behind] if is_text(text) => (None, Some(token(behind)?)),
        [before, text, behind] if is_text(text) => (Some(token(before)?), Some(token(behind)?)),
        _ => return None,
    };
    Some(Framing { before, behind })
}

/// The steps of a rule: none, one, or those of a `Sequence`, which keeps them under `inner`.
fn steps<'a>(rule: Option<&'a Value>, inner: &str) -> Vec<&'a Value> {
    match rule {
        None | Some(Value::Null) => Vec::new(),
        Some(rule) if kind(rule) == "Sequence" => match rule.get(inner) {
            Some(Value::Array(steps)) => {
                steps.iter().flat_map(|step| self::steps(Some(step), inner)).collect()
            }
            _ => vec![rule],
        },
        Some(rule) => vec![rule],
    }
}

fn kind(step: &Value) -> &str {
    step.get("type").and_then(Value::as_str).unwrap_or_default()
}

fn unsupported(path: &Path, part: &str, given: &Value, supported: &str) -> InteropError {
    let given = excerpt(&given.to_string());
    InteropError::unsupported(path, format!("`{part}`"), given, supported)
}
