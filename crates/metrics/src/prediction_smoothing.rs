//! Prediction smoothing: a small share of the uniform guess, so that no token is impossible.
//!
//! ```text
//! p' = (1 - a) p + a / V          0 < a < 1
//! ```
//!
//! Every smoothed probability lies between `a/V` and `1 - a + a/V`, so the loss of any token lies
//! between
//!
//! ```text
//! lowest   -log2(1 - a + a/V)            a small cost even for what the model was certain of
//! highest   log2(V / a)                  a cap, for V = 50,257 and a = 0.1 it is 18.94 bits
//! width     log2(1 + (1 - a) V / a)      finite: a bound can be made from it
//! ```
//!
//! The map grows with p, so it keeps the order of the tokens and with it every top-k set. Only
//! rounding can tie two tokens whose difference is below the resolution of `a/V`; it never swaps
//! them.
//!
//! Source: Lotfi, Finzi, Kuang, Rudner, Goldblum and Wilson, *Non-vacuous generalization bounds for
//! large language models* (2024), <https://arxiv.org/abs/2312.17173>.

use crate::entropy::check_distribution;
use crate::surprisal::checked_probability;
use crate::{LossInterval, MetricError};

/// The smoothing of predictions over `vocab_size` tokens with share `alpha` of the uniform guess.
///
/// # Example
/// ```
/// use llm_metrics::PredictionSmoothing;
///
/// let smoothing = PredictionSmoothing::new(0.5, 4)?;
/// assert_eq!(smoothing.probability(0.0)?, 0.125); // 0.5 * 0 + 0.5 / 4
/// assert_eq!(smoothing.probability(1.0)?, 0.625);
/// assert_eq!(smoothing.loss_interval().highest, 3.0); // log2(4 / 0.5) bits, at probability 1/8
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PredictionSmoothing {
    alpha: f64,
    vocab_size: usize,
}

impl PredictionSmoothing {
    /// # Errors
    /// [`MetricError::OutOfRange`] unless `0 < alpha < 1` and there is a token.
    pub fn new(alpha: f64, vocab_size: usize) -> Result<Self, MetricError> {
        if !(alpha > 0.0 && alpha < 1.0) {
            let expected = "above 0 and below 1";
            return Err(MetricError::OutOfRange { what: "alpha", value: alpha, expected });
        }
        if vocab_size == 0 {
            let expected = "at least 1";
            return Err(MetricError::OutOfRange {
                what: "the vocabulary size",
                value: 0.0,
                expected,
            });
        }
        Ok(Self { alpha, vocab_size })
    }

    /// The smallest smoothed probability, `alpha / V`.
    pub fn floor(&self) -> f64 {
        self.alpha / self.vocab_size as f64
    }

    /// The smoothed probability of one token.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] if the argument is no probability.
    pub fn probability(&self, probability: f64) -> Result<f64, MetricError> {
        Ok((1.0 - self.alpha) * checked_probability(probability)? + self.floor())
    }

    /// The smoothed log-probability in nats of a token whose log-probability in nats is given;
    /// minus infinity is lifted to the floor like everything else.
    ///
    /// # Errors
    /// [`MetricError::InvalidLogProbability`] for NaN and for values above zero.
    pub fn log_probability(&self, log_probability: f64) -> Result<f64, MetricError> {
        if log_probability.is_nan() || log_probability > 0.0 {
            let value = log_probability;
            return Err(MetricError::InvalidLogProbability { index: 0, value });
        }
        Ok(libm::log((1.0 - self.alpha) * libm::exp(log_probability) + self.floor()))
    }

    /// A whole smoothed row, `[V]`, which sums to one again.
    ///
    /// # Errors
    /// [`MetricError::InvalidProbability`] or [`MetricError::OutOfRange`] if `row` is no
    /// distribution over this vocabulary.
    pub fn row(&self, row: &[f64]) -> Result<Vec<f64>, MetricError> {
        if row.len() != self.vocab_size {
            let (value, expected) = (row.len() as f64, "the vocabulary size of the smoothing");
            return Err(MetricError::OutOfRange { what: "the size of the row", value, expected });
        }
        check_distribution(row)?;
        row.iter().map(|&probability| self.probability(probability)).collect()
    }

    /// The interval, in bits, that holds the smoothed loss of every token.
    pub fn loss_interval(&self) -> LossInterval {
        LossInterval {
            lowest: 0.0 - libm::log2(1.0 - self.alpha + self.floor()),
            highest: 0.0 - libm::log2(self.floor()),
        }
    }

    /// `log2(1 + (1 - a) V / a)` in bits: the width of that interval from its own formula.
    pub fn loss_width_bits(&self) -> f64 {
        libm::log2(1.0 + (1.0 - self.alpha) * self.vocab_size as f64 / self.alpha)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_uniform_caps_the_loss_of_a_large_vocabulary() {
        // log2(502570) = 18.93897; log2(1 + 0.9 * 502570) = 18.78697.
        let smoothing = PredictionSmoothing::new(0.1, 50_257).unwrap();
        let interval = smoothing.loss_interval();
        assert!((interval.highest - 18.939).abs() < 5e-4);
        assert!((interval.width() - 18.787).abs() < 5e-4);
        assert!((interval.width() - smoothing.loss_width_bits()).abs() < 1e-12);
        let impossible = smoothing.log_probability(f64::NEG_INFINITY).unwrap();
        assert!((-impossible / std::f64::consts::LN_2 - interval.highest).abs() < 1e-12);
    }

    #[test]
    fn both_forms_smooth_alike() {
        let smoothing = PredictionSmoothing::new(0.25, 10).unwrap();
        for probability in [0.0, 1e-20, 0.3, 1.0] {
            let direct = smoothing.probability(probability).unwrap();
            let by_log = smoothing.log_probability(libm::log(probability)).unwrap();
            assert!((libm::exp(by_log) - direct).abs() < 1e-15, "{probability}");
        }
    }

    #[test]
    fn smoothed_rows_sum_to_one() {
        let smoothing = PredictionSmoothing::new(0.1, 4).unwrap();
        let row = smoothing.row(&[0.7, 0.3, 0.0, 0.0]).unwrap();
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((row[2] - 0.025).abs() < 1e-17 && (row[0] - 0.655).abs() < 1e-15);
        assert!(smoothing.row(&[0.5, 0.5]).is_err()); // another vocabulary
        assert!(smoothing.row(&[0.5, 0.1, 0.1, 0.1]).is_err()); // no distribution
    }

    #[test]
    fn shares_of_nothing_or_everything_are_refused() {
        for alpha in [0.0, 1.0, -0.1, 1.1, f64::NAN] {
            let refused = PredictionSmoothing::new(alpha, 10);
            assert!(
                matches!(refused, Err(MetricError::OutOfRange { what: "alpha", .. })),
                "{alpha}"
            );
        }
        assert!(PredictionSmoothing::new(0.5, 0).is_err());
        let smoothing = PredictionSmoothing::new(0.5, 2).unwrap();
        assert!(smoothing.probability(1.5).is_err() && smoothing.log_probability(0.5).is_err());
        assert!(smoothing.log_probability(f64::NAN).is_err());
    }
}
