//! `tokenizer.json` and `tokenizer_config.json` as a tokenizer of ours.
//!
//! Read with serde and not with the `tokenizers` crate: of its many models and rules only byte-level
//! BPE is supported here, what matters is to refuse the rest by name, and it would bring more crates
//! into every build than the rest of this one. It is the oracle instead: the ids that it gives to texts
//! are stored beside the tests.

mod parts;
mod settings;
mod vocabulary;

use std::path::Path;

use llm_tokenizer::{ControlRole, FORMAT_VERSION, TokenId, Tokenizer, TokenizerArtifact};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Boundaries;
use crate::error::InteropError;
use crate::file::{self, excerpt};
use parts::Framing;
use settings::Settings;
use vocabulary::{AddedToken, Model};

pub(super) use parts::{LLAMA3_PATTERN, QWEN2_PATTERN};

/// Longest accepted file, in bytes; the largest published ones have about 30 MB.
const MAX_BYTES: u64 = 256 << 20;

/// `tokenizer.json`. Fields that are named and ignored change no ids of a whole text: how a text is
/// cut to a length, how batches are padded, how ids become text (always the bytes of the tokens here).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TokenizerFile {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    model: Model,
    normalizer: Option<Value>,
    post_processor: Option<Value>,
    pre_tokenizer: Option<Value>,
    #[serde(rename = "decoder")]
    _decoder: Option<IgnoredAny>,
    #[serde(rename = "padding")]
    _padding: Option<IgnoredAny>,
    #[serde(rename = "truncation")]
    _truncation: Option<IgnoredAny>,
    #[serde(rename = "version")]
    _version: Option<IgnoredAny>,
}

/// Reads the tokenizer of the folder `dir` for a model of `vocab_size` ids.
///
/// `named` are the boundaries that `config.json` names, used where `tokenizer_config.json` is silent.
pub(super) fn read(
    dir: &Path,
    vocab_size: usize,
    named: Boundaries,
) -> Result<(Tokenizer, Boundaries), InteropError> {
    let path = &dir.join("tokenizer.json");
    let bytes = file::read(path, MAX_BYTES)?;
    demand_bpe(path, &bytes)?;
    let file: TokenizerFile = parse(path, &bytes)?;
    let settings = Settings::read(&dir.join("tokenizer_config.json"), path, &file.added_tokens)?;
    let vocabulary = vocabulary::read(path, &file.model, &file.added_tokens)?;
    let framing = parts::framing(path, file.post_processor.as_ref())?;
    let boundaries = boundaries(path, &file.added_tokens, &settings, framing, named)?;

    let mut control_tokens = vocabulary.control_tokens;
    for token in &mut control_tokens {
        token.role = role(token.id, &boundaries, &settings);
    }
    let artifact = TokenizerArtifact {
        byte_ids: vocabulary.byte_ids,
        document_end: boundaries.end,
        document_start: boundaries.start.filter(|_| boundaries.prepends_start),
        control_tokens,
        extra_tokens: vocabulary.extra_tokens,
        format_version: FORMAT_VERSION,
        merges: vocabulary.merges,
        normalizer: parts::normalizer(path, file.normalizer.as_ref())?,
        pretokenizer: parts::pretokenizer(path, file.pre_tokenizer.as_ref())?,
        vocab_size: vocab_size as u32, // a valid configuration has at most 2^32 - 1 ids
        whole_piece_first: file.model.ignore_merges,
    };
    let tokenizer = Tokenizer::from_artifact(artifact)
        .map_err(|source| InteropError::Tokenizer { path: path.clone(), source })?;
    Ok((tokenizer, boundaries))
}

fn parse<'a, T: Deserialize<'a>>(path: &Path, bytes: &'a [u8]) -> Result<T, InteropError> {
    serde_json::from_slice(bytes).map_err(|error| {
        let problem = format!("no tokenizer of a known form: {}", excerpt(&error.to_string()));
        InteropError::malformed(path, problem)
    })
}

/// Refuses other kinds of tokenizers by their name; asked first, since they have other fields.
fn demand_bpe(path: &Path, bytes: &[u8]) -> Result<(), InteropError> {
    #[derive(Deserialize)]
    struct KindOnly {
        model: ModelKind,
    }
    #[derive(Deserialize)]
    struct ModelKind {
        #[serde(rename = "type")]
        kind: Option<String>,
    }
    match parse::<KindOnly>(path, bytes)?.model.kind {
        Some(kind) if kind != "BPE" => {
            Err(InteropError::unsupported(path, "`model.type`", excerpt(&kind), "BPE"))
        }
        _ => Ok(()), // older files name no kind
    }
}

/// Which tokens frame a text. `add_bos_token` and `add_eos_token` of `tokenizer_config.json`, where they
/// are written, replace the template of `tokenizer.json`, as in `transformers`.
fn boundaries(
    path: &Path,
    added: &[AddedToken],
    settings: &Settings,
    template: Framing,
    named: Boundaries,
) -> Result<Boundaries, InteropError> {
    let special = |id: &TokenId| added.iter().any(|token| token.id == *id && token.special);
    let start = settings.start.or(named.start).filter(special);
    let end = settings.end.or(named.end).filter(special);
    if settings.frames_itself() {
        let (prepends_start, appends_end) =
            (settings.add_start && start.is_some(), settings.add_end && end.is_some());
        return Ok(Boundaries { start, end, prepends_start, appends_end });
    }
    for (what, id) in [("before", template.before), ("behind", template.behind)] {
        if let Some(id) = id.filter(|id| !special(id)) {
            let given = format!("token {id}, which is no special token");
            let what = format!("`post_processor`, what stands {what} a text,");
            return Err(InteropError::unsupported(path, what, given, "a special token"));
        }
    }
    Ok(Boundaries {
        start: template.before.or(start),
        end: template.behind.or(end),
        prepends_start: template.before.is_some(),
        appends_end: template.behind.is_some(),
    })
}

/// What a control token is for. A token that is both start and end, as in GPT-2, ends.
fn role(id: TokenId, boundaries: &Boundaries, settings: &Settings) -> ControlRole {
    match Some(id) {
        this if this == boundaries.end => ControlRole::End,
        this if this == boundaries.start => ControlRole::Start,
        this if this == settings.padding => ControlRole::Padding,
        this if this == settings.unknown => ControlRole::Unknown,
        _ => ControlRole::Other,
    }
}
