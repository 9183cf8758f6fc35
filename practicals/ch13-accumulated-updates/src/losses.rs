//! Losses of microbatches, pooled rightly and wrongly.

use std::str::FromStr;

use anyhow::Context;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::MetricSummary;
use serde::Serialize;

/// Losses of the targets of one microbatch, in nats.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses(pub Vec<f64>);

impl FromStr for Losses {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let loss = |part: &str| match part.trim().parse::<f64>() {
            Ok(loss) if (0.0..=700.0).contains(&loss) => Ok(loss),
            _ => Err(format!("{part:?} is no loss: expected a number from 0 to 700")),
        };
        Ok(Self(text.split(',').map(loss).collect::<Result<_, _>>()?))
    }
}

/// The mean loss of several microbatches.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PooledLosses {
    /// Targets of each microbatch.
    pub target_counts: Vec<usize>,
    /// Total losses of each, nats.
    pub totals: Vec<f64>,
    /// Sum of all losses over number of all targets.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Its exponential.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// The mean of the microbatches' means.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_mean_of_means: f64,
    /// The exponential of that.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_perplexity: f64,
    /// The mean of the microbatches' perplexities.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_mean_perplexity: f64,
}

/// Pools the losses of microbatches.
///
/// # Errors
/// Without a microbatch, or with one without targets.
pub fn pool(microbatches: &[Losses]) -> anyhow::Result<PooledLosses> {
    let summaries = microbatches
        .iter()
        .map(|losses| MetricSummary::from_token_nlls(&losses.0))
        .collect::<Result<Vec<_>, _>>()?;
    let mut merged = summaries.iter().cloned().map(Ok);
    let first = merged.next().context("--microbatch: give at least one")?;
    let pooled = merged.try_fold(first?, |all, next| all.merge(next?))?;

    let mean = |values: &dyn Fn(&MetricSummary) -> f64| {
        summaries.iter().map(values).sum::<f64>() / summaries.len() as f64
    };
    let mean_of_means = mean(&MetricSummary::mean_nll);
    // One target whose loss is the wrong mean: its perplexity is the exponential.
    let as_if = MetricSummary::from_total_nll(mean_of_means, 1)?;
    Ok(PooledLosses {
        target_counts: summaries.iter().map(MetricSummary::target_count).collect(),
        totals: summaries.iter().map(MetricSummary::total_nll).collect(),
        mean_nll: pooled.mean_nll(),
        perplexity: pooled.perplexity(),
        incorrect_mean_of_means: mean_of_means,
        incorrect_perplexity: as_if.perplexity(),
        incorrect_mean_perplexity: mean(&MetricSummary::perplexity),
    })
}
