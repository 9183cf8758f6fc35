//! Text from a model, token by token.
//!
//! Read the prompt, choose the next token from the logits behind it, read that token, and so on.
//! With a key/value cache each token is computed once; without it every token of the text is
//! computed again for each new one. Both give the same logits to the bit, hence the same text.
//!
//! | to see | read |
//! | --- | --- |
//! | what is kept of earlier tokens | `generate/cache.rs` |
//! | the forward pass of new tokens | `generate/extend.rs` |
//! | several continuations at once | `generate/branches.rs` |
//! | greedy, temperature, top-k, top-p | `generate/distribution.rs`, `generate/decoding.rs` |

mod branches;
mod cache;
mod decoding;
mod distribution;
mod extend;

pub use cache::KeyValueCache;
pub use decoding::{Decoding, Filters, Sampler};
pub use distribution::{Candidate, Distribution};

use llm_autograd::{AutogradContext, Element, Kernels};
use llm_corpus::{RaggedBatch, RaggedSegment, TokenId};

use crate::{DecoderModel, ModelError};

/// How to go on from a prompt, and when to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationConfig {
    /// How a token is chosen.
    pub decoding: Decoding,
    /// The token that ends a text; it is the last one then.
    pub end_token: Option<TokenId>,
    /// Most tokens to add.
    pub max_new_tokens: usize,
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generation {
    /// The new tokens, without the prompt.
    pub ids: Vec<TokenId>,
    /// Why there are no more.
    pub stop: Stop,
}

/// Why a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The model chose the end token.
    EndToken,
    /// As many tokens as were asked for.
    MaxNewTokens,
    /// The context is full: the last token can be written but not read. Prompt and new tokens are
    /// `context_len + 1` then, as many as the longest document that the model can score has.
    Capacity,
}

/// What there is to see when a token was chosen.
#[derive(Clone, Copy, Debug)]
pub struct Step<'a, E> {
    /// The logits behind the last token, `[vocab_size]`.
    pub logits: &'a [E],
    /// The distribution before the filters.
    pub before: &'a Distribution,
    /// The distribution that the token was chosen from.
    pub after: &'a Distribution,
    /// The token.
    pub chosen: TokenId,
}

impl<E: Element> DecoderModel<E> {
    /// Goes on from a prompt, with a key/value cache.
    ///
    /// `watch` is shown every step; pass `|_| ()` to look at none.
    ///
    /// # Errors
    /// [`ModelError::ChunkLength`] for an empty prompt or one longer than the context,
    /// [`ModelError::Token`] for an id outside the vocabulary, [`ModelError::InvalidConfig`] for
    /// a filter that cannot be, [`ModelError::Logits`] for a model that gives NaN.
    ///
    /// # Example
    /// ```
    /// use llm_autograd::Kernels;
    /// use llm_model::{Decoding, DecoderConfig, DecoderModel, GenerationConfig, Stop};
    /// let model = DecoderModel::<f64>::initialize(DecoderConfig::reference(10, 8).validate()?, 39);
    /// let config =
    ///     GenerationConfig { decoding: Decoding::Greedy, end_token: None, max_new_tokens: 100 };
    /// let kernels = Kernels::detect();
    /// let text = model.generate(kernels, &[0, 5, 6], &config, |_| ())?;
    /// assert_eq!((text.ids.len(), text.stop), (6, Stop::Capacity)); // 8 are read, a 9th is not
    /// assert_eq!(model.generate_uncached(kernels, &[0, 5, 6], &config, |_| ())?, text);
    /// # Ok::<(), llm_model::ModelError>(())
    /// ```
    pub fn generate(
        &self,
        kernels: Kernels,
        prompt: &[TokenId],
        config: &GenerationConfig,
        watch: impl FnMut(Step<'_, E>),
    ) -> Result<Generation, ModelError> {
        self.check_prompt(prompt)?;
        let context_len = self.config().context_len;
        // Room for what will be read, however long a context the model has.
        let capacity = prompt.len().saturating_add(config.max_new_tokens).min(context_len);
        let mut cache = KeyValueCache::new(self.config(), capacity)?;
        let last_logits = |ids: &[TokenId]| {
            let unread = &ids[cache.len()..];
            Ok(self.prefill(kernels, &mut cache, unread)?.row(0).to_vec())
        };
        generate_with(Some(context_len), prompt, config, watch, last_logits)
    }

    /// As [`generate`](Self::generate), but computes the whole text again for each new token: slow,
    /// obvious, and the same result.
    ///
    /// # Errors
    /// As [`generate`](Self::generate).
    pub fn generate_uncached(
        &self,
        kernels: Kernels,
        prompt: &[TokenId],
        config: &GenerationConfig,
        watch: impl FnMut(Step<'_, E>),
    ) -> Result<Generation, ModelError> {
        self.check_prompt(prompt)?;
        let context = AutogradContext::no_grad_with(kernels);
        let last_logits = |ids: &[TokenId]| {
            let logits = self.logits(&context, &one_document(ids))?;
            Ok(logits.tensor().row(ids.len() - 1).to_vec())
        };
        generate_with(Some(self.config().context_len), prompt, config, watch, last_logits)
    }

    /// Refuses a prompt that the decoder cannot read.
    fn check_prompt(&self, prompt: &[TokenId]) -> Result<(), ModelError> {
        let capacity = self.config().context_len;
        if prompt.is_empty() || prompt.len() > capacity {
            return Err(ModelError::ChunkLength { given: prompt.len(), used: 0, capacity });
        }
        extend::check_ids(prompt, self.config().vocab_size)
    }
}

/// The loop of every generation, whoever predicts: `last_logits` is given all ids so far and says
/// what may come behind them, as logits or as log-probabilities, `[vocab_size]`.
///
/// `context_len` is how many ids can be read, `None` if there is no limit. The prompt is not
/// checked: `last_logits` refuses what it cannot read.
///
/// # Errors
/// As [`Sampler::new`] and [`Distribution::from_logits`], and whatever `last_logits` returns.
///
/// # Example
/// Whoever says after n ids that id n comes next counts:
/// ```
/// use llm_model::{Decoding, GenerationConfig, ModelError, Stop, generate_with};
/// let counts = |ids: &[u32]| -> Result<Vec<f64>, ModelError> {
///     Ok((0..10).map(|id| if id == ids.len() { 0.0 } else { f64::NEG_INFINITY }).collect())
/// };
/// let config =
///     GenerationConfig { decoding: Decoding::Greedy, end_token: Some(5), max_new_tokens: 100 };
/// let text = generate_with(None, &[0], &config, |_| (), counts)?;
/// assert_eq!((text.ids, text.stop), (vec![1, 2, 3, 4, 5], Stop::EndToken));
/// # Ok::<(), ModelError>(())
/// ```
pub fn generate_with<E: Element, Failure: From<ModelError>>(
    context_len: Option<usize>,
    prompt: &[TokenId],
    config: &GenerationConfig,
    mut watch: impl FnMut(Step<'_, E>),
    mut last_logits: impl FnMut(&[TokenId]) -> Result<Vec<E>, Failure>,
) -> Result<Generation, Failure> {
    let mut sampler = Sampler::new(config.decoding)?;
    let mut ids = prompt.to_vec();
    let stop = loop {
        if ids.len() - prompt.len() == config.max_new_tokens {
            break Stop::MaxNewTokens;
        }
        if context_len.is_some_and(|most| ids.len() > most) {
            break Stop::Capacity;
        }
        let logits = last_logits(&ids)?;
        let before = Distribution::from_logits(&logits)?;
        let after = sampler.filter(before.clone())?;
        let chosen = sampler.choose(&after);
        watch(Step { logits: &logits, before: &before, after: &after, chosen });
        ids.push(chosen);
        if Some(chosen) == config.end_token {
            break Stop::EndToken;
        }
    };
    Ok(Generation { ids: ids.split_off(prompt.len()), stop })
}

/// A list of tokens as the ragged list that the forward pass reads; nothing is scored.
fn one_document(ids: &[TokenId]) -> RaggedBatch {
    let len = ids.len();
    RaggedBatch {
        inputs: ids.to_vec(),
        targets: ids.to_vec(), // a placeholder, since none is scored
        scored: vec![false; len],
        positions: (0..len).collect(),
        cells: (0..len).collect(),
        segments: vec![RaggedSegment { ordinal: 0, start: 0, len, first_position: 0 }],
    }
}

#[cfg(test)]
mod tests;
