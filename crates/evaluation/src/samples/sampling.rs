//! Text from any language model.
//!
//! The decoder has a faster way of its own that keeps what it has read
//! ([`DecoderModel::generate`](llm_model::DecoderModel::generate)); this one asks for one row at a
//! time, and so works for every model. Filters, random numbers and stopping are the same code.

use llm_corpus::TokenId;
use llm_metrics::SplitMix64;
use llm_model::{Decoding, Generation, GenerationConfig, generate_with};

use crate::{LanguageModel, Place, RowRequest, ScoreError};

/// Goes on from a prompt, a start token at least.
///
/// # Errors
/// [`ScoreError::Request`] for an empty prompt, one that the context does not hold, or an unknown
/// id; [`ScoreError::Generation`] for a filter that cannot be, [`ScoreError::Model`] and
/// [`ScoreError::NonFinite`] from the model.
///
/// # Example
/// `a` (2) was followed by `b` (3) twice and by itself once; `b` by the end (1) and by `a`:
/// ```
/// use llm_baselines::{NgramModel, Smoothing};
/// use llm_corpus::{EncodedDocument, Partition};
/// use llm_evaluation::sample_text;
/// use llm_model::{Decoding, GenerationConfig};
///
/// let text = EncodedDocument::from_ids("aabab", Partition::Train, vec![0, 2, 2, 3, 2, 3, 1])?;
/// let bigram = NgramModel::fit(4, 2, Smoothing::AddK { k: 0.01 }, &[text])?;
/// let config =
///     GenerationConfig { decoding: Decoding::Greedy, end_token: Some(1), max_new_tokens: 6 };
/// // After b the end and a are equally likely; the lower id wins.
/// assert_eq!(sample_text(&bigram, &[0], &config)?.ids, [2, 3, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn sample_text(
    model: &dyn LanguageModel,
    prompt: &[TokenId],
    config: &GenerationConfig,
) -> Result<Generation, ScoreError> {
    if prompt.is_empty() {
        let place = Place::Request { request: 0, position: 0 };
        let problem = "an empty prompt: begin with the model's start token".to_owned();
        return Err(ScoreError::Request { place, problem });
    }
    RowRequest::next(prompt).check(0, model)?;
    let last_row = |ids: &[TokenId]| {
        let mut last = Vec::new();
        model.visit_rows(&[RowRequest::next(ids)], &mut |row| {
            last = row.log_probabilities.to_vec();
            Ok(())
        })?;
        Ok(last)
    };
    generate_with(model.max_context(), prompt, config, |_| (), last_row)
}

/// `count` texts from one prompt. Text i is sampled with the i-th number of the SplitMix64 stream
/// of the configuration's seed as its own seed, so it does not depend on `count`, nor on how long
/// the others are. Greedy texts are all the same.
///
/// # Errors
/// As [`sample_text`].
pub fn sample_texts(
    model: &dyn LanguageModel,
    prompt: &[TokenId],
    config: &GenerationConfig,
    count: usize,
) -> Result<Vec<Generation>, ScoreError> {
    let Decoding::Sample { filters, seed } = config.decoding else {
        return Ok(vec![sample_text(model, prompt, config)?; count]);
    };
    let mut seeds = SplitMix64::new(seed);
    let one = |_| {
        let decoding = Decoding::Sample { filters, seed: seeds.next_u64() };
        sample_text(model, prompt, &GenerationConfig { decoding, ..*config })
    };
    (0..count).map(one).collect()
}
