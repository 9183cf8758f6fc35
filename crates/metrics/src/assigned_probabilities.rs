//! Scoring the probabilities that a model assigned to what really came next.
//!
//! The surprise at an observed target of probability `p` is its negative log-likelihood `-ln p`:
//! 0 nats if the model was certain of it, 0.693 if it gave it one half, and infinity if it had
//! ruled the target out. That last case is kept as it is. Replacing 0 by a small number would turn
//! an impossible prediction into an arbitrary but harmless-looking score.

use crate::{ExactSum, MetricError, MetricSummary};

/// The NLL of targets whose assigned probabilities are given, one entry per target.
///
/// A probability of 0 makes total, mean and perplexity infinite; there is no clamp.
///
/// # Errors
/// [`MetricError::InvalidProbability`] with the index of the first entry that is NaN, below 0 or
/// above 1, [`MetricError::NoTargets`] for an empty slice.
///
/// # Example
/// ```
/// use llm_metrics::score_assigned_probabilities;
///
/// let quarter = score_assigned_probabilities(&[0.25, 0.25])?;
/// assert!((quarter.mean_nll() - 2.0 * std::f64::consts::LN_2).abs() < 1e-15);
/// assert!((quarter.perplexity() - 4.0).abs() < 1e-14); // as hard as guessing among four
/// assert_eq!(score_assigned_probabilities(&[0.5, 0.0])?.perplexity(), f64::INFINITY);
/// assert!(score_assigned_probabilities(&[0.5, 1.1]).is_err());
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn score_assigned_probabilities(probabilities: &[f64]) -> Result<MetricSummary, MetricError> {
    let mut total_nll = ExactSum::new();
    for (index, &value) in probabilities.iter().enumerate() {
        if !(0.0..=1.0).contains(&value) {
            return Err(MetricError::InvalidProbability { index, value });
        }
        total_nll.add(-libm::log(value));
    }
    MetricSummary::from_exact_total(total_nll, probabilities.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_observed_target_of_probability_zero_scores_infinity() {
        for zero in [0.0, -0.0] {
            let summary = score_assigned_probabilities(&[0.5, zero]).unwrap();
            assert_eq!(summary.total_nll(), f64::INFINITY);
            assert_eq!(summary.mean_nll(), f64::INFINITY);
            assert_eq!(summary.perplexity(), f64::INFINITY);
            assert_eq!(summary.target_count(), 2);
        }
    }

    #[test]
    fn the_smallest_positive_probability_is_not_taken_for_zero() {
        // 2^-1074, so the NLL is 1074 ln 2 = 744.440..
        let summary = score_assigned_probabilities(&[f64::from_bits(1)]).unwrap();
        assert!((summary.total_nll() - 1074.0 * std::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn numbers_that_are_no_probabilities_are_refused_by_index_and_value() {
        for bad in [-0.1, 1.1, -f64::MIN_POSITIVE, 1.0 + f64::EPSILON, f64::INFINITY] {
            let refused = score_assigned_probabilities(&[0.5, 0.0, bad, 2.0]);
            assert_eq!(refused, Err(MetricError::InvalidProbability { index: 2, value: bad }));
        }
        let refused = score_assigned_probabilities(&[f64::NAN]);
        assert!(matches!(refused, Err(MetricError::InvalidProbability { index: 0, .. })));
    }

    #[test]
    fn the_refusal_names_the_place_the_value_and_the_allowed_range() {
        let message = score_assigned_probabilities(&[0.5, 1.25]).unwrap_err().to_string();
        assert!(message.starts_with("probability 1 is 1.25, expected a value from 0 to 1"));
    }

    #[test]
    fn no_probabilities_have_no_score() {
        assert_eq!(score_assigned_probabilities(&[]), Err(MetricError::NoTargets));
    }
}
