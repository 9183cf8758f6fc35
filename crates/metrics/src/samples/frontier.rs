//! Two histograms, the curve of their divergences, and the area below it.
//!
//! A model can fail in two ways: it says what people do not say, or it does not say what they do.
//! `KL(Q|P)` punishes the first without limit and `KL(P|Q)` the second. Against a mixture
//! `R = a P + (1 - a) Q` both are finite, and moving a from 0 to 1 trades one for the other:
//!
//! ```text
//! x(a) = exp(-c KL(Q|R))     y(a) = exp(-c KL(P|R))     divergences in nats, c = 5
//! ```
//!
//! With the end points (0, 1) and (1, 0) this is a curve in the unit square. The area below it is
//! 1 for equal histograms and 0.004 for histograms without a common bin, whose curve is
//! `((1 - a)^5, a^5)` with the area `5! 5! / 10! = 0.00397` (0.00407 from 25 points).
//!
//! Source: Pillutla and others, *MAUVE* (2021), <https://arxiv.org/abs/2102.01454>, section 2; the
//! 25 mixtures from 1e-6 to 1 - 1e-6 are those of the authors' program.

use crate::{ExactSum, MetricError, bits_to_nats, kl_divergence_bits};

/// Mixtures on the curve.
const MIXTURES: usize = 25;
/// Weight of P in the first mixture, and of Q in the last.
const LEAST_WEIGHT: f64 = 1e-6;

/// The curve and what it encloses.
#[derive(Clone, Debug, PartialEq)]
pub struct DivergenceFrontier {
    /// Points (x, y) from (1, 0) to (0, 1), ends included.
    pub points: Vec<(f64, f64)>,
    /// The area below them, above 0 and at most 1.
    pub area: f64,
}

/// The curve of histograms `p` and `q`, `[bins]` each and summing to one, with scaling `c`.
///
/// # Errors
/// [`MetricError::OutOfRange`] unless c is finite and above 0, otherwise as
/// [`kl_divergence_bits`].
///
/// # Example
/// ```
/// use llm_metrics::divergence_frontier;
///
/// assert_eq!(divergence_frontier(&[0.3, 0.7], &[0.3, 0.7], 5.0)?.area, 1.0);
/// let apart = divergence_frontier(&[1.0, 0.0], &[0.0, 1.0], 5.0)?;
/// assert_eq!(format!("{:.3}", apart.area), "0.004");
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn divergence_frontier(
    p: &[f64],
    q: &[f64],
    c: f64,
) -> Result<DivergenceFrontier, MetricError> {
    if !(c > 0.0 && c.is_finite()) {
        let (what, expected) = ("the scaling of the divergences", "above 0 and finite");
        return Err(MetricError::OutOfRange { what, value: c, expected });
    }
    kl_divergence_bits(p, q)?; // refuses what is no pair of histograms
    let mut points = vec![(1.0, 0.0)];
    for step in 0..MIXTURES {
        let way = step as f64 / (MIXTURES - 1) as f64;
        let weight = LEAST_WEIGHT + way * (1.0 - 2.0 * LEAST_WEIGHT);
        // a P + (1 - a) Q, written so that a mixture of equals is exactly the same.
        let mixture: Vec<f64> = p.iter().zip(q).map(|(p, q)| q + weight * (p - q)).collect();
        let closeness = |to: &[f64]| -> Result<f64, MetricError> {
            Ok(libm::exp(-c * bits_to_nats(kl_divergence_bits(to, &mixture)?)))
        };
        points.push((closeness(q)?, closeness(p)?));
    }
    points.push((0.0, 1.0));
    // Trapezoids between neighbours; x falls from point to point.
    let slices = points.windows(2).map(|ends| {
        let ((x0, y0), (x1, y1)) = (ends[0], ends[1]);
        (x0 - x1) * (y0 + y1) / 2.0
    });
    let area = slices.collect::<ExactSum>().value();
    Ok(DivergenceFrontier { points, area })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disjoint_histograms_leave_the_area_of_their_known_curve() {
        // x = (1 - a)^5, y = a^5: the integral of y dx is 5 B(6, 5) = 5! 5! / 10!, and 25 chords
        // above a convex curve enclose a little more.
        let exact = 14_400.0 / 3_628_800.0;
        let area = divergence_frontier(&[0.5, 0.5, 0.0], &[0.0, 0.0, 1.0], 5.0).unwrap().area;
        assert!(area > exact && area < exact + 0.00011, "{area} and {exact}");
    }

    #[test]
    fn the_middle_of_the_curve_is_that_of_the_even_mixture() {
        // P = (3/4, 1/4), Q = (1/4, 3/4), R = (1/2, 1/2): both divergences are
        // 3/4 ln(3/2) + 1/4 ln(1/2) = 0.130812, exp(-5 * 0.130812) = 0.519930.
        let curve = divergence_frontier(&[0.75, 0.25], &[0.25, 0.75], 5.0).unwrap();
        let (x, y) = curve.points[1 + MIXTURES / 2];
        assert!((x - 0.519_930).abs() < 1e-6 && (y - x).abs() < 1e-12, "{x} {y}");
    }

    #[test]
    fn what_is_no_histogram_is_refused() {
        assert!(divergence_frontier(&[0.5, 0.4], &[0.5, 0.5], 5.0).is_err());
        assert!(divergence_frontier(&[1.0], &[0.5, 0.5], 5.0).is_err());
        assert!(divergence_frontier(&[1.0], &[1.0], 0.0).is_err());
        assert!(divergence_frontier(&[1.0], &[1.0], f64::NAN).is_err());
    }
}
