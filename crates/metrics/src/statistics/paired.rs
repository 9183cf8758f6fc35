//! Two models on the same items: the difference of their means.
//!
//! ```text
//! paired      d_i = a_i - b_i       se = standard error of the mean of d
//! unpaired                          se = sqrt(se_a^2 + se_b^2)
//! ```
//!
//! Hard items are hard for both models. Subtracting item by item removes what they share, so the
//! paired standard error is usually much the smaller one; it is the right one whenever both models
//! saw the same items. Two accuracies near 0.5 on 1000 items each have an unpaired standard error of
//! 2.2 points: a gap of one or two points shows nothing then.

use super::standard_error::{MeanEstimate, clustered_mean, mean_estimate};
use crate::MetricError;

/// The mean of `a - b` over shared items, with its standard error.
///
/// # Example
/// ```
/// use llm_metrics::PairedDifference;
///
/// let paired = PairedDifference::of(&[3.0, 5.0, 9.0], &[2.0, 5.0, 7.0])?; // 1, 0, 2
/// assert_eq!(paired.difference(), 1.0);
/// assert_eq!(paired.standard_error(), Some((2.0_f64 / 6.0).sqrt()));
/// assert!((paired.z().unwrap() - 3.0_f64.sqrt()).abs() < 1e-15);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairedDifference {
    estimate: MeanEstimate,
}

impl PairedDifference {
    /// From the scores of both models, item by item in the same order.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for different numbers of items, otherwise as
    /// [`mean_estimate`] for the differences.
    pub fn of(a: &[f64], b: &[f64]) -> Result<Self, MetricError> {
        Ok(Self { estimate: mean_estimate(&differences(a, b)?)? })
    }

    /// The same for items that come in groups, such as questions about one document.
    ///
    /// # Errors
    /// As [`PairedDifference::of`] and [`clustered_mean`].
    pub fn clustered<G: Ord>(a: &[f64], b: &[f64], groups: &[G]) -> Result<Self, MetricError> {
        Ok(Self { estimate: clustered_mean(&differences(a, b)?, groups)? })
    }

    /// Mean of `a` minus mean of `b`, in the unit of the scores.
    pub fn difference(&self) -> f64 {
        self.estimate.mean
    }

    /// Standard error of the difference; `None` with a single item or group.
    pub fn standard_error(&self) -> Option<f64> {
        self.estimate.standard_error
    }

    /// The difference in standard errors; beyond -1.96 to 1.96 it is unlikely to be chance. `None`
    /// where the standard error is unknown or 0.
    pub fn z(&self) -> Option<f64> {
        self.estimate.standard_error.filter(|se| *se > 0.0).map(|se| self.estimate.mean / se)
    }

    /// Items and independent units behind the difference.
    pub fn estimate(&self) -> MeanEstimate {
        self.estimate
    }
}

/// The standard error of the difference of two means over *different* items.
pub fn unpaired_standard_error(standard_error_a: f64, standard_error_b: f64) -> f64 {
    libm::hypot(standard_error_a, standard_error_b)
}

fn differences(a: &[f64], b: &[f64]) -> Result<Vec<f64>, MetricError> {
    if a.len() != b.len() {
        let (what, expected) = ("the number of paired items", "that of the other model");
        return Err(MetricError::OutOfRange { what, value: b.len() as f64, expected });
    }
    Ok(a.iter().zip(b).map(|(a, b)| a - b).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Proportion;

    #[test]
    fn what_both_models_share_does_not_count() {
        // Scores vary by hundreds, differences are 1 and 2.
        let paired =
            PairedDifference::of(&[101.0, 502.0, 901.0, 12.0], &[100.0, 500.0, 900.0, 10.0])
                .unwrap();
        assert_eq!(paired.difference(), 1.5);
        assert!((paired.standard_error().unwrap() - (1.0_f64 / 12.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn exchanging_the_models_changes_the_sign_only() {
        let (a, b) = ([1.0, 4.0, 2.0], [0.5, 4.5, 0.0]);
        let [ab, ba] = [(&a, &b), (&b, &a)].map(|(x, y)| PairedDifference::of(x, y).unwrap());
        assert_eq!(ab.difference(), -ba.difference());
        assert_eq!(ab.standard_error(), ba.standard_error());
        assert_eq!(ab.z(), ba.z().map(|z| -z));
    }

    #[test]
    fn a_gap_of_two_points_is_noise_on_a_thousand_items() {
        let se = Proportion::new(500, 1000).unwrap().standard_error();
        let of_difference = unpaired_standard_error(se, se);
        assert!((of_difference - 0.02236).abs() < 1e-5, "{of_difference}");
        assert!(0.02 / of_difference < 1.0);
    }

    #[test]
    fn grouped_differences_have_the_grouped_error() {
        let paired = PairedDifference::clustered(&[1.0; 4], &[0.0, 0.0, 1.0, 1.0], &[7, 7, 8, 8]);
        // differences 1, 1, 0, 0 around 0.5: group sums 1 and -1, sqrt(2 * 2) / 4
        assert_eq!(paired.unwrap().standard_error(), Some(0.5));
    }

    #[test]
    fn equal_models_have_no_z_and_unequal_lists_no_difference() {
        let same = PairedDifference::of(&[1.0, 2.0], &[1.0, 2.0]).unwrap();
        assert_eq!((same.difference(), same.standard_error(), same.z()), (0.0, Some(0.0), None));
        assert!(PairedDifference::of(&[1.0, 2.0], &[1.0]).is_err());
        assert_eq!(PairedDifference::of(&[], &[]), Err(MetricError::NoValues));
    }
}
