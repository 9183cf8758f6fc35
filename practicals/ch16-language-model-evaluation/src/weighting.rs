//! Why losses are pooled by targets: two lists of probabilities of different length.

use llm_chapter_kit::{MetricRecord, six_decimals};
use llm_from_scratch_practical::metrics::score_assigned_probabilities;
use serde::Serialize;

use crate::ChapterError;

/// Probabilities that a model gave to the targets of two batches.
const BATCHES: [&[f64]; 2] = [&[0.5, 0.25], &[0.5, 0.5, 0.25, 0.5]];

/// The right average beside two wrong ones.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WeightingReport {
    /// Targets of each batch.
    pub batch_targets: [usize; 2],
    /// Mean loss of each batch, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub batch_mean_nll: [f64; 2],
    /// Totals and counts added first, then divided.
    pub correct: MetricRecord,
    /// Mean of the two means: each target of the short batch weighs twice as much.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_unweighted_mean_nll: f64,
    /// Mean of the two perplexities.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_mean_perplexity: f64,
}

/// Pools the two batches rightly and wrongly.
///
/// # Errors
/// None that the constants can cause.
pub fn weighting_probe() -> Result<WeightingReport, ChapterError> {
    let first = score_assigned_probabilities(BATCHES[0])?;
    let second = score_assigned_probabilities(BATCHES[1])?;
    let both = [&first, &second];
    Ok(WeightingReport {
        batch_targets: both.map(|batch| batch.target_count()),
        batch_mean_nll: both.map(|batch| batch.mean_nll()),
        incorrect_unweighted_mean_nll: (first.mean_nll() + second.mean_nll()) / 2.0,
        incorrect_mean_perplexity: (first.perplexity() + second.perplexity()) / 2.0,
        correct: MetricRecord::from(&first.merge(second)?),
    })
}
