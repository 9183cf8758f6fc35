//! What n items can show: the smallest difference that a test would find.
//!
//! A test at significance `a` calls a difference real if it is beyond `z(1 - a/2)` standard errors.
//! To be found with probability `power`, the true difference must lie `z(power)` further out:
//!
//! ```text
//! smallest detectable difference = (z(1 - a/2) + z(power)) * deviation / sqrt(n)
//! ```
//!
//! `deviation` is the standard deviation of one item's difference. For 0/1 scores of two models
//! with accuracies near p:
//!
//! | comparison | deviation of one item |
//! | --- | --- |
//! | different questions for each model | `sqrt(2 p (1 - p))` |
//! | the same questions, share d of disagreements | `sqrt(d)`, a little less for unequal models |
//!
//! At the usual 5 % and 80 % the factor is 2.80: with 1000 questions at p = 0.5 nothing below 6.3
//! points is likely to be found unpaired. Compute it before measuring.
//!
//! Source: Cohen, *Statistical power analysis for the behavioral sciences* (1988); for evaluations
//! Card et al., *With little power comes great responsibility* (2020),
//! <https://arxiv.org/abs/2010.06595>.

use super::normal::normal_quantile;
use crate::MetricError;

/// How sure one wants to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectableDifference {
    /// Probability of calling no difference a real one, such as 0.05 (two-sided).
    pub significance: f64,
    /// Probability of finding a difference of the computed size, such as 0.8.
    pub power: f64,
    /// Standard deviation of one item's difference, in the unit of the scores.
    pub deviation: f64,
}

impl DetectableDifference {
    /// The usual 5 % and 80 % for two models with accuracies near `p` on different questions.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] unless `0 <= p <= 1`.
    pub fn unpaired_accuracy(p: f64) -> Result<Self, MetricError> {
        let p = checked(p, "the accuracy", (0.0..=1.0).contains(&p), "from 0 to 1")?;
        Ok(Self { significance: 0.05, power: 0.8, deviation: (2.0 * p * (1.0 - p)).sqrt() })
    }

    /// The usual 5 % and 80 % for two models that disagree on this share of the same questions.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] unless the share is from 0 to 1.
    pub fn paired_accuracy(disagreement: f64) -> Result<Self, MetricError> {
        let is_share = (0.0..=1.0).contains(&disagreement);
        let share = checked(disagreement, "the share of disagreements", is_share, "from 0 to 1")?;
        Ok(Self { significance: 0.05, power: 0.8, deviation: share.sqrt() })
    }

    /// The smallest difference that `item_count` items find, in the unit of the scores.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without items, [`MetricError::OutOfRange`] for a significance or
    /// power not between 0 and 1, or a deviation that is negative or not finite.
    ///
    /// # Example
    /// ```
    /// use llm_metrics::DetectableDifference;
    ///
    /// let unpaired = DetectableDifference::unpaired_accuracy(0.5)?;
    /// assert_eq!(format!("{:.4}", unpaired.with_items(1000)?), "0.0626");
    /// let paired = DetectableDifference::paired_accuracy(0.1)?;
    /// assert_eq!(format!("{:.4}", paired.with_items(1000)?), "0.0280");
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn with_items(&self, item_count: usize) -> Result<f64, MetricError> {
        if item_count == 0 {
            return Err(MetricError::NoValues);
        }
        Ok(self.one_item()? / (item_count as f64).sqrt())
    }

    /// The fewest items that find a difference of this size; a whole number, as `f64` because it
    /// can be beyond any count.
    ///
    /// # Errors
    /// As [`DetectableDifference::with_items`], and [`MetricError::OutOfRange`] for a difference
    /// that is not above 0.
    pub fn items_for(&self, difference: f64) -> Result<f64, MetricError> {
        let valid = difference > 0.0 && difference.is_finite();
        checked(difference, "the difference to detect", valid, "above 0 and finite")?;
        let root = self.one_item()? / difference;
        Ok((root * root).ceil().max(1.0))
    }

    /// The difference that a single item would need.
    fn one_item(&self) -> Result<f64, MetricError> {
        let Self { significance, power, deviation } = *self;
        let between = |value: f64| value > 0.0 && value < 1.0;
        let range = "above 0 and below 1";
        checked(significance, "the significance", between(significance), range)?;
        checked(power, "the power", between(power), range)?;
        let valid = deviation >= 0.0 && deviation.is_finite();
        checked(deviation, "the deviation of one item", valid, "0 or more and finite")?;
        Ok((normal_quantile(power)? - normal_quantile(0.5 * significance)?) * deviation)
    }
}

fn checked(
    value: f64,
    what: &'static str,
    valid: bool,
    expected: &'static str,
) -> Result<f64, MetricError> {
    if valid { Ok(value) } else { Err(MetricError::OutOfRange { what, value, expected }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: DetectableDifference =
        DetectableDifference { significance: 0.05, power: 0.8, deviation: 1.0 };

    #[test]
    fn four_times_the_items_find_half_the_difference() {
        let [few, many] = [250, 1000].map(|n| PLAN.with_items(n).unwrap());
        assert!((few / many - 2.0).abs() < 1e-14);
    }

    #[test]
    fn the_factor_is_the_sum_of_two_normal_quantiles() {
        // 1.959964 + 0.841621
        assert!((PLAN.with_items(1).unwrap() - 2.801585).abs() < 2e-6);
    }

    #[test]
    fn the_number_of_items_and_the_difference_are_each_others_answer() {
        let items = PLAN.items_for(0.1).unwrap();
        assert_eq!(items, 785.0); // 28.01585^2 = 784.888
        assert!(PLAN.with_items(785).unwrap() <= 0.1);
        assert!(PLAN.with_items(784).unwrap() > 0.1);
    }

    #[test]
    fn plans_that_promise_the_impossible_are_refused() {
        assert_eq!(PLAN.with_items(0), Err(MetricError::NoValues));
        for broken in [
            DetectableDifference { significance: 0.0, ..PLAN },
            DetectableDifference { power: 1.0, ..PLAN },
            DetectableDifference { deviation: f64::NAN, ..PLAN },
            DetectableDifference { deviation: -1.0, ..PLAN },
        ] {
            assert!(broken.with_items(10).is_err() && broken.items_for(0.1).is_err());
        }
        assert!(PLAN.items_for(0.0).is_err() && PLAN.items_for(f64::NAN).is_err());
        assert!(DetectableDifference::unpaired_accuracy(1.2).is_err());
        assert!(DetectableDifference::paired_accuracy(-0.1).is_err());
    }
}
