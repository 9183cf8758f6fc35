//! One interface for every model that counts.

use llm_corpus::TokenId;

use crate::BaselineError;

/// A frozen next-token distribution that was counted from training documents. The source of a
/// language, which has nothing to count, keeps the same promises and is one too.
///
/// Every row is positive or zero and sums to one over the whole vocabulary, for any history,
/// also one that training never showed. What follows the predicted token is not an argument, so
/// the future cannot matter.
pub trait CountModel {
    /// Number of tokens that can come next; ids are below it.
    fn vocab_size(&self) -> usize;

    /// How many of the last tokens of a history matter, at most.
    fn context_len(&self) -> usize;

    /// The model's kind and a SHA-256 of all its counts: equal for equal predictions only.
    fn identity(&self) -> String;

    /// Writes the probability of each token that can follow `history`, `[vocab_size]`.
    ///
    /// # Errors
    /// [`BaselineError::IdOutsideVocabulary`] for an unknown id anywhere in the history.
    ///
    /// # Panics
    /// If `row` does not have one cell for each token.
    fn fill_row(&self, history: &[TokenId], row: &mut [f64]) -> Result<(), BaselineError>;
}
