//! `tokenizer_config.json`: which tokens have a role. The file may be missing.

use std::collections::BTreeMap;
use std::path::Path;

use llm_tokenizer::TokenId;
use serde::Deserialize;
use serde_json::Value;

use super::vocabulary::AddedToken;
use crate::error::InteropError;
use crate::file::{self, excerpt};

/// Longest accepted file, in bytes; chat templates and lists of added tokens are in it.
const MAX_BYTES: u64 = 16 << 20;

/// What is read of the file. The rest of its many keys is about chats, lengths and classes.
#[derive(Default, Deserialize)]
struct SettingsFile {
    add_bos_token: Option<bool>,
    add_eos_token: Option<bool>,
    add_prefix_space: Option<bool>,
    #[serde(default)]
    added_tokens_decoder: BTreeMap<String, Value>,
    bos_token: Option<Named>,
    eos_token: Option<Named>,
    pad_token: Option<Named>,
    unk_token: Option<Named>,
}

/// A token by its text, alone or in an object that describes it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Named {
    Text(String),
    Described { content: String },
}

/// Roles of tokens, by their ids.
#[derive(Default)]
pub(super) struct Settings {
    pub(super) start: Option<TokenId>,
    pub(super) end: Option<TokenId>,
    pub(super) padding: Option<TokenId>,
    pub(super) unknown: Option<TokenId>,
    pub(super) add_start: bool,
    pub(super) add_end: bool,
    frames_itself: bool,
}

impl Settings {
    /// Reads the file at `path`. `added` are the added tokens of `tokenizer.json` at `beside`.
    pub(super) fn read(
        path: &Path,
        beside: &Path,
        added: &[AddedToken],
    ) -> Result<Self, InteropError> {
        if !path.exists() {
            return Ok(Self::default());
        }
        let file: SettingsFile =
            serde_json::from_slice(&file::read(path, MAX_BYTES)?).map_err(|error| {
                InteropError::malformed(path, format!("not read: {}", excerpt(&error.to_string())))
            })?;
        if file.add_prefix_space == Some(true) {
            let supported = "false: a space that is not in the text is never scored";
            return Err(InteropError::unsupported(path, "`add_prefix_space`", "true", supported));
        }
        // Added only here, a token would be found in text by one program and not by another.
        let known = |id: &String| added.iter().any(|token| token.id.to_string() == *id);
        if let Some(id) = file.added_tokens_decoder.keys().find(|id| !known(id)) {
            let given = format!("token {}", excerpt(id));
            let supported = format!("tokens that {} adds too", beside.display());
            return Err(InteropError::unsupported(
                path,
                "`added_tokens_decoder`",
                given,
                supported,
            ));
        }
        let id = |named: &Option<Named>| {
            let (Named::Text(text) | Named::Described { content: text }) = named.as_ref()?;
            added.iter().find(|token| token.content == *text).map(|token| token.id)
        };
        Ok(Self {
            start: id(&file.bos_token),
            end: id(&file.eos_token),
            padding: id(&file.pad_token),
            unknown: id(&file.unk_token),
            add_start: file.add_bos_token == Some(true),
            add_end: file.add_eos_token == Some(true),
            frames_itself: file.add_bos_token.is_some() || file.add_eos_token.is_some(),
        })
    }

    /// Whether the file decides what is put around a text.
    pub(super) fn frames_itself(&self) -> bool {
        self.frames_itself
    }
}
