//! What is asked of a batch before anyone looks into it.

use llm_corpus::{BatchBinding, CorpusError, Partition, VariableBatch};

/// Refuses a batch of another partition than the score is reported for, or of another binding
/// than the model was made for.
///
/// Every scorer in this crate asks this first, so that no two of them differ in what they accept.
///
/// # Errors
/// [`CorpusError::WrongPartition`] or [`CorpusError::WrongBinding`].
pub fn check_batch(
    partition: Partition,
    expected: &BatchBinding,
    batch: &VariableBatch,
) -> Result<(), CorpusError> {
    batch.check(partition, expected)
}
