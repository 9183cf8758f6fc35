//! One channel, small enough to check with a pocket calculator.

use anyhow::ensure;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::Tensor;
use llm_from_scratch_practical::quantization::{ChannelAxis, QuantizedMatrix, WeightFormat};
use serde::Serialize;

/// One channel in one format.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundedRow {
    /// `int8` or `int4`.
    pub format: &'static str,
    /// One for each block.
    #[serde(serialize_with = "six_decimals")]
    pub scales: Vec<f64>,
    /// The integers that are stored.
    pub codes: Vec<i8>,
    /// Code × scale.
    #[serde(serialize_with = "six_decimals")]
    pub decoded: Vec<f64>,
    /// The largest difference between a decoded weight and its original.
    #[serde(serialize_with = "six_decimals")]
    pub largest_error: f64,
    /// Of codes and scales.
    pub bytes: u64,
}

/// Rounds one channel of weights in both formats.
///
/// # Errors
/// No weight at all; one that is not finite or larger than 2^127.
pub fn round_by_hand(weights: &[f64]) -> anyhow::Result<Vec<RoundedRow>> {
    ensure!(!weights.is_empty(), "no weight given, expected at least one");
    let row = Tensor::new(&[1, weights.len()], weights.to_vec());
    let round = |format: WeightFormat| {
        let matrix = QuantizedMatrix::quantize(format, &row, ChannelAxis::Rows)?;
        let decoded = matrix.decode::<f64>().data().to_vec();
        let errors = decoded.iter().zip(weights).map(|(decoded, weight)| (decoded - weight).abs());
        Ok(RoundedRow {
            format: format.name(),
            scales: matrix.scales().iter().map(|&scale| f64::from(scale)).collect(),
            codes: (0..weights.len()).map(|input| matrix.code(0, input)).collect(),
            largest_error: errors.fold(0.0, f64::max),
            bytes: matrix.byte_len(),
            decoded,
        })
    };
    WeightFormat::ALL.into_iter().map(round).collect()
}
