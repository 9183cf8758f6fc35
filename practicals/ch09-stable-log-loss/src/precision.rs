//! A row as long as a real vocabulary, in single and in double precision.

use llm_chapter_kit::{six_decimals, two_digits};
use llm_from_scratch_practical::metrics::{SplitMix64, log_softmax, log_softmax_f32};
use serde::Serialize;

/// Logits between -5 and 5, from one random stream.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PrecisionReport {
    /// Length of the row.
    pub vocab_size: u32,
    /// The loss of entry 0 in f64, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll_f64: f64,
    /// The loss of entry 0 in f32, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll_f32: f64,
    /// The mean over all entries of f32 minus f64, nats, two digits of it: what a sum in f32 adds to
    /// every loss, whatever the token.
    #[serde(serialize_with = "two_digits")]
    pub mean_error: f64,
    /// 2^-24 times the loss: what rounding it once to f32 may change, two digits of it.
    #[serde(serialize_with = "two_digits")]
    pub one_rounding: f64,
}

/// Computes the losses of all entries in both precisions.
///
/// # Errors
/// None: the logits are finite.
pub fn precision(vocab_size: u32) -> anyhow::Result<PrecisionReport> {
    let mut stream = SplitMix64::new(9);
    let logits: Vec<f32> = (0..vocab_size).map(|_| (10.0 * stream.unit() - 5.0) as f32).collect();
    let promoted: Vec<f64> = logits.iter().map(|&logit| logit.into()).collect();
    let double = log_softmax(&promoted)?;
    let single = log_softmax_f32(&logits)?;
    let errors = double.iter().zip(&single).map(|(&double, &single)| double - f64::from(single));
    let nll_f64 = 0.0 - double[0];
    Ok(PrecisionReport {
        vocab_size,
        nll_f64,
        nll_f32: 0.0 - f64::from(single[0]),
        mean_error: errors.sum::<f64>() / f64::from(vocab_size),
        one_rounding: nll_f64 * f64::from(f32::EPSILON) / 2.0,
    })
}
