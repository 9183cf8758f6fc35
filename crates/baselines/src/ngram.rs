//! N-grams: the next token from the last `order - 1` tokens.
//!
//! Write `c(h, w)` for how often token `w` followed context `h` in training, `c(h)` for its sum
//! over all `w`, `T(h)` for how many different tokens followed `h`, `V` for the vocabulary's size,
//! and `h'` for `h` without its oldest token. Longer contexts are sharper and rarer; a
//! [`Smoothing`] says what a context lends to tokens that it never showed:
//!
//! | smoothing | `P(w given h)` |
//! | --- | --- |
//! | [`AddK`](Smoothing::AddK) | `(c(h, w) + k) / (c(h) + k V)`, the context's length fixed |
//! | [`Interpolated`](Smoothing::Interpolated) | `(c(h, w) + s P(w given h')) / (c(h) + s)` |
//! | [`AbsoluteDiscounting`](Smoothing::AbsoluteDiscounting) | `(max(c(h, w) - D, 0) + D T(h) P(w given h')) / c(h)` |
//! | [`KneserNey`](Smoothing::KneserNey) | the same, where every context shorter than the longest counts differently |
//!
//! Where the recursion runs out of context it ends in the uniform `1 / V`; a context never seen
//! passes everything on. Every row therefore sums to one by construction.
//!
//! **Kneser-Ney.** "Francisco" is frequent, but only after "San". As a guess after an unknown
//! context its frequency is misleading; what helps is after how many *different* tokens it was
//! seen. So a shorter context counts `c(h, w)` = the number of different tokens seen in front of
//! `h w`. An `h w` with which a document begins has nothing in front of it; each such sighting
//! counts as one.
//!
//! A history shorter than `order - 1`, as at the start of a document, is used as long as it is.
//!
//! Sources: Ney, Essen and Kneser, *On structuring probabilistic dependences in stochastic language
//! modelling* (1994), for absolute discounting; Kneser and Ney, *Improved backing-off for m-gram
//! language modeling* (1995); Chen and Goodman, *An Empirical Study of Smoothing Techniques for
//! Language Modeling* (1996), <https://arxiv.org/abs/cmp-lg/9606011>, for the interpolated form.

mod counts;
mod smoothing;

use llm_corpus::{EncodedDocument, TokenId};

use crate::digest::CountDigest;
use crate::training::{check_id, check_training_documents};
use crate::{BaselineError, CountModel};
use counts::{Counts, Row};

pub use smoothing::{KNESER_NEY_DISCOUNT, MAX_ORDER, Smoothing};

/// Smoothed n-gram probabilities, fitted once on training documents and frozen.
///
/// Order 0 is uniform, 1 the unigram, 2 the bigram. Memory: one counter for each different n-gram
/// of the training documents, of every length up to the order; never `V` to the power of anything.
///
/// # Example
/// After `a` (2) came `b` (3) twice and `a` once; with k = 1 and V = 4 that is 3/7 and 2/7:
/// ```
/// use llm_baselines::{NgramModel, Smoothing};
/// use llm_corpus::{EncodedDocument, Partition};
/// let text = EncodedDocument::from_ids("aabab", Partition::Train, vec![0, 2, 2, 3, 2, 3, 1])?;
/// let model = NgramModel::fit(4, 2, Smoothing::AddK { k: 1.0 }, &[text])?;
/// assert_eq!(model.probability(&[2], 3)?, 3.0 / 7.0);
/// assert_eq!(model.probability(&[3, 2], 2)?, 2.0 / 7.0); // what came before `a` is too far away
/// assert!(model.probability(&[2], 9).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct NgramModel {
    vocab_size: usize,
    smoothing: Smoothing,
    /// `counts[n - 1]` are the n-grams, so their number is the order.
    counts: Vec<Counts>,
}

impl NgramModel {
    /// Counts the n-grams inside each document that end in a scored target.
    ///
    /// None crosses from one document into the next. Neither the order of documents nor their cut
    /// into lists matters.
    ///
    /// # Errors
    /// [`BaselineError::Setting`] for an order above [`MAX_ORDER`], a smoothing constant out of
    /// range or a vocabulary without tokens; about documents as
    /// [`BigramModel::fit`](crate::BigramModel::fit).
    pub fn fit(
        vocab_size: usize,
        order: usize,
        smoothing: Smoothing,
        documents: &[EncodedDocument],
    ) -> Result<Self, BaselineError> {
        smoothing.check(vocab_size, order)?;
        check_training_documents(vocab_size, documents)?;
        let counts = match smoothing {
            Smoothing::KneserNey { .. } => counts::continuations(order, documents),
            _ => (1..=order).map(|n| counts::sightings(n, documents)).collect(),
        };
        Ok(Self { vocab_size, smoothing, counts })
    }

    /// Every token equally likely, always: the floor below all floors. `ln V` nats per target.
    ///
    /// # Errors
    /// [`BaselineError::Setting`] for a vocabulary without tokens.
    pub fn uniform(vocab_size: usize) -> Result<Self, BaselineError> {
        let smoothing = Smoothing::AddK { k: 1.0 };
        smoothing.check(vocab_size, 0)?;
        Ok(Self { vocab_size, smoothing, counts: Vec::new() })
    }

    /// The number of tokens that an n-gram covers, the predicted one included.
    pub fn order(&self) -> usize {
        self.counts.len()
    }

    /// What unseen tokens get.
    pub fn smoothing(&self) -> Smoothing {
        self.smoothing
    }

    /// How many different n-grams of all lengths were counted: what the model costs to keep.
    pub fn ngram_count(&self) -> usize {
        self.counts.iter().flat_map(|counts| counts.values()).map(|row| row.len()).sum()
    }

    /// The probability of `next` after `history` (its last `order - 1` tokens), the same bits as
    /// in the row of [`CountModel::fill_row`].
    ///
    /// # Errors
    /// [`BaselineError::IdOutsideVocabulary`] for an unknown id in the history or as `next`.
    pub fn probability(&self, history: &[TokenId], next: TokenId) -> Result<f64, BaselineError> {
        history.iter().chain([&next]).try_for_each(|&id| check_id(id, self.vocab_size))?;
        let mut probability = 1.0 / self.vocab_size as f64;
        for row in self.rows(history) {
            let count = row.count(next);
            probability = self.smoothing.blend(row, self.vocab_size, probability, count);
        }
        Ok(probability)
    }

    /// The counts that a prediction after `history` uses, shortest context first.
    fn rows(&self, history: &[TokenId]) -> impl Iterator<Item = &Row> {
        let longest = self.counts.len().min(history.len() + 1);
        // Additive smoothing knows one context length; the others lead up to the longest one.
        let shortest = if self.smoothing.is_recursive() { 1 } else { longest.max(1) };
        (shortest..=longest)
            .filter_map(|n| self.counts[n - 1].get(&history[history.len() + 1 - n..]))
    }
}

impl CountModel for NgramModel {
    fn vocab_size(&self) -> usize {
        self.vocab_size
    }

    fn context_len(&self) -> usize {
        self.order().saturating_sub(1)
    }

    /// For example `3-gram-kneser-ney-0.75`, then the digest.
    fn identity(&self) -> String {
        let kind = match self.order() {
            0 => "uniform".to_owned(),
            order => format!("{order}-gram-{}", self.smoothing),
        };
        let mut digest = CountDigest::new(kind, self.vocab_size);
        for (context, row) in self.counts.iter().flatten() {
            for (next, count) in row.iter() {
                let ngram: Vec<TokenId> = context.iter().copied().chain([next]).collect();
                digest.add(&ngram, count);
            }
        }
        digest.identity()
    }

    fn fill_row(&self, history: &[TokenId], row: &mut [f64]) -> Result<(), BaselineError> {
        history.iter().try_for_each(|&id| check_id(id, self.vocab_size))?;
        assert_eq!(row.len(), self.vocab_size, "a row has one cell for each token");
        row.fill(1.0 / self.vocab_size as f64);
        for counts in self.rows(history) {
            // Few tokens were seen; all others are one plain loop.
            let blend = |shorter, n| self.smoothing.blend(counts, self.vocab_size, shorter, n);
            let seen: Vec<_> =
                counts.iter().map(|(id, n)| (id as usize, blend(row[id as usize], n))).collect();
            row.iter_mut().for_each(|p| *p = blend(*p, 0));
            seen.into_iter().for_each(|(id, p)| row[id] = p);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
