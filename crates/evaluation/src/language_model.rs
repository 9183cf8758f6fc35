//! One interface for everything that predicts the next token.

use llm_corpus::TokenId;

use crate::{Place, ScoreError};

/// Takes the rows of [`LanguageModel::visit_rows`], one at a time; an error ends the visit.
pub type RowVisitor<'v> = dyn FnMut(Row<'_>) -> Result<(), ScoreError> + 'v;

/// A frozen next-token distribution.
///
/// What is measured with a model (windows, bits per byte, options of a question, a compressed
/// text) is written once, against this trait; the decoder, the count models and whatever comes
/// later implement [`visit_rows`](Self::visit_rows) and describe themselves.
///
/// An implementation promises: the rows of a request have the same bits whatever else is asked in
/// the same call; a row depends on the ids before the predicted position and on nothing behind it;
/// the exponentials of a row sum to one over the whole vocabulary; asking changes nothing.
///
/// # Example
/// `a` (2) was followed by `b` (3) twice and by `a` once; with one imaginary sighting of each of
/// the 4 ids, `b` costs ln 7/3 nats and is the first guess:
/// ```
/// use llm_baselines::{NgramModel, Smoothing};
/// use llm_corpus::{EncodedDocument, Partition};
/// use llm_evaluation::{LanguageModel, ScoreRequest};
///
/// let text = EncodedDocument::from_ids("aabab", Partition::Train, vec![0, 2, 2, 3, 2, 3, 1])?;
/// let bigram = NgramModel::fit(4, 2, Smoothing::AddK { k: 1.0 }, &[text])?;
/// let model: &dyn LanguageModel = &bigram;
///
/// let scores = model.score(&[ScoreRequest { ids: &[0, 2, 3, 1], first_target: 2 }])?;
/// assert_eq!(scores[0].len(), 2); // 3 after 0 2, then 1 after 0 2 3
/// assert!((scores[0][0].log_probability - (3.0_f64 / 7.0).ln()).abs() < 1e-15);
/// assert_eq!((scores[0][0].rank_best, scores[0][0].rank_worst), (1, 1));
/// assert_eq!((scores[0][1].rank_best, scores[0][1].rank_worst), (1, 2)); // 1 ties with 2
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LanguageModel {
    /// Number of tokens that can come next; ids are below it.
    fn vocab_size(&self) -> usize;

    /// Most ids that may stand before a predicted position; `None` if there is no limit.
    fn max_context(&self) -> Option<usize>;

    /// The kind of model and a digest of everything that its predictions depend on: one changed
    /// weight or count, another identity.
    fn identity(&self) -> String;

    /// Hands out the distribution at each position that was asked for, requests in order and
    /// positions ascending.
    ///
    /// # Errors
    /// [`ScoreError::Request`] for the first request that [`RowRequest::check`] refuses, before
    /// any row; [`ScoreError::NonFinite`], [`ScoreError::Model`], and what `visit` returns.
    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError>;

    /// The log-probability and rank of every target of every request, in order.
    ///
    /// # Errors
    /// [`ScoreError::Request`] if a request has no target, no id before its first one or an
    /// unknown id, and as [`visit_rows`](Self::visit_rows). [`ScoreError::NonFinite`] also if a
    /// target has probability zero: no sum could hold its score.
    fn score(&self, requests: &[ScoreRequest<'_>]) -> Result<Vec<Vec<TargetScore>>, ScoreError> {
        for (index, request) in requests.iter().enumerate() {
            request.check(index, self.vocab_size())?;
        }
        let rows: Vec<_> = requests.iter().map(ScoreRequest::rows).collect();
        let mut scores: Vec<Vec<TargetScore>> = vec![Vec::new(); requests.len()];
        self.visit_rows(&rows, &mut |row| {
            let target = requests[row.request].ids[row.position];
            scores[row.request].push(TargetScore::of(&row, target)?);
            Ok(())
        })?;
        Ok(scores)
    }
}

/// Ids of which a tail is scored: a document and its windows, a question and an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreRequest<'a> {
    /// Context and targets in one list. The last id is read by nobody.
    pub ids: &'a [TokenId],
    /// Position of the first target, at least 1; all ids from here on are targets.
    pub first_target: usize,
}

impl<'a> ScoreRequest<'a> {
    /// The rows that predict the targets.
    pub fn rows(&self) -> RowRequest<'a> {
        let read = self.ids.len().saturating_sub(1);
        RowRequest { ids: &self.ids[..read], first: self.first_target }
    }

    /// Refuses what has no target. The rows are checked by the model.
    fn check(&self, request: usize, vocab_size: usize) -> Result<(), ScoreError> {
        let len = self.ids.len();
        if self.first_target == 0 || self.first_target >= len {
            return Err(ScoreError::Request {
                place: Place::Request { request, position: self.first_target },
                problem: format!(
                    "the first target of {len} ids must be at 1 or later, before {len}"
                ),
            });
        }
        check_ids(self.ids, request, vocab_size)
    }
}

/// Ids that are read, and from where on the predictions are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowRequest<'a> {
    /// What the model reads.
    pub ids: &'a [TokenId],
    /// First predicted position, from 1 (after the first id) to `ids.len()` (after all of them).
    /// There is one row for each position from here to `ids.len()`.
    pub first: usize,
}

impl<'a> RowRequest<'a> {
    /// Asks only for what comes after all ids: for sampling and decoding.
    pub fn next(ids: &'a [TokenId]) -> Self {
        Self { ids, first: ids.len() }
    }

    /// Refuses what a model cannot read; every implementation asks this first.
    ///
    /// # Errors
    /// [`ScoreError::Request`] without an id, for a first position outside `1..=ids.len()`, for
    /// more ids than the context holds, for an id outside the vocabulary.
    pub fn check(
        &self,
        request: usize,
        model: &(impl LanguageModel + ?Sized),
    ) -> Result<(), ScoreError> {
        let refuse = |position, problem| {
            Err(ScoreError::Request { place: Place::Request { request, position }, problem })
        };
        let len = self.ids.len();
        if self.first == 0 || self.first > len {
            let problem = format!("{len} ids have predictions for positions 1 to {len}");
            return refuse(self.first, problem);
        }
        if let Some(most) = model.max_context().filter(|&most| len > most) {
            let problem = format!("{len} ids to read, the context holds {most}: use windows");
            return refuse(most, problem);
        }
        check_ids(self.ids, request, model.vocab_size())
    }
}

fn check_ids(ids: &[TokenId], request: usize, vocab_size: usize) -> Result<(), ScoreError> {
    match ids.iter().position(|&id| id as usize >= vocab_size) {
        None => Ok(()),
        Some(position) => Err(ScoreError::Request {
            place: Place::Request { request, position },
            problem: format!(
                "token id {} is outside the vocabulary, expected ids below {vocab_size}: encode \
                 with the model's tokenizer",
                ids[position]
            ),
        }),
    }
}

/// The distribution at one position.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// Number of the request.
    pub request: usize,
    /// The predicted position: the model has read `ids[..position]`.
    pub position: usize,
    /// The logarithm (nats) of the probability of each token, `[vocab_size]`.
    pub log_probabilities: &'a [f64],
}

/// What a model thought of one target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetScore {
    /// The logarithm of its probability in nats, finite and at most 0.
    pub log_probability: f64,
    /// 1 + the number of tokens that are more probable.
    pub rank_best: u64,
    /// The number of tokens that are at least as probable, itself included.
    pub rank_worst: u64,
}

impl TargetScore {
    /// Looks a target up in a row.
    ///
    /// # Errors
    /// [`ScoreError::NonFinite`] if the target's log-probability is infinite, or any of the row is
    /// NaN or above 0.
    ///
    /// # Panics
    /// If the row has no such target.
    pub fn of(row: &Row<'_>, target: TokenId) -> Result<Self, ScoreError> {
        let log_probability = row.log_probabilities[target as usize];
        let place = || Place::Request { request: row.request, position: row.position };
        if !log_probability.is_finite() {
            return Err(ScoreError::NonFinite { place: place(), value: log_probability });
        }
        let (mut above, mut tied) = (0, 0);
        for &value in row.log_probabilities {
            if value.is_nan() || value > 0.0 {
                return Err(ScoreError::NonFinite { place: place(), value });
            }
            above += u64::from(value > log_probability);
            tied += u64::from(value == log_probability);
        }
        Ok(Self { log_probability, rank_best: 1 + above, rank_worst: above + tied })
    }
}
