//! The record with which every report shows a loss.

use crate::six_decimals;
use llm_metrics::MetricSummary;
use serde::Serialize;

/// Losses pooled over targets: a [`MetricSummary`] as a report shows it. Full precision in memory,
/// six decimals in the output.
///
/// ```
/// use llm_chapter_kit::MetricRecord;
/// use llm_metrics::MetricSummary;
///
/// let summary = MetricSummary::from_token_nlls(&[1.0, 2.0])?;
/// let json = serde_json::to_string(&MetricRecord::from(&summary))?;
/// assert_eq!(json, r#"{"target_count":2,"mean_nll":1.5,"perplexity":4.481689}"#); // e^1.5
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MetricRecord {
    /// Number of scored targets.
    pub target_count: usize,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// exp(mean_nll).
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
}

impl From<&MetricSummary> for MetricRecord {
    fn from(metrics: &MetricSummary) -> Self {
        Self {
            target_count: metrics.target_count(),
            mean_nll: metrics.mean_nll(),
            perplexity: metrics.perplexity(),
        }
    }
}
