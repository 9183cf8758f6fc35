//! Surprisal: how unexpected a token was, in bits or in nats.
//!
//! ```text
//! surprisal in bits  -log2 p       surprisal in nats  -ln p       1 nat = 1 / ln 2 = 1.4427 bits
//! ```
//!
//! A certain token (`p = 1`) costs 0, a coin flip 1 bit, an impossible one infinity. The two units
//! describe the same quantity and are off by a factor of 0.69, large enough to turn a weak model
//! into a strong one on paper. So every function and field of this crate has its unit in its name
//! or its documentation; `nll` alone is in nats.
//!
//! Source: Shannon, *A mathematical theory of communication* (1948); surprisal after Tribus,
//! *Thermostatics and thermodynamics* (1961).

use crate::MetricError;
use std::f64::consts::LN_2;

/// `-log2 probability`, in bits: 0 or more, infinite for 0.
///
/// # Errors
/// [`MetricError::OutOfRange`] for NaN and for values outside 0 to 1.
///
/// # Example
/// ```
/// use llm_metrics::surprisal_bits;
///
/// assert_eq!(surprisal_bits(0.25)?, 2.0); // as two coin flips
/// assert_eq!(surprisal_bits(1.0)?, 0.0);
/// assert_eq!(surprisal_bits(0.0)?, f64::INFINITY); // never clamped
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn surprisal_bits(probability: f64) -> Result<f64, MetricError> {
    Ok(0.0 - libm::log2(checked_probability(probability)?))
}

/// `-ln probability`, in nats: 0 or more, infinite for 0.
///
/// # Errors
/// As [`surprisal_bits`].
pub fn surprisal_nats(probability: f64) -> Result<f64, MetricError> {
    Ok(0.0 - libm::log(checked_probability(probability)?))
}

/// The same quantity in bits: `nats / ln 2`.
pub fn nats_to_bits(nats: f64) -> f64 {
    nats / LN_2
}

/// The same quantity in nats: `bits * ln 2`.
pub fn bits_to_nats(bits: f64) -> f64 {
    bits * LN_2
}

/// `value` if it is a probability. NaN is in no range.
pub(crate) fn checked_probability(value: f64) -> Result<f64, MetricError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    let expected = "a value from 0 to 1: normalize the row first";
    Err(MetricError::OutOfRange { what: "the probability", value, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_one_half_cost_whole_bits() {
        for bits in [0, 1, 2, 10, 1022, 1074] {
            let probability = libm::ldexp(1.0, -bits);
            assert_eq!(surprisal_bits(probability), Ok(f64::from(bits)));
        }
    }

    #[test]
    fn a_certain_token_costs_a_positive_zero() {
        assert_eq!(surprisal_bits(1.0).unwrap().to_bits(), 0);
        assert_eq!(surprisal_nats(1.0).unwrap().to_bits(), 0);
    }

    #[test]
    fn surprisal_is_never_negative_and_falls_with_the_probability() {
        let mut last = f64::INFINITY;
        for step in 1..=1000 {
            let bits = surprisal_bits(f64::from(step) / 1000.0).unwrap();
            assert!(bits >= 0.0 && bits < last, "at {step}/1000");
            last = bits;
        }
    }

    #[test]
    fn both_units_describe_the_same_quantity() {
        for probability in [0.9, 0.5, 0.01, 1e-300] {
            let bits = surprisal_bits(probability).unwrap();
            let nats = surprisal_nats(probability).unwrap();
            assert!((nats_to_bits(nats) - bits).abs() <= 1e-15 * bits.max(1.0));
            assert!((bits_to_nats(bits) - nats).abs() <= 1e-15 * nats.max(1.0));
        }
    }

    #[test]
    fn what_is_no_probability_is_refused() {
        for bad in [-0.1, 1.0 + f64::EPSILON, f64::INFINITY, f64::NAN] {
            assert!(surprisal_bits(bad).is_err() && surprisal_nats(bad).is_err(), "{bad}");
        }
    }
}
