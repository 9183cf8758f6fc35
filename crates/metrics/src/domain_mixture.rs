//! Losses by domain, and the two ways to make one number of them.
//!
//! A test set of news and code has two losses before it has one. For domains with losses `l_d`
//! (mean NLL in nats per target) and `n_d` targets:
//!
//! ```text
//! observed     sum n_d l_d / sum n_d         what happens to be in the set decides
//! reporting    sum w_d l_d,  sum w_d = 1     declared weights decide
//! ```
//!
//! Either is a weighted mean of losses, so its perplexity is the weighted *geometric* mean of the
//! domains' perplexities. The arithmetic mean of perplexities is another number, never smaller.
//!
//! The observed number moves when the shares move, and can rise while every domain falls. So show
//! the domains first, then name the weighting of each number, and split a change into the two parts
//! that it has:
//!
//! ```text
//! change = sum (w_d + w'_d)/2 (l'_d - l_d)     within the domains
//!        + sum (w'_d - w_d) (l_d + l'_d)/2     of the weights
//! ```
//!
//! Source of the split: Kitagawa, *Components of a difference between two rates* (1955).

use crate::{ExactSum, MetricError, MetricSummary, perplexity_from_nats};

/// Domains in a fixed order, each with at least one scored target.
///
/// # Example
/// Neither domain changes, the shares do, and the observed loss rises by 0.8 nats:
/// ```
/// use llm_metrics::{DomainMixture, MetricSummary};
///
/// let domain = |nats: f64, targets| MetricSummary::from_token_nlls(&vec![nats; targets]);
/// let before = DomainMixture::new(vec![domain(2.0, 900)?, domain(4.0, 100)?])?;
/// let after = DomainMixture::new(vec![domain(2.0, 500)?, domain(4.0, 500)?])?;
/// assert_eq!((before.observed_nll()?, after.observed_nll()?), (2.2, 3.0));
///
/// let even = [0.5, 0.5]; // declared beforehand
/// assert_eq!(before.reporting_nll(&even)?, after.reporting_nll(&even)?);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DomainMixture {
    domains: Vec<MetricSummary>,
}

/// The change of a weighted loss, in nats per target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MixtureChange {
    /// Later minus earlier.
    pub total: f64,
    /// The part that the domains' losses make, at the mean of both weightings.
    pub within_domains: f64,
    /// The part that the weights make, at the mean of both losses.
    pub of_weights: f64,
}

/// How far weights may be from a sum of one: rounding of what people write down.
const WEIGHT_SUM_TOLERANCE: f64 = 1e-9;

impl DomainMixture {
    /// From one summary per domain.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without a domain, [`MetricError::NonFiniteValue`] with the index
    /// of a domain whose loss is infinite. A domain without targets cannot occur: it has no summary.
    pub fn new(domains: Vec<MetricSummary>) -> Result<Self, MetricError> {
        if domains.is_empty() {
            return Err(MetricError::NoValues);
        }
        match domains.iter().position(|domain| !domain.mean_nll().is_finite()) {
            Some(index) => {
                Err(MetricError::NonFiniteValue { index, value: domains[index].mean_nll() })
            }
            None => Ok(Self { domains }),
        }
    }

    /// The domains in their order.
    pub fn domains(&self) -> &[MetricSummary] {
        &self.domains
    }

    /// Mean NLL of each domain.
    pub fn losses(&self) -> Vec<f64> {
        self.domains.iter().map(MetricSummary::mean_nll).collect()
    }

    /// Each domain's share of all scored targets; they sum to one.
    ///
    /// # Errors
    /// [`MetricError::TargetCountOverflow`].
    pub fn observed_weights(&self) -> Result<Vec<f64>, MetricError> {
        let all = self.pooled()?.target_count() as f64;
        Ok(self.domains.iter().map(|domain| domain.target_count() as f64 / all).collect())
    }

    /// All targets of all domains as one set.
    ///
    /// # Errors
    /// [`MetricError::TargetCountOverflow`].
    pub fn pooled(&self) -> Result<MetricSummary, MetricError> {
        let (first, others) = self.domains.split_first().expect("`new` refuses an empty list");
        others.iter().cloned().try_fold(first.clone(), MetricSummary::merge)
    }

    /// Mean NLL over all targets: the weights are the target counts.
    ///
    /// # Errors
    /// [`MetricError::TargetCountOverflow`].
    pub fn observed_nll(&self) -> Result<f64, MetricError> {
        Ok(self.pooled()?.mean_nll())
    }

    /// Mean of the domains' losses under declared weights, one per domain.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for another number of weights than of domains, for a weight
    /// outside 0 to 1, and if they do not sum to one.
    pub fn reporting_nll(&self, weights: &[f64]) -> Result<f64, MetricError> {
        self.check_weights(weights)?;
        Ok(weighted_sum(weights, &self.losses()))
    }

    /// Weighted geometric mean of the domains' perplexities: `exp` of the weighted loss.
    ///
    /// # Errors
    /// As [`Self::reporting_nll`].
    pub fn perplexity(&self, weights: &[f64]) -> Result<f64, MetricError> {
        Ok(perplexity_from_nats(self.reporting_nll(weights)?))
    }

    /// Weighted arithmetic mean of the domains' perplexities, which is *not* the perplexity of
    /// anything: shown to be recognized.
    ///
    /// # Errors
    /// As [`Self::reporting_nll`].
    pub fn arithmetic_mean_of_perplexities(&self, weights: &[f64]) -> Result<f64, MetricError> {
        self.check_weights(weights)?;
        let perplexities: Vec<f64> = self.domains.iter().map(MetricSummary::perplexity).collect();
        Ok(weighted_sum(weights, &perplexities))
    }

    /// How the observed loss moved from this report to a later one of the same domains.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for another number of domains, and as
    /// [`Self::observed_weights`].
    pub fn observed_change(&self, later: &Self) -> Result<MixtureChange, MetricError> {
        if self.domains.len() != later.domains.len() {
            let (value, expected) = (later.domains.len() as f64, "that of the earlier report");
            return Err(MetricError::OutOfRange { what: "the number of domains", value, expected });
        }
        let (old_weights, new_weights) = (self.observed_weights()?, later.observed_weights()?);
        let (old, new) = (self.losses(), later.losses());
        let zip = |a: &[f64], b: &[f64], f: fn(f64, f64) -> f64| -> Vec<f64> {
            a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect()
        };
        let (mean, rise) = (|a: f64, b: f64| (a + b) / 2.0, |a: f64, b: f64| b - a);
        let weights = zip(&old_weights, &new_weights, mean);
        let losses = zip(&old, &new, mean);
        Ok(MixtureChange {
            total: later.observed_nll()? - self.observed_nll()?,
            within_domains: weighted_sum(&weights, &zip(&old, &new, rise)),
            of_weights: weighted_sum(&zip(&old_weights, &new_weights, rise), &losses),
        })
    }

    fn check_weights(&self, weights: &[f64]) -> Result<(), MetricError> {
        let refuse = |what, value, expected| Err(MetricError::OutOfRange { what, value, expected });
        if weights.len() != self.domains.len() {
            return refuse("the number of weights", weights.len() as f64, "one per domain");
        }
        if let Some(&weight) = weights.iter().find(|weight| !(0.0..=1.0).contains(*weight)) {
            return refuse("a domain's weight", weight, "from 0 to 1");
        }
        let sum = weights.iter().copied().collect::<ExactSum>().value();
        if (sum - 1.0).abs() > WEIGHT_SUM_TOLERANCE {
            return refuse("the sum of the weights", sum, "1: divide each by it");
        }
        Ok(())
    }
}

fn weighted_sum(weights: &[f64], values: &[f64]) -> f64 {
    weights.iter().zip(values).map(|(weight, value)| weight * value).collect::<ExactSum>().value()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mixture(domains: &[(f64, usize)]) -> DomainMixture {
        let summary = |&(nats, targets): &(f64, usize)| {
            MetricSummary::from_total_nll(nats * targets as f64, targets).unwrap()
        };
        DomainMixture::new(domains.iter().map(summary).collect()).unwrap()
    }

    #[test]
    fn a_change_of_shares_and_a_change_of_losses_are_told_apart() {
        let before = mixture(&[(2.0, 900), (4.0, 100)]);
        let shift = before.observed_change(&mixture(&[(2.0, 500), (4.0, 500)])).unwrap();
        assert!(shift.within_domains == 0.0 && (shift.of_weights - 0.8).abs() < 1e-15, "{shift:?}");
        // Both fall by 0.1, and the shares add (0.5 - 0.9) 1.95 + (0.5 - 0.1) 3.95 = 0.8.
        let reversal = before.observed_change(&mixture(&[(1.9, 500), (3.9, 500)])).unwrap();
        assert!((reversal.within_domains + 0.1).abs() < 1e-15, "{reversal:?}");
        assert!((reversal.of_weights - 0.8).abs() < 1e-15, "{reversal:?}");
        assert!((reversal.total - 0.7).abs() < 1e-15, "{reversal:?}");
    }

    #[test]
    fn what_is_no_weighting_is_refused() {
        let mixture = mixture(&[(2.0, 900), (4.0, 100)]);
        let refused: [&[f64]; 6] =
            [&[], &[1.0], &[0.5, 0.4], &[-0.5, 1.5], &[f64::NAN, 1.0], &[0.5, 0.5, 0.0]];
        for weights in refused {
            assert!(mixture.reporting_nll(weights).is_err(), "{weights:?}");
            assert!(mixture.perplexity(weights).is_err(), "{weights:?}");
            assert!(mixture.arithmetic_mean_of_perplexities(weights).is_err(), "{weights:?}");
        }
        assert_eq!(mixture.reporting_nll(&[0.0, 1.0]), Ok(4.0));
    }

    #[test]
    fn no_domain_and_an_infinite_domain_are_refused() {
        assert_eq!(DomainMixture::new(vec![]), Err(MetricError::NoValues));
        let infinite = MetricSummary::from_token_nlls(&[f64::INFINITY]).unwrap();
        assert!(matches!(
            DomainMixture::new(vec![infinite]),
            Err(MetricError::NonFiniteValue { index: 0, .. })
        ));
        assert_eq!(MetricSummary::from_token_nlls(&[]), Err(MetricError::NoTargets));
        let (one, two) = (mixture(&[(1.0, 1)]), mixture(&[(1.0, 1), (2.0, 2)]));
        assert!(one.observed_change(&two).is_err());
    }

    proptest! {
        /// The parts add up, pooling is the weighting by counts, and no arithmetic mean of
        /// perplexities is below the perplexity.
        #[test]
        fn parts_add_up_and_means_keep_their_order(
            before in prop::collection::vec((0.0..9.0, 1_usize..5_000), 3),
            after in prop::collection::vec((0.0..9.0, 1_usize..5_000), 3),
        ) {
            let (before, after) = (mixture(&before), mixture(&after));
            let change = before.observed_change(&after).unwrap();
            prop_assert!((change.within_domains + change.of_weights - change.total).abs() < 1e-12);
            let weights = before.observed_weights().unwrap();
            let by_weights = before.reporting_nll(&weights).unwrap();
            prop_assert!((by_weights - before.observed_nll().unwrap()).abs() < 1e-13);
            let geometric = before.perplexity(&weights).unwrap();
            let arithmetic = before.arithmetic_mean_of_perplexities(&weights).unwrap();
            prop_assert!(arithmetic >= geometric * (1.0 - 1e-12));
        }

        /// Domains may be listed in any order, each with its own weight: no bit changes.
        #[test]
        fn the_order_of_the_domains_changes_no_bit(
            rows in prop::collection::vec((0.0..9.0, 1_usize..5_000, 1_u32..100), 1..7),
            later in prop::collection::vec((0.0..9.0, 1_usize..5_000), 7),
            order in Just([0_usize, 1, 2, 3, 4, 5, 6]).prop_shuffle(),
        ) {
            let all: u32 = rows.iter().map(|(.., parts)| parts).sum();
            let numbers = |places: &[usize]| {
                let domains: Vec<_> = places.iter().map(|&i| (rows[i].0, rows[i].1)).collect();
                let weight = |&i: &usize| f64::from(rows[i].2) / f64::from(all);
                let weights: Vec<f64> = places.iter().map(weight).collect();
                let later: Vec<_> = places.iter().map(|&i| later[i]).collect();
                let (mixture, later) = (mixture(&domains), mixture(&later));
                let change = mixture.observed_change(&later).unwrap();
                [
                    mixture.observed_nll().unwrap(),
                    mixture.reporting_nll(&weights).unwrap(),
                    mixture.perplexity(&weights).unwrap(),
                    mixture.arithmetic_mean_of_perplexities(&weights).unwrap(),
                    change.total,
                    change.within_domains,
                    change.of_weights,
                ]
                .map(f64::to_bits)
            };
            let listed: Vec<usize> = (0..rows.len()).collect();
            let shuffled: Vec<usize> = order.into_iter().filter(|&i| i < rows.len()).collect();
            prop_assert_eq!(numbers(&listed), numbers(&shuffled));
        }
    }
}
