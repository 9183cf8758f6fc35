//! Mean and spread of the same measurement repeated with different random seeds.
//!
//! For the results `x_1 .. x_K` of K runs:
//!
//! ```text
//! mean                       m = (x_1 + .. + x_K) / K
//! sample standard deviation  s = sqrt(((x_1 - m)^2 + .. + (x_K - m)^2) / (K - 1))
//! ```
//!
//! The divisor is K - 1 and not K because `m` was fitted to the same values: around their own mean
//! they spread less than around the unknown true one (Bessel's correction). The deviation has the
//! unit of the values. It describes how much the choice of seed moves the result; it is no
//! confidence interval, and it says nothing about other data.

use crate::{ExactSum, MetricError};

/// Descriptive statistics of a few runs, in the unit of the runs' values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SeedSummary {
    /// Number of runs K, at least 1.
    pub count: usize,
    /// Arithmetic mean.
    pub mean: f64,
    /// Standard deviation with divisor K - 1. `None` for a single run, which shows no spread: a 0
    /// would claim that seeds do not matter.
    pub sample_standard_deviation: Option<f64>,
    /// Smallest value.
    pub minimum: f64,
    /// Largest value.
    pub maximum: f64,
}

/// Summarizes the results of repeated runs; their order does not matter.
///
/// # Errors
/// [`MetricError::NoValues`] for an empty slice, [`MetricError::NonFiniteValue`] with the index of
/// the first infinite or NaN value, [`MetricError::StatisticOverflow`] if finite values are so
/// large that their sum or their squared spread is not.
///
/// # Example
/// ```
/// let summary = llm_metrics::seed_summary(&[1.0, 2.0, 6.0])?;
/// assert_eq!(summary.mean, 3.0);
/// // deviations -2, -1, 3: (4 + 1 + 9) / 2 = 7
/// assert_eq!(summary.sample_standard_deviation, Some(7.0_f64.sqrt()));
/// assert_eq!((summary.minimum, summary.maximum), (1.0, 6.0));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn seed_summary(values: &[f64]) -> Result<SeedSummary, MetricError> {
    let count = values.len();
    if count == 0 {
        return Err(MetricError::NoValues);
    }
    if let Some(index) = values.iter().position(|value| !value.is_finite()) {
        return Err(MetricError::NonFiniteValue { index, value: values[index] });
    }
    let minimum = values.iter().copied().fold(f64::INFINITY, f64::min);
    let maximum = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum = values.iter().copied().collect::<ExactSum>().value();
    if sum.is_infinite() {
        return Err(MetricError::StatisticOverflow { count });
    }
    // The true mean lies between the two; rounding the sum and the quotient can leave the interval
    // by a hair, and then equal runs would seem to differ.
    let mean = (sum / count as f64).clamp(minimum, maximum);
    let sample_standard_deviation = sample_standard_deviation(values, mean)?;
    Ok(SeedSummary { count, mean, sample_standard_deviation, minimum, maximum })
}

/// The spread around `mean` with divisor K - 1, or `None` if there is one value only.
fn sample_standard_deviation(values: &[f64], mean: f64) -> Result<Option<f64>, MetricError> {
    if values.len() < 2 {
        return Ok(None);
    }
    let squares: ExactSum = values.iter().map(|value| (value - mean) * (value - mean)).collect();
    let deviation = (squares.value() / (values.len() - 1) as f64).sqrt();
    if deviation.is_infinite() {
        return Err(MetricError::StatisticOverflow { count: values.len() });
    }
    Ok(Some(deviation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_published_final_losses_give_the_published_summary() {
        // The published figures are made from unrounded losses; these carry six decimals.
        let summary = seed_summary(&[4.172745, 4.328176, 2.545169]).unwrap();
        assert_eq!(summary.count, 3);
        assert!((summary.mean - 3.682030).abs() < 1e-6);
        assert!((summary.sample_standard_deviation.unwrap() - 0.987613).abs() < 1e-6);
        assert_eq!((summary.minimum, summary.maximum), (2.545169, 4.328176));
    }

    #[test]
    fn the_divisor_is_one_less_than_the_number_of_runs() {
        // Deviations -1 and 1: sum of squares 2, over K - 1 = 1 gives 2, over K = 2 would give 1.
        let summary = seed_summary(&[4.0, 6.0]).unwrap();
        assert_eq!(summary.sample_standard_deviation, Some(2.0_f64.sqrt()));
    }

    #[test]
    fn one_run_has_a_mean_but_no_spread() {
        let summary = seed_summary(&[2.5]).unwrap();
        assert_eq!((summary.mean, summary.sample_standard_deviation), (2.5, None));
    }

    #[test]
    fn equal_runs_have_a_spread_of_exactly_zero() {
        // For this value (3 x rounded) / 3 is not x: without the clamp the spread would not be 0.
        let x = f64::from_bits(0x4007_028b_cfb5_befa);
        assert_ne!(ExactSum::from_iter([x; 3]).value() / 3.0, x);
        let summary = seed_summary(&[x; 3]).unwrap();
        assert_eq!((summary.mean, summary.sample_standard_deviation), (x, Some(0.0)));
    }

    #[test]
    fn the_order_of_the_runs_changes_no_bit() {
        let summary = seed_summary(&[0.1, 0.2, 0.3, 1e-17]).unwrap();
        assert_eq!(seed_summary(&[1e-17, 0.3, 0.1, 0.2]).unwrap(), summary);
    }

    #[test]
    fn values_without_a_mean_are_refused() {
        assert_eq!(seed_summary(&[]), Err(MetricError::NoValues));
        let refused = seed_summary(&[1.0, f64::INFINITY]);
        let expected = MetricError::NonFiniteValue { index: 1, value: f64::INFINITY };
        assert_eq!(refused, Err(expected));
        let refused = seed_summary(&[f64::NAN, 1.0]);
        assert!(matches!(refused, Err(MetricError::NonFiniteValue { index: 0, .. })));
    }

    #[test]
    fn statistics_beyond_the_range_of_f64_are_refused() {
        let overflow = Err(MetricError::StatisticOverflow { count: 2 });
        assert_eq!(seed_summary(&[f64::MAX, f64::MAX]), overflow); // the sum
        assert_eq!(seed_summary(&[1e200, -1e200]), overflow); // the squares
    }
}
