//! Accuracy with its uncertainty: successes out of n independent items.
//!
//! ```text
//! share            p  = successes / n
//! standard error   se = sqrt(p (1 - p) / n)             0.0158 at p = 0.5 and n = 1000
//! Wilson interval  (p + z^2/2n -+ z sqrt(p (1-p)/n + z^2/4n^2)) / (1 + z^2/n)
//! ```
//!
//! The standard error is 0 for p = 0 and p = 1, as if ten right answers of ten proved perfection.
//! Wilson's interval does not collapse there and never leaves [0, 1]; it holds the true values that
//! would not make the observed share surprising.
//!
//! Source: Wilson, *Probable inference, the law of succession, and statistical inference* (1927).

use super::normal::two_sided_z;
use crate::MetricError;

/// A share of successes, such as an accuracy.
///
/// # Example
/// ```
/// use llm_metrics::Proportion;
///
/// let accuracy = Proportion::new(500, 1000)?;
/// assert_eq!(accuracy.share(), 0.5);
/// assert_eq!(format!("{:.4}", accuracy.standard_error()), "0.0158");
/// let interval = accuracy.wilson_interval(0.95)?;
/// assert_eq!(format!("{:.4} {:.4}", interval.lower, interval.upper), "0.4691 0.5309");
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Proportion {
    successes: usize,
    item_count: usize,
}

/// An interval of plausible values, in the unit of the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub lower: f64,
    /// Upper end.
    pub upper: f64,
}

impl Proportion {
    /// # Errors
    /// [`MetricError::NoValues`] without items, [`MetricError::OutOfRange`] for more successes
    /// than items.
    pub fn new(successes: usize, item_count: usize) -> Result<Self, MetricError> {
        if item_count == 0 {
            return Err(MetricError::NoValues);
        }
        if successes > item_count {
            let (value, expected) = (successes as f64, "at most the number of items");
            return Err(MetricError::OutOfRange { what: "the successes", value, expected });
        }
        Ok(Self { successes, item_count })
    }

    /// Items n.
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// Successes over items, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.successes as f64 / self.item_count as f64
    }

    /// `sqrt(p (1 - p) / n)`, the binomial standard error of the share.
    pub fn standard_error(&self) -> f64 {
        let failures = self.item_count - self.successes;
        // p (1 - p) from the counts: 1 - p would round.
        let variance = self.share() * (failures as f64 / self.item_count as f64);
        (variance / self.item_count as f64).sqrt()
    }

    /// Wilson's interval for the true share at a confidence such as 0.95.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] unless `0 < confidence < 1`.
    pub fn wilson_interval(&self, confidence: f64) -> Result<Interval, MetricError> {
        let z = two_sided_z(confidence)?;
        let n = self.item_count as f64;
        let (p, q) = (self.share(), (self.item_count - self.successes) as f64 / n);
        let scale = 1.0 + z * z / n;
        let centre = (p + z * z / (2.0 * n)) / scale;
        let half_width = z * (p * q / n + z * z / (4.0 * n * n)).sqrt() / scale;
        // At 0 and n successes one end is exactly 0 or 1; rounding must not step over it.
        let lower = if self.successes == 0 { 0.0 } else { (centre - half_width).max(0.0) };
        let upper =
            if self.successes == self.item_count { 1.0 } else { (centre + half_width).min(1.0) };
        Ok(Interval { lower, upper })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_perfect_score_on_few_items_is_no_proof_of_perfection() {
        let perfect = Proportion::new(10, 10).unwrap();
        assert_eq!(perfect.standard_error(), 0.0);
        // p = 1: lower end n / (n + z^2) = 10 / 13.841459
        let interval = perfect.wilson_interval(0.95).unwrap();
        assert!((interval.lower - 0.722_467).abs() < 1e-6, "{interval:?}");
        assert_eq!(interval.upper, 1.0);
        assert_eq!(Proportion::new(0, 10).unwrap().wilson_interval(0.95).unwrap().lower, 0.0);
    }

    #[test]
    fn four_times_the_items_halve_the_standard_error() {
        let [few, many] = [(30, 100), (120, 400)].map(|(k, n)| Proportion::new(k, n).unwrap());
        assert!((few.standard_error() / many.standard_error() - 2.0).abs() < 1e-14);
    }

    #[test]
    fn impossible_counts_and_confidences_are_refused() {
        assert_eq!(Proportion::new(0, 0), Err(MetricError::NoValues));
        assert!(Proportion::new(3, 2).is_err());
        let half = Proportion::new(1, 2).unwrap();
        for confidence in [0.0, 1.0, f64::NAN] {
            assert!(half.wilson_interval(confidence).is_err());
        }
    }
}
