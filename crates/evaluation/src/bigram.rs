//! The add-one bigram on the batches that the neural model is scored on.

use std::borrow::Borrow;

use llm_baselines::{BigramModel, score_bigram_transitions};
use llm_corpus::{BatchBinding, Partition, VariableBatch};
use llm_metrics::MetricSummary;

use crate::evaluate::pool;
use crate::{EvaluationError, check_batch};

/// Scores the scored targets of all batches with a fitted bigram, in nats.
///
/// The pairs are those of the loss mask: no padding, none that joins two documents, and of each
/// target's past nothing but the token before it.
///
/// # Errors
/// [`EvaluationError::Vocabulary`] for a bigram over another number of ids, which would share the
/// probability among other tokens; [`EvaluationError::Batch`] for a batch of another partition or
/// binding than expected; [`EvaluationError::EmptyEpoch`] without any batch;
/// [`EvaluationError::Metric`] for more targets than can be counted.
pub fn score_bigram<B: Borrow<VariableBatch>>(
    model: &BigramModel,
    partition: Partition,
    expected: &BatchBinding,
    batches: impl IntoIterator<Item = B>,
) -> Result<MetricSummary, EvaluationError> {
    let (given, wanted) = (model.vocab_size(), expected.vocab_size);
    if given != wanted {
        return Err(EvaluationError::Vocabulary { given, expected: wanted });
    }
    let mut total = None;
    for (index, batch) in batches.into_iter().enumerate() {
        let batch = batch.borrow();
        check_batch(partition, expected, batch)
            .map_err(|source| EvaluationError::Batch { batch: index, source })?;
        let metrics = score_bigram_transitions(model, batch.ragged().scored_pairs())
            .map_err(|source| EvaluationError::Baseline { batch: index, source })?;
        total = Some(pool(total, metrics)?);
    }
    total.ok_or(EvaluationError::EmptyEpoch { role: partition.into() })
}
