//! Log-softmax against the logarithm of softmax: where single precision loses a token.
//!
//! ```text
//! softmax      p_i = exp(z_i - m) / sum_j exp(z_j - m)            m = max z
//! log-softmax  ln p_i = (z_i - m) - ln sum_j exp(z_j - m)
//! ```
//!
//! In exact arithmetic every p is positive. In `f32` the exponential of anything below about -103.97
//! is 0, because the smallest positive number is `2^-149 = 10^-44.85`. With the logits (0, -110)
//! softmax gives the second token 0 and its logarithm is minus infinity; log-softmax never leaves
//! the logarithm and gives -110. `f64` has the same edge further down, at `2^-1074 = 10^-323.3`, so
//! a token of probability 10^-440 needs log-softmax there too.
//!
//! The functions for `f32` compute in `f32` throughout: they exist to show the effect.
//! For scores use [`log_softmax`].

use crate::{ExactSum, MetricError};

/// Log-probabilities in nats of a row of logits, `[V]` to `[V]`, in `f64` with an exact sum.
///
/// # Errors
/// [`MetricError::NoValues`] for an empty row, [`MetricError::NonFiniteValue`] with the index of
/// the first logit that is NaN or infinite.
///
/// # Example
/// ```
/// use llm_metrics::{log_softmax, log_softmax_f32, softmax_f32};
///
/// let logits = [0.0_f32, -110.0];
/// assert_eq!(softmax_f32(&logits)?[1], 0.0); // lost
/// assert_eq!(log_softmax_f32(&logits)?[1], -110.0); // not lost
/// assert_eq!(log_softmax(&[0.0, -1013.86])?[1], -1013.86); // probability 10^-440.3
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn log_softmax(logits: &[f64]) -> Result<Vec<f64>, MetricError> {
    check_finite(logits.iter().copied())?;
    let max = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: ExactSum = logits.iter().map(|logit| libm::exp(logit - max)).collect();
    let log_sum = libm::log(sum.value());
    Ok(logits.iter().map(|logit| (logit - max) - log_sum).collect())
}

/// Softmax in single precision, with the maximum subtracted. Small probabilities become 0.
///
/// # Errors
/// As [`log_softmax`].
pub fn softmax_f32(logits: &[f32]) -> Result<Vec<f32>, MetricError> {
    check_finite(logits.iter().map(|&logit| f64::from(logit)))?;
    let (max, sum) = max_and_sum_f32(logits);
    Ok(logits.iter().map(|logit| libm::expf(logit - max) / sum).collect())
}

/// Log-softmax in single precision, in nats: the same quantities without a detour through 0.
///
/// # Errors
/// As [`log_softmax`].
pub fn log_softmax_f32(logits: &[f32]) -> Result<Vec<f32>, MetricError> {
    check_finite(logits.iter().map(|&logit| f64::from(logit)))?;
    let (max, sum) = max_and_sum_f32(logits);
    let log_sum = libm::logf(sum);
    Ok(logits.iter().map(|logit| (logit - max) - log_sum).collect())
}

/// The largest logit, and the sum of `exp(logit - max)`, which is at least 1.
fn max_and_sum_f32(logits: &[f32]) -> (f32, f32) {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    (max, logits.iter().map(|logit| libm::expf(logit - max)).sum())
}

fn check_finite(logits: impl ExactSizeIterator<Item = f64>) -> Result<(), MetricError> {
    if logits.len() == 0 {
        return Err(MetricError::NoValues);
    }
    for (index, value) in logits.enumerate() {
        if !value.is_finite() {
            return Err(MetricError::NonFiniteValue { index, value });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DocumentScore, nats_to_bits};

    #[test]
    fn single_precision_softmax_makes_a_document_infinitely_bad_and_log_softmax_does_not() {
        // 99 tokens at 1 bit and one with logit gap 110: (99 + 110 / ln 2) / 100 = 2.577.
        let logits = [0.0_f32, -110.0];
        let mut logs = vec![-std::f64::consts::LN_2; 99];
        logs.push(libm::log(f64::from(softmax_f32(&logits).unwrap()[1])));
        let broken = DocumentScore::from_log_probabilities(&logs).unwrap();
        assert_eq!(broken.bits_per_token(), f64::INFINITY);

        logs[99] = f64::from(log_softmax_f32(&logits).unwrap()[1]);
        let whole = DocumentScore::from_log_probabilities(&logs).unwrap();
        assert!((nats_to_bits(-logs[99]) - 158.70).abs() < 5e-3);
        assert!((whole.bits_per_token() - 2.577).abs() < 5e-4);
    }

    #[test]
    fn single_precision_keeps_subnormal_numbers_down_to_its_smallest() {
        // exp(-103) = 1.4e-45 * 1.3 or so is the last region that is not 0; 2^-149 = 1.401e-45.
        let smallest = f32::from_bits(1);
        assert_eq!(f64::from(smallest), libm::ldexp(1.0, -149));
        assert_eq!(softmax_f32(&[0.0, -103.0]).unwrap()[1], smallest);
        assert_eq!(softmax_f32(&[0.0, -104.0]).unwrap()[1], 0.0);
        assert_eq!(libm::exp(-745.0), f64::from_bits(1)); // the same in double precision
        assert_eq!(libm::exp(-746.0), 0.0);
    }

    #[test]
    fn uniform_logits_of_any_size_give_the_uniform_distribution() {
        for level in [-1e30, 0.0, 700.0, 1e300] {
            let logs = log_softmax(&[level; 8]).unwrap();
            assert!(logs.iter().all(|log| (log + libm::log(8.0)).abs() < 1e-15), "{level}");
        }
        assert!(softmax_f32(&[88.0; 4]).unwrap().iter().all(|&p| p == 0.25));
    }

    #[test]
    fn two_close_choices_far_below_the_best_stay_ordered() {
        // Half precision has steps of 1/64 or more at this size and would call them equal.
        let logs = log_softmax(&[0.0, -21.80, -21.81]).unwrap();
        assert!((logs[1] - logs[2] - 0.01).abs() < 1e-12);
    }

    #[test]
    fn probabilities_sum_to_one_and_shifts_do_not_matter() {
        let logs = log_softmax(&[1.0, 2.0, 3.0]).unwrap();
        assert!((logs.iter().map(|&log| libm::exp(log)).sum::<f64>() - 1.0).abs() < 1e-15);
        assert_eq!(logs, log_softmax(&[1025.0, 1026.0, 1027.0]).unwrap());
    }

    #[test]
    fn logits_that_are_no_numbers_are_named() {
        let refused = log_softmax(&[0.0, f64::INFINITY]);
        let expected = MetricError::NonFiniteValue { index: 1, value: f64::INFINITY };
        assert_eq!(refused, Err(expected));
        assert!(softmax_f32(&[f32::NAN]).is_err() && log_softmax_f32(&[f32::NAN]).is_err());
        assert_eq!(log_softmax(&[]), Err(MetricError::NoValues));
    }
}
