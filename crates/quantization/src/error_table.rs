//! What rounding did to the weights, tensor by tensor.

use llm_autograd::Element;
use llm_metrics::ExactSum;
use llm_model::DecoderModel;

use crate::decoder::Stored;
use crate::{QuantizationError, QuantizedDecoder};

/// The rounding error of one tensor. Errors are decoded minus original weights.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorError {
    /// The parameter.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Whether it was quantized; gains and biases are not, and have no error.
    pub quantized: bool,
    /// The largest error in size.
    pub max_abs: f64,
    /// The root of the mean squared error.
    pub rms: f64,
    /// `rms` divided by the root of the mean squared weight; 0 for a tensor of zeros.
    pub relative_rms: f64,
    /// Bytes of the original elements.
    pub bytes_before: u64,
    /// Bytes of codes and scales, or of the elements if they were kept.
    pub bytes_after: u64,
}

/// The errors of all tensors of a model, in the order of its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorTable {
    /// One line for each parameter.
    pub tensors: Vec<TensorError>,
}

impl ErrorTable {
    /// Compares a model with its quantized form. Squares are added exactly, so no number depends on
    /// the order of elements.
    ///
    /// # Errors
    /// [`QuantizationError::DifferentModels`] if the configurations differ.
    pub fn new<E: Element>(
        original: &DecoderModel<E>,
        quantized: &QuantizedDecoder<E>,
    ) -> Result<Self, QuantizationError> {
        if original.config() != quantized.config() {
            return Err(QuantizationError::DifferentModels {
                what: "configuration",
                reference: format!("{:?}", **original.config()),
                other: format!("{:?}", **quantized.config()),
            });
        }
        let decoded = quantized.decode();
        let pairs = original.parameters().iter().zip(decoded.parameters());
        let tensors = pairs.zip(quantized.parameters()).map(|((original, decoded), stored)| {
            let (weights, value) = (original.value().data(), decoded.value().data());
            let errors = || {
                let pairs = value.iter().zip(weights);
                pairs.map(|(decoded, weight)| decoded.to_f64() - weight.to_f64())
            };
            let rms = root_mean_square(errors());
            let size = root_mean_square(weights.iter().map(|weight| weight.to_f64()));
            TensorError {
                name: original.name().to_owned(),
                shape: original.value().shape().to_vec(),
                quantized: matches!(stored, Stored::Quantized(_)),
                max_abs: errors().fold(0.0, |most: f64, error| most.max(error.abs())),
                rms,
                relative_rms: if rms == 0.0 { 0.0 } else { rms / size },
                bytes_before: size_of_val(weights) as u64,
                bytes_after: stored.byte_len(),
            }
        });
        Ok(Self { tensors: tensors.collect() })
    }

    /// Bytes of all elements of the original.
    pub fn bytes_before(&self) -> u64 {
        self.tensors.iter().map(|tensor| tensor.bytes_before).sum()
    }

    /// Bytes of the quantized model without a file's header; its
    /// [`byte_len`](QuantizedDecoder::byte_len).
    pub fn bytes_after(&self) -> u64 {
        self.tensors.iter().map(|tensor| tensor.bytes_after).sum()
    }

    /// The quantized tensors by their relative error, the largest first, at most `count`.
    pub fn worst(&self, count: usize) -> Vec<&TensorError> {
        let mut tensors: Vec<_> = self.tensors.iter().filter(|tensor| tensor.quantized).collect();
        tensors.sort_by(|a, b| b.relative_rms.total_cmp(&a.relative_rms)); // equals keep their order
        tensors.truncate(count);
        tensors
    }
}

/// The root of the mean of squares. Values are scaled by the largest, whose square might overflow.
fn root_mean_square(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let largest = values.clone().fold(0.0, |most: f64, value| most.max(value.abs()));
    if largest == 0.0 {
        return 0.0;
    }
    let mut squares = ExactSum::new();
    let mut count = 0_u64;
    for value in values {
        squares.add((value / largest) * (value / largest));
        count += 1;
    }
    largest * (squares.value() / count as f64).sqrt()
}
