//! The normal distribution: probability of a value, and value of a probability.
//!
//! Standard errors become intervals and tests through it, because means of many independent items
//! are nearly normal. `erfc` is that of `libm`, accurate to about one unit in the last place.

use crate::MetricError;
use std::f64::consts::SQRT_2;

/// `P(Z <= z)` for a standard normal Z.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// The z with `P(Z <= z) = probability`. For a two-sided confidence of 95 % that is 0.975, and z
/// is 1.959964.
///
/// Found by bisection, which needs nothing but [`normal_cdf`] and ends when no float lies between
/// the two sides.
///
/// # Errors
/// [`MetricError::OutOfRange`] unless `0 < probability < 1`.
///
/// # Example
/// ```
/// assert_eq!(llm_metrics::normal_quantile(0.5)?, 0.0);
/// assert_eq!(format!("{:.6}", llm_metrics::normal_quantile(0.975)?), "1.959964");
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn normal_quantile(probability: f64) -> Result<f64, MetricError> {
    if !(probability > 0.0 && probability < 1.0) {
        let (what, value, expected) = ("the probability", probability, "above 0 and below 1");
        return Err(MetricError::OutOfRange { what, value, expected });
    }
    if probability == 0.5 {
        return Ok(0.0);
    }
    if probability > 0.5 {
        // The lower tail keeps more digits, and 1 - probability is exact from one half on.
        return Ok(-normal_quantile(1.0 - probability)?);
    }
    let (mut below, mut above) = (-40.0, 0.0); // P(Z <= -40) is 0 in f64
    loop {
        let middle = 0.5 * (below + above);
        if middle <= below || middle >= above {
            return Ok(middle);
        }
        if normal_cdf(middle) < probability {
            below = middle;
        } else {
            above = middle;
        }
    }
}

/// The z of a two-sided interval with this confidence, such as 0.95.
pub(super) fn two_sided_z(confidence: f64) -> Result<f64, MetricError> {
    if !(confidence > 0.0 && confidence < 1.0) {
        let (what, value, expected) = ("the confidence", confidence, "above 0 and below 1");
        return Err(MetricError::OutOfRange { what, value, expected });
    }
    normal_quantile(0.5 + 0.5 * confidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distribution_is_symmetric_and_ends_at_zero_and_one() {
        assert_eq!(normal_cdf(0.0), 0.5);
        assert_eq!((normal_cdf(-50.0), normal_cdf(50.0)), (0.0, 1.0));
        for z in [0.1, 1.0, 3.0] {
            assert!((normal_cdf(z) + normal_cdf(-z) - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn the_quantile_undoes_the_distribution() {
        for z in [-8.0, -2.5, -0.3, 0.3, 2.5] {
            let back = normal_quantile(normal_cdf(z)).unwrap();
            assert!((back - z).abs() < 1e-12, "{z}: {back}");
        }
        assert!(normal_quantile(f64::from_bits(1)).unwrap() < -38.0); // ends, also at the edge
        assert!(normal_quantile(1.0 - f64::EPSILON / 2.0).unwrap() > 8.0);
    }

    #[test]
    fn certainty_has_no_quantile() {
        for probability in [0.0, 1.0, -0.5, f64::NAN] {
            assert!(normal_quantile(probability).is_err() && two_sided_z(probability).is_err());
        }
    }
}
