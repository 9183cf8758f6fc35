//! The add-one bigram: the next token, guessed from the previous one alone.
//!
//! Let `C_uv` be how often token `v` followed token `u` in the training documents, `C_u` how often
//! anything followed `u`, and `V` the size of the vocabulary. Then
//!
//! ```text
//! q(v | u) = (C_uv + 1) / (C_u + V)
//! ```
//!
//! The plain ratio `C_uv / C_u` would give probability 0, an infinite loss, to every pair that
//! training did not happen to show. Adding one imaginary sighting of each of the `V` successors
//! leaves nothing impossible. Every row still sums to one, since the numerators over all `v` sum to
//! `C_u + V`; the row of a token never seen is uniform, `1 / V`.
//!
//! For a large vocabulary the imaginary sightings outweigh the real ones (266 against at most 5 in
//! the evaluation chapter), so this is a weak baseline. That is what makes it a floor.
//!
//! Source: Laplace's rule of succession; Chen and Goodman, *An Empirical Study of Smoothing
//! Techniques for Language Modeling* (1996), under additive smoothing,
//! <https://arxiv.org/abs/cmp-lg/9606011>.

use std::collections::BTreeMap;

use llm_corpus::{EncodedDocument, TokenId};
use llm_metrics::{ExactSum, MetricSummary};

use crate::digest::CountDigest;
use crate::training::{check_id, check_training_documents};
use crate::{BaselineError, CountModel};

/// Add-one bigram probabilities, fitted once on training documents and frozen.
#[derive(Clone, Debug, PartialEq)]
pub struct BigramModel {
    vocab_size: usize,
    transitions: u64,
    /// Only tokens that were followed by something. The full table has `V * V` cells, 20
    /// gigabytes for 50,000 tokens, of which a corpus fills almost none.
    rows: BTreeMap<TokenId, Row>,
}

/// What followed one token.
#[derive(Clone, Debug, Default, PartialEq)]
struct Row {
    /// `C_u`, the sum of `counts`.
    total: u64,
    /// `C_uv` for every `v` that was seen.
    counts: BTreeMap<TokenId, u64>,
}

impl BigramModel {
    /// Counts the transitions inside each document, the start and the end token included.
    ///
    /// A transition is an (input, target) pair that the document scores, so overlapping windows
    /// over one text count each pair once. No pair joins the end of one document to the start
    /// of the next. Neither the order of documents nor their cut into lists matters.
    ///
    /// # Errors
    /// [`BaselineError::NotForTraining`] for a validation or test document,
    /// [`BaselineError::DocumentOutsideVocabulary`] for an id that is not below `vocab_size`,
    /// [`BaselineError::NoTrainingDocuments`] for an empty slice.
    pub fn fit(vocab_size: usize, documents: &[EncodedDocument]) -> Result<Self, BaselineError> {
        check_training_documents(vocab_size, documents)?;
        let mut model = Self { vocab_size, transitions: 0, rows: BTreeMap::new() };
        for document in documents {
            for (target, pair) in document.ids().windows(2).enumerate() {
                if document.is_scored(target) {
                    model.count(pair[0], pair[1]);
                }
            }
        }
        Ok(model)
    }

    /// Records one sighting of `next` after `previous`.
    fn count(&mut self, previous: TokenId, next: TokenId) {
        let row = self.rows.entry(previous).or_default();
        *row.counts.entry(next).or_default() += 1;
        row.total += 1;
        self.transitions += 1;
    }

    /// The smoothed probability `q(next | previous)`, above 0 and at most 1.
    ///
    /// # Errors
    /// [`BaselineError::IdOutsideVocabulary`] names the first of the two ids that is not in the
    /// vocabulary.
    pub fn probability(&self, previous: TokenId, next: TokenId) -> Result<f64, BaselineError> {
        check_id(previous, self.vocab_size)?;
        check_id(next, self.vocab_size)?;
        let numerator = self.transition_count(previous, next) + 1;
        let denominator = self.context_count(previous) + self.vocab_size as u64;
        Ok(numerator as f64 / denominator as f64)
    }

    /// `C_uv`: how often `next` followed `previous` in training. 0 for ids never seen.
    pub fn transition_count(&self, previous: TokenId, next: TokenId) -> u64 {
        self.rows.get(&previous).and_then(|row| row.counts.get(&next)).copied().unwrap_or(0)
    }

    /// `C_u`: how often anything followed `previous` in training. 0 for ids never seen.
    pub fn context_count(&self, previous: TokenId) -> u64 {
        self.rows.get(&previous).map_or(0, |row| row.total)
    }

    /// Every transition that training showed, as `(previous, next, C_uv)` in ascending order of the
    /// ids. All other counts are 0.
    pub fn counts(&self) -> impl Iterator<Item = (TokenId, TokenId, u64)> {
        self.rows.iter().flat_map(|(&previous, row)| {
            row.counts.iter().map(move |(&next, &count)| (previous, next, count))
        })
    }

    /// Number of training transitions, the sum of all counts.
    pub fn transitions(&self) -> u64 {
        self.transitions
    }

    /// `V`: the number of tokens that can come next.
    pub fn vocab_size(&self) -> usize {
        self.vocab_size
    }
}

/// The NLL, in nats, that a fitted bigram gives to (previous, next) pairs, one target per pair.
///
/// The caller decides which pairs exist: no padding, and none across two documents. Their order
/// and any cut into several calls whose summaries are merged leave no trace in the result.
///
/// # Errors
/// [`BaselineError::IdOutsideVocabulary`] for an id the model does not know,
/// [`BaselineError::Metric`] if there are no pairs.
pub fn score_bigram_transitions(
    model: &BigramModel,
    pairs: impl IntoIterator<Item = (TokenId, TokenId)>,
) -> Result<MetricSummary, BaselineError> {
    let mut total_nll = ExactSum::new();
    let mut target_count = 0;
    for (previous, next) in pairs {
        // Above 0 by smoothing and at most 1, so the loss is finite and never negative.
        total_nll.add(-libm::log(model.probability(previous, next)?));
        target_count += 1;
    }
    Ok(MetricSummary::from_exact_total(total_nll, target_count)?)
}

impl CountModel for BigramModel {
    fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    fn context_len(&self) -> usize {
        1
    }

    /// `bigram-add-one`, then the digest.
    fn identity(&self) -> String {
        let mut digest = CountDigest::new("bigram-add-one", self.vocab_size);
        for (&previous, row) in &self.rows {
            row.counts.iter().for_each(|(&next, &count)| digest.add(&[previous, next], count));
        }
        digest.identity()
    }

    /// After an empty history the row is uniform, as after a token never seen.
    fn fill_row(&self, history: &[TokenId], row: &mut [f64]) -> Result<(), BaselineError> {
        history.iter().try_for_each(|&id| check_id(id, self.vocab_size))?;
        assert_eq!(row.len(), self.vocab_size, "a row has one cell for each token");
        let seen = history.last().and_then(|previous| self.rows.get(previous));
        let denominator = seen.map_or(0, |seen| seen.total) + self.vocab_size as u64;
        row.fill(1.0 / denominator as f64);
        for (&next, &count) in seen.iter().flat_map(|seen| &seen.counts) {
            row[next as usize] = (count + 1) as f64 / denominator as f64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
