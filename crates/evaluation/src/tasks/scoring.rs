//! One pass of a model over questions, from prompts to records.

use std::num::NonZeroUsize;

use llm_tokenizer::{TokenId, Tokenizer};
use serde::{Deserialize, Serialize};

use super::boundary::{EncodedQuestion, encode, encode_neutral};
use super::{BoundaryRule, OptionRecord, Question, TaskError};
use crate::{LanguageModel, Place, ScoreError, ScoreRequest, StartToken};

/// How prompts and options become ids. Part of the conditions under which a number was measured.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionScoring {
    /// What stands before every prompt.
    pub start_token: StartToken,
    /// What is scored if a token spans the join of prompt and option.
    pub boundary: BoundaryRule,
    /// A prompt that tells nothing, such as `Answer:`. With one, the very ids that were scored are
    /// scored behind it too, in a second pass, for
    /// [`MutualInformation`](super::OptionRule::MutualInformation).
    #[serde(deserialize_with = "Option::deserialize")] // null must be written
    pub neutral_prompt: Option<String>,
}

/// Scores every option of every question: one record each, questions and options in order.
///
/// Only an option's ids are targets, never those of its prompt. `batch` questions are given to the
/// model at a time. Records have the same bits for every `batch`, whatever else is asked, and with
/// or without a neutral prompt.
///
/// # Errors
/// Before anything is scored: [`TaskError::Score`] for a start token that the tokenizer does not
/// have or a text that it cannot encode, [`TaskError::Option`] for an option with nothing before it
/// or one that does not fit the model's context. Then what the model refuses, with item and option.
pub fn score_options(
    model: &dyn LanguageModel,
    tokenizer: &Tokenizer,
    questions: &[Question<'_>],
    scoring: &OptionScoring,
    batch: NonZeroUsize,
) -> Result<Vec<OptionRecord>, TaskError> {
    let neutral = scoring.neutral_prompt.as_deref();
    let neutral = neutral.map(|text| encode_neutral(text, scoring, tokenizer)).transpose()?;
    let mut encoded = Vec::with_capacity(questions.len());
    for (item, question) in questions.iter().enumerate() {
        let question = encode(item, question, scoring, tokenizer)?;
        let longest = question.context.len().max(neutral.as_ref().map_or(0, Vec::len));
        check_length(model, item, longest, &question)?;
        encoded.push(question);
    }
    let mut records = Vec::new();
    for first in (0..questions.len()).step_by(batch.get()) {
        let batch = &encoded[first..encoded.len().min(first + batch.get())];
        let given = score_after(model, batch, first, |question| &question.context)?;
        let mut alone = match &neutral {
            Some(neutral) => Some(score_after(model, batch, first, |_| neutral)?.into_iter()),
            None => None,
        };
        let mut given = given.into_iter();
        for (item, question) in (first..).zip(batch) {
            let digest = questions[item].item().digest();
            for (option, encoded) in question.options.iter().enumerate() {
                records.push(OptionRecord {
                    item,
                    digest: digest.clone(),
                    group: questions[item].item().group().map(str::to_owned),
                    option,
                    is_answer: option == questions[item].item().answer(),
                    log_probabilities: given.next().unwrap_or_default(),
                    neutral_log_probabilities: alone.as_mut().and_then(Iterator::next),
                    bytes: encoded.bytes,
                    characters: encoded.characters,
                    bare_characters: encoded.bare_characters,
                    join: encoded.join,
                });
            }
        }
    }
    Ok(records)
}

/// Refuses an option that would be cut off.
fn check_length(
    model: &dyn LanguageModel,
    item: usize,
    before: usize,
    question: &EncodedQuestion,
) -> Result<(), TaskError> {
    let Some(most) = model.max_context() else { return Ok(()) };
    for (option, encoded) in question.options.iter().enumerate() {
        let read = before + encoded.ids.len() - 1; // the last id is predicted and not read
        if read > most {
            let problem = format!(
                "{read} ids to read, the model's context holds {most}: shorten the prompt or show \
                 fewer examples"
            );
            return Err(TaskError::Option { item, option, problem });
        }
    }
    Ok(())
}

/// The log-probabilities of the ids of every option of a batch behind some context. The options of
/// a question follow each other, so that a model need not read their context again.
fn score_after<'q>(
    model: &dyn LanguageModel,
    batch: &'q [EncodedQuestion],
    first: usize,
    context: impl Fn(&'q EncodedQuestion) -> &'q [TokenId],
) -> Result<Vec<Vec<f64>>, TaskError> {
    let (mut ids, mut owners) = (Vec::new(), Vec::new());
    for (item, question) in (first..).zip(batch) {
        for (option, encoded) in question.options.iter().enumerate() {
            let context = context(question);
            ids.push(([context, &encoded.ids].concat(), context.len()));
            owners.push((item, option));
        }
    }
    let mut requests = Vec::with_capacity(ids.len());
    for (ids, first_target) in &ids {
        requests.push(ScoreRequest { ids, first_target: *first_target });
    }
    let named = |error: ScoreError| {
        error.relocate(|place| match place {
            Place::Request { request, position } if request < owners.len() => {
                let (item, option) = owners[request];
                Place::Option { item, option, position }
            }
            other => other,
        })
    };
    let scores = model.score(&requests).map_err(named)?;
    let mut all = Vec::with_capacity(scores.len());
    for ((scores, request), (item, option)) in scores.iter().zip(&requests).zip(owners) {
        let (given, expected) = (scores.len(), request.ids.len() - request.first_target);
        if given != expected {
            let problem = format!("the model gave {given} scores, expected {expected}");
            return Err(TaskError::Option { item, option, problem });
        }
        all.push(scores.iter().map(|score| score.log_probability).collect());
    }
    Ok(all)
}
