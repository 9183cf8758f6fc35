//! A tokenizer of ours as `tokenizer.json`.

use llm_tokenizer::{Normalizer, Pretokenizer, TokenId, Tokenizer, TokenizerArtifact};
use serde_json::{Value, json};

use super::tokenizer::{LLAMA3_PATTERN, QWEN2_PATTERN};
use crate::error::InteropError;
use crate::spelling;

/// The file, and how the library that reads it differs from us.
pub(super) struct TokenizerJson {
    pub(super) json: Value,
    pub(super) notes: Vec<String>,
}

/// Writes a tokenizer as the `tokenizers` library reads it.
pub(super) fn tokenizer_json(tokenizer: &Tokenizer) -> Result<TokenizerJson, InteropError> {
    let artifact = tokenizer.artifact();
    let json = json!({
        "added_tokens": added_tokens(artifact)?,
        "decoder": byte_level(false),
        "model": {
            "byte_fallback": false,
            "continuing_subword_prefix": null,
            "dropout": null,
            "end_of_word_suffix": null,
            "fuse_unk": false,
            "ignore_merges": artifact.whole_piece_first,
            "merges": spelling::merges(tokenizer),
            "type": "BPE",
            "unk_token": null,
            // Control and added tokens stand here too: only so do they keep their ids.
            "vocab": spelling::vocabulary(tokenizer)?,
        },
        "normalizer": normalizer(artifact.normalizer)?,
        "padding": null,
        "post_processor": artifact.document_start.map(|start| template(tokenizer, start)),
        "pre_tokenizer": pretokenizer(artifact.pretokenizer)?,
        "truncation": null,
        "version": "1.0",
    });
    Ok(TokenizerJson { json, notes: notes(artifact) })
}

fn notes(artifact: &TokenizerArtifact) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(token) = artifact.control_tokens.first() {
        notes.push(format!(
            "text that spells a control token, such as {:?}, becomes that token in transformers \
             (unless split_special_tokens is set) and never does here",
            token.text
        ));
    }
    let missing = artifact.byte_ids.iter().filter(|id| id.is_none()).count();
    if missing > 0 {
        notes.push(format!(
            "{missing} bytes have no token: text with one is an error here and loses it in \
             transformers"
        ));
    }
    if artifact.normalizer == Normalizer::Nfc {
        let note =
            "text that is not in normal form C is an error here and rewritten in transformers";
        notes.push(note.to_owned());
    }
    notes
}

fn added_tokens(artifact: &TokenizerArtifact) -> Result<Vec<Value>, InteropError> {
    let token = |id: TokenId, content: &str, special: bool| {
        let value = json!({
            "content": content, "id": id, "lstrip": false, "normalized": false, "rstrip": false,
            "single_word": false, "special": special,
        });
        (id, value)
    };
    let control = artifact.control_tokens.iter().map(|t| Ok(token(t.id, &t.text, true)));
    let extra = artifact.extra_tokens.iter().filter(|t| t.match_text).map(|t| {
        let text = str::from_utf8(&t.bytes).map_err(|_| {
            InteropError::inexpressible(format!(
                "token {} is matched in text but is no UTF-8",
                t.id
            ))
        })?;
        Ok(token(t.id, text, false))
    });
    let mut tokens: Vec<(TokenId, Value)> =
        control.chain(extra).collect::<Result<_, InteropError>>()?;
    tokens.sort_by_key(|(id, _)| *id);
    Ok(tokens.into_iter().map(|(_, value)| value).collect())
}

fn byte_level(use_regex: bool) -> Value {
    json!({
        "add_prefix_space": false, "trim_offsets": false, "type": "ByteLevel",
        "use_regex": use_regex,
    })
}

fn normalizer(rule: Normalizer) -> Result<Value, InteropError> {
    match rule {
        Normalizer::None => Ok(Value::Null),
        Normalizer::Nfc => Ok(json!({"type": "NFC"})),
        other => Err(InteropError::inexpressible(format!("normalizer {other:?}"))),
    }
}

fn pretokenizer(rule: Pretokenizer) -> Result<Value, InteropError> {
    let sequence = |steps: [Value; 2]| json!({"pretokenizers": steps, "type": "Sequence"});
    let split = |pattern: &str| {
        json!({
            "behavior": "Isolated", "invert": false, "pattern": {"Regex": pattern}, "type": "Split",
        })
    };
    Ok(match rule {
        Pretokenizer::None => byte_level(false),
        Pretokenizer::Gpt2 => byte_level(true),
        Pretokenizer::Gpt2Digits => {
            let digits = json!({"individual_digits": true, "type": "Digits"});
            sequence([digits, byte_level(true)])
        }
        Pretokenizer::Llama3 => sequence([split(LLAMA3_PATTERN), byte_level(false)]),
        Pretokenizer::Qwen2 => sequence([split(QWEN2_PATTERN), byte_level(false)]),
        other => return Err(InteropError::inexpressible(format!("pretokenizer {other:?}"))),
    })
}

/// Puts the start token before a text.
fn template(tokenizer: &Tokenizer, start: TokenId) -> Value {
    let name = tokenizer.spelling(start);
    let token = |type_id: u8| json!({"SpecialToken": {"id": name, "type_id": type_id}});
    let text = |id: &str, type_id: u8| json!({"Sequence": {"id": id, "type_id": type_id}});
    let mut special_tokens = serde_json::Map::new();
    special_tokens.insert(name.clone(), json!({"id": name, "ids": [start], "tokens": [name]}));
    json!({
        "pair": [token(0), text("A", 0), token(1), text("B", 1)],
        "single": [token(0), text("A", 0)],
        "special_tokens": special_tokens,
        "type": "TemplateProcessing",
    })
}
