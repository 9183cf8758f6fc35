//! The bootstrap over documents: the spread of any statistic, by drawing documents again.
//!
//! Tokens of one document depend on each other, so the independent unit is the document. From the
//! m documents draw m with replacement, compute the statistic of the drawn ones, and repeat R
//! times. The standard deviation of the R results is the standard error, and their quantiles give
//! an interval.
//!
//! R is a matter of patience: more resamples make the *estimate of* the standard error steadier
//! and leave its size alone, which m determines. Two documents are two independent units, however
//! many tokens they have and however often they are drawn.
//!
//! Resample r uses the stream of the seed where resample r - 1 left it, m draws each, so the same
//! seed gives the same numbers and more resamples only add to them. The draws are positions in the
//! given order: fix the order of the documents (by id, say) before drawing.
//!
//! Source: Efron, *Bootstrap methods: another look at the jackknife* (1979); the percentile
//! interval after Efron and Tibshirani, *An introduction to the bootstrap* (1993), chapter 13.

use super::{Interval, SplitMix64};
use crate::{ExactSum, MetricError, seed_summary};
use std::num::NonZeroUsize;

/// How to draw: part of the result, because it takes all of it to reproduce one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapPlan {
    /// Seed of the random stream.
    pub seed: u64,
    /// Resamples R, at least 2; 1000 or more for intervals.
    pub resample_count: usize,
    /// Share of resamples inside the interval, such as 0.95.
    pub confidence: f64,
}

/// A statistic of all documents and its spread over resampled ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// The statistic of the documents as they are.
    pub estimate: f64,
    /// Standard deviation over the resamples, divisor R - 1.
    pub standard_error: f64,
    /// Percentile interval; quantiles are interpolated linearly between neighbours.
    pub interval: Interval,
    /// Documents m: the independent units.
    pub cluster_count: usize,
    /// What was drawn.
    pub plan: BootstrapPlan,
}

/// Bootstrap of `statistic`, which gets the positions (0 to `cluster_count - 1`, repeated) of the
/// documents to use. For two models compared on the same documents let it compute the difference.
///
/// # Errors
/// [`MetricError::OutOfRange`] for fewer than two documents or resamples and for a confidence
/// outside 0 to 1, [`MetricError::NonFiniteValue`] if a statistic is not finite, with the number
/// of the resample (from 1; 0 is the estimate).
///
/// # Example
/// ```
/// use llm_metrics::{BootstrapPlan, bootstrap_statistic};
///
/// let bits = [1.0, 2.0, 6.0];
/// let plan = BootstrapPlan { seed: 7, resample_count: 2000, confidence: 0.95 };
/// let mean = |drawn: &[usize]| drawn.iter().map(|&i| bits[i]).sum::<f64>() / drawn.len() as f64;
/// let result = bootstrap_statistic(bits.len(), plan, mean)?;
/// assert_eq!((result.estimate, result.cluster_count), (3.0, 3));
/// // Of all 27 possible resamples the standard deviation is sqrt(14/9) = 1.247.
/// assert!((result.standard_error - 1.247).abs() < 0.06);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn bootstrap_statistic(
    cluster_count: usize,
    plan: BootstrapPlan,
    mut statistic: impl FnMut(&[usize]) -> f64,
) -> Result<Bootstrap, MetricError> {
    let bound = check_plan(cluster_count, plan)?;
    let all: Vec<usize> = (0..cluster_count).collect();
    let estimate = checked_statistic(statistic(&all), 0)?;
    let mut stream = SplitMix64::new(plan.seed);
    let mut drawn = all;
    let mut results = Vec::new();
    for resample in 1..=plan.resample_count {
        drawn.fill_with(|| stream.below(bound));
        results.push(checked_statistic(statistic(&drawn), resample)?);
    }
    let spread = seed_summary(&results)?.sample_standard_deviation;
    results.sort_by(f64::total_cmp);
    let outside = 0.5 * (1.0 - plan.confidence);
    Ok(Bootstrap {
        estimate,
        standard_error: spread.expect("there are at least two resamples"),
        interval: Interval {
            lower: sorted_quantile(&results, outside),
            upper: sorted_quantile(&results, 1.0 - outside),
        },
        cluster_count,
        plan,
    })
}

/// Bootstrap of one sum over another, `(n_1 + .. + n_m) / (d_1 + .. + d_m)`, document by document:
/// total bits over bytes, total NLL over tokens, right answers over questions.
///
/// # Errors
/// As [`bootstrap_statistic`]; also [`MetricError::OutOfRange`] for different numbers of
/// numerators and denominators and for a denominator that is not positive,
/// [`MetricError::NonFiniteValue`] for a numerator that is not finite, with its index.
pub fn bootstrap_ratio(
    numerators: &[f64],
    denominators: &[f64],
    plan: BootstrapPlan,
) -> Result<Bootstrap, MetricError> {
    if numerators.len() != denominators.len() {
        let (what, value) = ("the number of denominators", denominators.len() as f64);
        return Err(MetricError::OutOfRange { what, value, expected: "one per numerator" });
    }
    if let Some(index) = numerators.iter().position(|value| !value.is_finite()) {
        return Err(MetricError::NonFiniteValue { index, value: numerators[index] });
    }
    if let Some(&value) = denominators.iter().find(|d| !(**d > 0.0 && d.is_finite())) {
        let (what, expected) = ("a denominator", "above 0 and finite: leave empty documents out");
        return Err(MetricError::OutOfRange { what, value, expected });
    }
    let sum = |values: &[f64], drawn: &[usize]| {
        drawn.iter().map(|&document| values[document]).collect::<ExactSum>().value()
    };
    bootstrap_statistic(numerators.len(), plan, |drawn| {
        sum(numerators, drawn) / sum(denominators, drawn)
    })
}

fn check_plan(cluster_count: usize, plan: BootstrapPlan) -> Result<NonZeroUsize, MetricError> {
    let refuse = |what, value, expected| Err(MetricError::OutOfRange { what, value, expected });
    if plan.resample_count < 2 {
        return refuse("the number of resamples", plan.resample_count as f64, "at least 2");
    }
    if !(plan.confidence > 0.0 && plan.confidence < 1.0) {
        return refuse("the confidence", plan.confidence, "above 0 and below 1");
    }
    match NonZeroUsize::new(cluster_count) {
        Some(count) if cluster_count >= 2 => Ok(count),
        _ => {
            let expected = "at least 2: a single document shows no spread";
            refuse("the number of documents", cluster_count as f64, expected)
        }
    }
}

fn checked_statistic(value: f64, resample: usize) -> Result<f64, MetricError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(MetricError::NonFiniteValue { index: resample, value })
    }
}

/// The quantile at `share` (0 to 1) of sorted values, linear between neighbours: the definition
/// 7 of Hyndman and Fan, *Sample quantiles in statistical packages* (1996).
fn sorted_quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let below = (place.floor() as usize).min(sorted.len() - 1);
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (place - below as f64) * (sorted[above] - sorted[below])
}

#[cfg(test)]
mod tests;
