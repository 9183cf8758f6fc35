//! Scoring a decoder without touching it.

use std::borrow::Borrow;

use llm_autograd::{AutogradContext, Element, Memory};
use llm_corpus::{BatchBinding, Partition, VariableBatch};
use llm_metrics::{MetricError, MetricSummary};
use llm_model::{DecoderModel, ModelError};

use crate::{EvaluationError, GradientBits, ScoredTarget, TargetLosses, check_batch};

/// The score of some batches.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// Total NLL in nats and number of targets over all batches.
    pub metrics: MetricSummary,
    /// Number of batches. It tells how the work was cut and weighs nothing.
    pub batch_count: usize,
    /// Losses through which a gradient could flow: 0, since the first one is an error.
    pub recorded_graphs: usize,
}

/// Scores batches of one partition with the model's plain loss: no gradients, no dropout.
///
/// Batches may be given by reference or, to build them as needed, by value.
///
/// # Errors
/// [`EvaluationError::Batch`] for a batch of another partition or binding than expected,
/// [`EvaluationError::Model`] for one that the model cannot read, and everything that
/// [`evaluate_loss_batches_no_grad`] refuses.
pub fn evaluate<E: Element, B: Borrow<VariableBatch>>(
    model: &DecoderModel<E>,
    partition: Partition,
    expected: &BatchBinding,
    batches: impl IntoIterator<Item = B>,
) -> Result<Evaluation, EvaluationError> {
    evaluate_loss_batches_no_grad(model, partition, batches, |context, batch| {
        check_batch(partition, expected, batch)?;
        let multiply_adds = model.config().multiply_adds(batch.target_count());
        context.no_grad_on_pool(multiply_adds, |context| {
            model.loss_padded_with_context(context, batch, expected)
        })
    })
}

/// Scores batches of one partition with any loss: the one reducer behind every evaluation.
///
/// `compute_loss` gets a context that records nothing. The sum over all losses is exact, so the
/// result has the same bits for any cut of the same targets into batches, in any order.
///
/// # Errors
/// In the order of discovery, batch by batch: [`EvaluationError::Batch`] and
/// [`EvaluationError::Model`] if the batch is of another partition or `compute_loss` refuses it,
/// [`EvaluationError::ValidationRecordedGraph`], [`EvaluationError::LossCount`],
/// [`EvaluationError::NonFiniteLoss`], [`EvaluationError::Metric`] for a negative loss. After
/// the last batch: [`EvaluationError::EmptyEpoch`] if there was none, an infinite sum, and
/// [`EvaluationError::ValidationChangedGradient`].
pub fn evaluate_loss_batches_no_grad<E: Element, B: Borrow<VariableBatch>, L: TargetLosses>(
    model: &impl GradientBits,
    partition: Partition,
    batches: impl IntoIterator<Item = B>,
    mut compute_loss: impl FnMut(&AutogradContext<E>, &VariableBatch) -> Result<L, ModelError>,
) -> Result<Evaluation, EvaluationError> {
    let gradients_before: Vec<u64> = model.gradient_bits().collect();
    let context = AutogradContext::no_grad().with_memory(&Memory::new());
    let mut total = None;
    let mut batch_count = 0;
    for batch in batches {
        let batch = batch.borrow();
        // Whatever the loss accepts, the score is reported under this partition's name.
        let loss = batch
            .check(partition, batch.binding())
            .map_err(ModelError::from)
            .and_then(|()| compute_loss(&context, batch))
            .map_err(|source| refused(batch_count, source))?;
        let metrics = summarize(partition, batch_count, batch, &loss)?;
        total = Some(pool(total, metrics)?);
        batch_count += 1;
    }
    let metrics = total.ok_or(EvaluationError::EmptyEpoch { role: partition.into() })?;
    if !metrics.mean_nll().is_finite() {
        let value = metrics.mean_nll();
        return Err(EvaluationError::NonFiniteLoss { partition, value, target: None });
    }
    if !model.gradient_bits().eq(gradients_before) {
        return Err(EvaluationError::ValidationChangedGradient { partition });
    }
    Ok(Evaluation { metrics, batch_count, recorded_graphs: 0 })
}

/// The score of one batch, from losses that were not recorded and are finite, one per target.
fn summarize(
    partition: Partition,
    index: usize,
    batch: &VariableBatch,
    loss: &impl TargetLosses,
) -> Result<MetricSummary, EvaluationError> {
    if loss.tracks_gradient() {
        return Err(EvaluationError::ValidationRecordedGraph { partition, batch: index });
    }
    let losses = loss.token_nll();
    if losses.len() != batch.target_count() {
        let (given, expected) = (losses.len(), batch.target_count());
        return Err(EvaluationError::LossCount { batch: index, given, expected });
    }
    if let Some(place) = losses.iter().position(|nll| !nll.is_finite()) {
        let target = locate(index, batch, place);
        return Err(EvaluationError::NonFiniteLoss { partition, value: losses[place], target });
    }
    Ok(MetricSummary::from_token_nlls(losses)?)
}

/// The score of everything so far and of one more batch.
pub(crate) fn pool(
    so_far: Option<MetricSummary>,
    batch: MetricSummary,
) -> Result<MetricSummary, MetricError> {
    match so_far {
        Some(so_far) => so_far.merge(batch),
        None => Ok(batch),
    }
}

/// The document and position of the scored target number `place` of a batch.
fn locate(index: usize, batch: &VariableBatch, place: usize) -> Option<ScoredTarget> {
    let ragged = batch.ragged();
    let token = (0..ragged.len()).filter(|&token| ragged.scored[token]).nth(place)?;
    let segment = ragged.segments.iter().take_while(|segment| segment.start <= token).last()?;
    // Input t of a document is its id t, the target is id t + 1.
    let position = ragged.positions[token] + 1;
    Some(ScoredTarget { batch: index, ordinal: segment.ordinal, position })
}

/// Tells a batch that should not be scored from one that the model cannot read.
fn refused(batch: usize, error: ModelError) -> EvaluationError {
    match error {
        ModelError::Batch(source) => EvaluationError::Batch { batch, source },
        source => EvaluationError::Model { batch, source },
    }
}
