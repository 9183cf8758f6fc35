//! Total loss and target count: the pair from which every average is recomputed.
//!
//! For `n` scored targets with losses `l_1 .. l_n` (NLL in nats):
//!
//! ```text
//! mean NLL   = (l_1 + .. + l_n) / n
//! perplexity = exp(mean NLL)
//! ```
//!
//! Batches have different numbers of targets, so the mean of batch means is another, wrong number:
//! it lets a target in a small batch weigh more. The mean of batch perplexities is wrong once more,
//! because the exponential is not linear. Hence a summary keeps the total and the count, can be
//! merged, and cannot be averaged.
//!
//! Source: Jelinek, Mercer, Bahl and Baker, *Perplexity - a measure of the difficulty of speech
//! recognition tasks* (1977), for perplexity.

use crate::{ExactSum, MetricError};

/// What a total is expected to be, for the refusal.
const AN_NLL: &str = "0 or more (nats): check the losses it sums";

/// The exact total NLL of some targets, in nats, and their number, which is at least 1.
///
/// The total may be infinite: that is the honest score of a model that gave an observed target
/// probability zero. It is never NaN and never below zero.
///
/// # Example
/// ```
/// use llm_metrics::MetricSummary;
///
/// let one_long_text = MetricSummary::from_token_nlls(&[1.0, 2.0, 3.0, 2.0])?;
/// let one_short = MetricSummary::from_token_nlls(&[7.0])?;
/// assert_eq!(one_long_text.mean_nll(), 2.0);
/// assert_eq!(one_long_text.merge(one_short)?.mean_nll(), 3.0); // 15 / 5, not (2 + 7) / 2
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct MetricSummary {
    /// Kept unrounded, so that merging in any order and grouping gives the same bits.
    total_nll: ExactSum,
    target_count: usize,
}

impl MetricSummary {
    /// A summary of `target_count` targets whose losses sum to `total_nll` nats.
    ///
    /// Only for a total that is exact as it stands. A rounded mean multiplied by its count is not:
    /// give the losses themselves to [`MetricSummary::from_token_nlls`].
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for NaN or a value below zero,
    /// [`MetricError::NoTargets`] for a count of 0.
    pub fn from_total_nll(total_nll: f64, target_count: usize) -> Result<Self, MetricError> {
        Self::from_exact_total(ExactSum::from_iter([total_nll]), target_count)
    }

    /// A summary of one target per entry, each entry its NLL in nats.
    ///
    /// # Errors
    /// [`MetricError::InvalidNll`] with the index of the first entry that is NaN or below zero,
    /// [`MetricError::NoTargets`] for an empty slice.
    pub fn from_token_nlls(token_nlls: &[f64]) -> Result<Self, MetricError> {
        for (index, &value) in token_nlls.iter().enumerate() {
            if !is_nll(value) {
                return Err(MetricError::InvalidNll { index, value });
            }
        }
        Self::from_exact_total(token_nlls.iter().copied().collect(), token_nlls.len())
    }

    /// A summary of one target per entry, each entry its log-probability in nats.
    ///
    /// A log-probability of -1013 is an ordinary number, the probability 10^-440 that it stands
    /// for is 0 in `f64`. So whoever can, hands over logarithms.
    ///
    /// # Errors
    /// [`MetricError::InvalidLogProbability`] with the index of the first entry that is NaN or
    /// above zero, [`MetricError::NoTargets`] for an empty slice.
    pub fn from_log_probabilities(log_probabilities: &[f64]) -> Result<Self, MetricError> {
        for (index, &value) in log_probabilities.iter().enumerate() {
            if !is_nll(-value) {
                return Err(MetricError::InvalidLogProbability { index, value });
            }
        }
        let total_nll = log_probabilities.iter().map(|log_probability| -log_probability).collect();
        Self::from_exact_total(total_nll, log_probabilities.len())
    }

    /// A summary of `target_count` targets whose losses were summed elsewhere, for losses that
    /// arrive one at a time and are not kept. Whoever sums them checks each.
    ///
    /// # Errors
    /// As [`MetricSummary::from_total_nll`].
    pub fn from_exact_total(total_nll: ExactSum, target_count: usize) -> Result<Self, MetricError> {
        let value = total_nll.value();
        if !is_nll(value) {
            return Err(MetricError::OutOfRange { what: "the total nll", value, expected: AN_NLL });
        }
        if target_count == 0 {
            return Err(MetricError::NoTargets);
        }
        Ok(Self { total_nll, target_count })
    }

    /// The summary of the targets of both: totals and counts add, the mean is computed anew.
    ///
    /// # Errors
    /// [`MetricError::TargetCountOverflow`] if the counts do not fit into one `usize`.
    pub fn merge(mut self, other: Self) -> Result<Self, MetricError> {
        let (left, right) = (self.target_count, other.target_count);
        self.target_count =
            left.checked_add(right).ok_or(MetricError::TargetCountOverflow { left, right })?;
        self.total_nll.merge(&other.total_nll);
        Ok(self)
    }

    /// The sum of all losses in nats, rounded once to the nearest `f64`.
    pub fn total_nll(&self) -> f64 {
        self.total_nll.value()
    }

    /// The sum of all losses in nats, unrounded, for sums over several summaries.
    pub fn exact_total_nll(&self) -> &ExactSum {
        &self.total_nll
    }

    /// Nats per target: [`MetricSummary::total_nll`] divided by the count.
    pub fn mean_nll(&self) -> f64 {
        self.total_nll() / self.target_count as f64
    }

    /// `exp(mean_nll)`: the number of equally likely choices that would be as hard to guess.
    ///
    /// It is infinite from a mean of about 709.78 nats on, where the mean is still finite: `f64`
    /// ends there. So the NLL is the number to keep and to compare.
    pub fn perplexity(&self) -> f64 {
        libm::exp(self.mean_nll())
    }

    /// How many targets were scored.
    pub fn target_count(&self) -> usize {
        self.target_count
    }
}

/// Whether `value` can be an NLL: 0 or more, infinity included. NaN fails every comparison.
fn is_nll(value: f64) -> bool {
    value >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_targets_are_refused_instead_of_dividing_by_zero() {
        assert_eq!(MetricSummary::from_total_nll(0.0, 0), Err(MetricError::NoTargets));
        assert_eq!(MetricSummary::from_token_nlls(&[]), Err(MetricError::NoTargets));
    }

    #[test]
    fn totals_below_zero_and_nan_are_refused() {
        let negative = MetricSummary::from_total_nll(-1e-300, 3);
        let refused = MetricError::OutOfRange {
            what: "the total nll",
            value: -1e-300,
            expected: "0 or more (nats): check the losses it sums",
        };
        assert_eq!(negative, Err(refused));
        let nan = MetricSummary::from_total_nll(f64::NAN, 3);
        assert!(matches!(nan, Err(MetricError::OutOfRange { value, .. }) if value.is_nan()));
        let lost = ExactSum::from_iter([f64::INFINITY, f64::NEG_INFINITY]);
        assert!(MetricSummary::from_exact_total(lost, 2).is_err());
    }

    #[test]
    fn a_bad_token_loss_is_named_even_if_the_total_looks_fine() {
        let refused = MetricSummary::from_token_nlls(&[2.0, -0.5, 1.0]);
        assert_eq!(refused, Err(MetricError::InvalidNll { index: 1, value: -0.5 }));
        let refused = MetricSummary::from_token_nlls(&[2.0, 1.0, f64::NAN]);
        assert!(matches!(refused, Err(MetricError::InvalidNll { index: 2, .. })));
    }

    #[test]
    fn log_probabilities_reach_below_the_smallest_float() {
        // 10^-440 is -440 ln 10 = -1013.1374 nats, and e^-1013 is 0 in f64.
        let tiny = -440.0 * std::f64::consts::LN_10;
        assert_eq!(libm::exp(tiny), 0.0);
        let summary = MetricSummary::from_log_probabilities(&[tiny, -1.0]).unwrap();
        assert!((summary.total_nll() - 1014.1374).abs() < 1e-4);
        assert_eq!(summary.target_count(), 2);
    }

    #[test]
    fn what_is_no_log_probability_is_refused_by_index() {
        let refused = MetricSummary::from_log_probabilities(&[-1.0, 0.5]);
        assert_eq!(refused, Err(MetricError::InvalidLogProbability { index: 1, value: 0.5 }));
        let refused = MetricSummary::from_log_probabilities(&[f64::NAN]);
        assert!(matches!(refused, Err(MetricError::InvalidLogProbability { index: 0, .. })));
        assert_eq!(MetricSummary::from_log_probabilities(&[]), Err(MetricError::NoTargets));
        let impossible = MetricSummary::from_log_probabilities(&[f64::NEG_INFINITY]).unwrap();
        assert_eq!(impossible.total_nll(), f64::INFINITY);
    }

    #[test]
    fn an_infinite_total_is_kept_and_stays_infinite() {
        let impossible = MetricSummary::from_token_nlls(&[f64::INFINITY, 1.0]).unwrap();
        let fine = MetricSummary::from_total_nll(1.0, 1).unwrap();
        let both = fine.merge(impossible).unwrap();
        assert_eq!((both.total_nll(), both.perplexity()), (f64::INFINITY, f64::INFINITY));
        assert_eq!(both.target_count(), 3);
    }

    #[test]
    fn merging_more_targets_than_a_usize_counts_is_refused() {
        let summary = |count| MetricSummary::from_total_nll(1.0, count).unwrap();
        let refused = summary(usize::MAX).merge(summary(1));
        assert_eq!(refused, Err(MetricError::TargetCountOverflow { left: usize::MAX, right: 1 }));
        let largest = summary(usize::MAX - 1).merge(summary(1)).unwrap();
        assert_eq!(largest.target_count(), usize::MAX);
    }

    #[test]
    fn perplexity_overflows_while_the_mean_stays_finite() {
        // ln(f64::MAX) = 709.7827..
        let below = MetricSummary::from_total_nll(709.0, 1).unwrap();
        assert!(below.perplexity().is_finite());
        let above = MetricSummary::from_total_nll(1420.0, 2).unwrap();
        assert_eq!((above.mean_nll(), above.perplexity()), (710.0, f64::INFINITY));
    }

    #[test]
    fn a_perfect_prediction_has_loss_zero_and_perplexity_one() {
        let perfect = MetricSummary::from_token_nlls(&[-0.0, 0.0]).unwrap();
        assert_eq!(perfect.mean_nll().to_bits(), 0.0_f64.to_bits());
        assert_eq!(perfect.perplexity(), 1.0);
    }
}
