//! From a prompt and its options to ids, and what happens where they join.
//!
//! First, spaces at the end of the prompt move to the option: `"A: "` with `"yes"` is asked as
//! `"A:"` with `" yes"`, since tokenizers put the space in front of a word and a lone space at the
//! end would be a token that training text hardly has.
//!
//! Then, a tokenizer may have a token that spans the join: with the merges of `Answer`, the prompt
//! `Ans` and the option `wer` are one token together. A [`BoundaryRule`] says what is scored then:
//!
//! ```text
//! separate   ids of Ans | ids of wer      3 bytes scored, by ids that the model may rarely have
//!                                         seen in this place; flagged `split`
//! back-off   ids before | ids of Answer   6 bytes scored, the text is encoded as in training;
//!                                         flagged `backed-off`
//! ```
//!
//! Backing off goes to the last id that the prompt shares with *all* its options joined to it, so
//! that all options of an item are scored from the same place and stay comparable.
//!
//! Whatever is scored, bytes and characters are counted in the text of the very ids that are
//! scored.

use llm_corpus::CorpusError;
use llm_tokenizer::{TokenId, Tokenizer};
use serde::{Deserialize, Serialize};

use super::item::bare;
use super::{OptionScoring, Question, TaskError};
use crate::decoder::shared_start;
use crate::{ScoreError, StartToken};

/// What is scored if prompt and option, joined, are encoded differently than alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BoundaryRule {
    /// Prompt and option are encoded alone and their ids put together.
    #[default]
    Separate,
    /// The joined text is encoded, and scored from the last id on that the prompt alone shares with
    /// every option's joined text.
    BackOff,
}

/// How an option's ids joined those of its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Join {
    /// Joined or separate, the ids are the same.
    Clean,
    /// The joined text would be encoded differently, and was not.
    Split,
    /// Scoring starts before the end of the prompt.
    BackedOff,
}

/// A question in ids.
pub(super) struct EncodedQuestion {
    /// What is read before every option, a start token included; not empty.
    pub(super) context: Vec<TokenId>,
    pub(super) options: Vec<EncodedOption>,
}

/// What is scored of an option, and its length in every unit.
pub(super) struct EncodedOption {
    pub(super) ids: Vec<TokenId>,
    pub(super) join: Join,
    pub(super) bytes: u64,
    pub(super) characters: u64,
    pub(super) bare_characters: u64,
}

/// Encodes question number `item`.
pub(super) fn encode(
    item: usize,
    question: &Question<'_>,
    scoring: &OptionScoring,
    tokenizer: &Tokenizer,
) -> Result<EncodedQuestion, TaskError> {
    let encoded = |text: &str| encode_text(text, tokenizer, || format!("item {item}"));
    let context = question.prompt().trim_end_matches(' ');
    let spaces = &question.prompt()[context.len()..];
    let context_ids = encoded(context)?;
    let (mut alone, mut joined) = (Vec::new(), Vec::new());
    for option in question.item().options() {
        let option = format!("{spaces}{option}");
        alone.push(encoded(&option)?);
        joined.push(encoded(&format!("{context}{option}"))?);
    }
    let is_clean = |i: usize| joined[i] == [&context_ids[..], &alone[i]].concat();
    let (kept, scored): (usize, Vec<(Vec<TokenId>, Join)>) = match scoring.boundary {
        BoundaryRule::Separate => {
            let join = |i| if is_clean(i) { Join::Clean } else { Join::Split };
            let joins: Vec<Join> = (0..alone.len()).map(join).collect();
            (context_ids.len(), alone.into_iter().zip(joins).collect())
        }
        BoundaryRule::BackOff => {
            let shared = |joined: &Vec<TokenId>| shared_start(joined, &context_ids);
            let kept = joined.iter().map(shared).min().unwrap_or(0);
            let join = if kept == context_ids.len() { Join::Clean } else { Join::BackedOff };
            (kept, joined.iter().map(|joined| (joined[kept..].to_vec(), join)).collect())
        }
    };
    let mut context = start_ids(scoring.start_token, tokenizer)?;
    context.extend(&context_ids[..kept]);
    if context.is_empty() {
        let problem = "nothing stands before the first scored token: give the item a context or \
                       choose a start token";
        return Err(TaskError::Option { item, option: 0, problem: problem.to_owned() });
    }
    let options = question.item().options().iter().zip(scored);
    let options = options.map(|(text, (ids, join))| measure(text, ids, join, tokenizer)).collect();
    Ok(EncodedQuestion { context, options })
}

/// The ids of the neutral prompt. Spaces at its end belong to the options, which have theirs.
pub(super) fn encode_neutral(
    prompt: &str,
    scoring: &OptionScoring,
    tokenizer: &Tokenizer,
) -> Result<Vec<TokenId>, TaskError> {
    let mut ids = start_ids(scoring.start_token, tokenizer)?;
    let name = || "neutral prompt".to_owned();
    ids.extend(encode_text(prompt.trim_end_matches(' '), tokenizer, name)?);
    if ids.is_empty() {
        let problem = "the neutral prompt is empty: give it a text or choose a start token";
        return Err(TaskError::Item { problem: problem.to_owned() });
    }
    Ok(ids)
}

fn measure(option: &str, ids: Vec<TokenId>, join: Join, tokenizer: &Tokenizer) -> EncodedOption {
    let text: Vec<u8> =
        ids.iter().flat_map(|&id| tokenizer.token_bytes(id).unwrap_or_default()).copied().collect();
    // Backing off can start inside a character; one counts where its first byte is.
    let starts = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
    let characters = text.iter().filter(starts).count() as u64;
    let bare_characters = bare(option).chars().count() as u64;
    EncodedOption { ids, join, bytes: text.len() as u64, characters, bare_characters }
}

fn encode_text(
    text: &str,
    tokenizer: &Tokenizer,
    name: impl Fn() -> String,
) -> Result<Vec<TokenId>, TaskError> {
    let refuse = |source| CorpusError::Tokenizer { document: name(), source };
    Ok(tokenizer.encode(text.as_bytes()).map_err(refuse).map_err(ScoreError::from)?)
}

fn start_ids(start: StartToken, tokenizer: &Tokenizer) -> Result<Vec<TokenId>, TaskError> {
    Ok(Vec::from_iter(start.id(tokenizer)?))
}
