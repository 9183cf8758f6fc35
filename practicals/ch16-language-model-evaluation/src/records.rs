//! The record of a score. Values stay unrounded until they are written.

use llm_chapter_kit::{MetricRecord, six_decimals};
use llm_from_scratch_practical::evaluation::Evaluation;
use serde::Serialize;

/// A frozen model's losses, and how they were computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ScoreRecord {
    /// Number of scored targets.
    pub target_count: usize,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// exp(mean_nll).
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// Batches that were read.
    pub batch_count: usize,
    /// Computations that recorded gradients: none, when scoring.
    pub recorded_graphs: usize,
}

impl From<&Evaluation> for ScoreRecord {
    fn from(evaluation: &Evaluation) -> Self {
        let MetricRecord { target_count, mean_nll, perplexity } = (&evaluation.metrics).into();
        let (batch_count, recorded_graphs) = (evaluation.batch_count, evaluation.recorded_graphs);
        Self { target_count, mean_nll, perplexity, batch_count, recorded_graphs }
    }
}
