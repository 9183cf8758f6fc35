//! One weight matrix as codes and scales.

use std::ops::Range;

use llm_archive::Values;
use llm_autograd::{Element, Kernels, Product, Tensor};

use crate::{LARGEST_WEIGHT, WeightError, WeightFormat, nibbles};

/// Channels that are decoded at a time for a product.
const DECODED_CHANNELS: usize = 64;

/// Where the output channels of a matrix are. The inputs are on the other axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChannelAxis {
    /// `[channels, inputs]`: the embedding and the output head, a channel for each token.
    Rows,
    /// `[inputs, channels]`: the matrices of `x W`.
    Columns,
}

impl ChannelAxis {
    /// `[channels, inputs]` of a matrix of this shape.
    pub(crate) fn sizes(self, [rows, columns]: [usize; 2]) -> [usize; 2] {
        match self {
            Self::Rows => [rows, columns],
            Self::Columns => [columns, rows],
        }
    }
}

/// A matrix in a [`WeightFormat`]. Stored channel after channel, whatever the axis: the inputs of one
/// channel stand together and share scales.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantizedMatrix {
    format: WeightFormat,
    axis: ChannelAxis,
    channels: usize,
    inputs: usize,
    /// `[channels, blocks]`
    scales: Vec<f32>,
    codes: Codes,
}

/// `[channels, code_bytes]`
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Codes {
    Int8(Vec<i8>),
    /// See [`nibbles`].
    Int4(Vec<u8>),
}

impl Codes {
    fn none(format: WeightFormat) -> Self {
        match format {
            WeightFormat::Int8 => Self::Int8(Vec::new()),
            WeightFormat::Int4 => Self::Int4(Vec::new()),
        }
    }

    fn push_channel(&mut self, codes: &[i8]) {
        match self {
            Self::Int8(all) => all.extend_from_slice(codes),
            Self::Int4(bytes) => nibbles::pack(codes, bytes),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Int8(codes) => codes.len(),
            Self::Int4(bytes) => bytes.len(),
        }
    }
}

impl QuantizedMatrix {
    /// Rounds a matrix; see [`WeightFormat`] for what shares a scale, and `format.rs` for the rule.
    ///
    /// # Errors
    /// [`WeightError`] for the first weight, channel by channel, that is not finite or larger than
    /// [`LARGEST_WEIGHT`].
    ///
    /// # Panics
    /// If `weights` is no matrix.
    #[track_caller]
    pub fn quantize<E: Element>(
        format: WeightFormat,
        weights: &Tensor<E>,
        axis: ChannelAxis,
    ) -> Result<Self, WeightError> {
        let &[rows, columns] = weights.shape() else {
            panic!("a matrix has 2 axes, got {:?}", weights.shape());
        };
        let [channels, inputs] = axis.sizes([rows, columns]);
        let at = |channel: usize, input: usize| match axis {
            ChannelAxis::Rows => weights.data()[channel * columns + input],
            ChannelAxis::Columns => weights.data()[input * columns + channel],
        };
        let (mut scales, mut codes) = (Vec::new(), Codes::none(format));
        for channel in 0..channels {
            let weights: Vec<f64> = (0..inputs).map(|input| at(channel, input).to_f64()).collect();
            // NaN fails the comparison, as it should.
            let has_code = |weight: &f64| weight.abs() <= LARGEST_WEIGHT;
            if let Some(input) = weights.iter().position(|weight| !has_code(weight)) {
                return Err(WeightError { channel, input, value: weights[input] });
            }
            let mut channel_codes = Vec::with_capacity(inputs);
            for block in weights.chunks(format.block_inputs(inputs)) {
                let scale = format.scale(block.iter().fold(0.0, |most, w| w.abs().max(most)));
                scales.push(scale);
                channel_codes.extend(block.iter().map(|&weight| format.code(weight, scale)));
            }
            codes.push_channel(&channel_codes);
        }
        Ok(Self { format, axis, channels, inputs, scales, codes })
    }

    /// Puts a stored matrix together.
    ///
    /// # Errors
    /// A sentence about the first thing that [`quantize`](Self::quantize) could not have made.
    pub(crate) fn from_stored(
        axis: ChannelAxis,
        [channels, inputs]: [usize; 2],
        scales: Vec<f32>,
        codes: Codes,
    ) -> Result<Self, String> {
        let format = match codes {
            Codes::Int8(_) => WeightFormat::Int8,
            Codes::Int4(_) => WeightFormat::Int4,
        };
        let expected = [channels * format.blocks(inputs), channels * format.code_bytes(inputs)];
        if [scales.len(), codes.len()] != expected {
            let given = [scales.len(), codes.len()];
            return Err(format!("has {given:?} scales and bytes, expected {expected:?}"));
        }
        if let Some(i) = scales.iter().position(|&scale| !format.is_scale(scale)) {
            let expected = "a number from 2^-126 with at most 16 significant bits";
            return Err(format!("scale {i} is {}, expected {expected}", scales[i]));
        }
        let matrix = Self { format, axis, channels, inputs, scales, codes };
        for channel in 0..channels {
            let outside = (0..inputs).find(|&input| !format.is_code(matrix.code(channel, input)));
            if let Some(input) = outside {
                let (code, most) = (matrix.code(channel, input), format.largest_code());
                return Err(format!(
                    "channel {channel}, input {input}: code {code}, expected -{most} to {most}"
                ));
            }
            if matrix.unused_bits(channel) != 0 {
                return Err(format!(
                    "channel {channel}: the unused half of its last byte is not 0"
                ));
            }
        }
        Ok(matrix)
    }

    /// The half of a byte behind an odd last 4-bit code.
    fn unused_bits(&self, channel: usize) -> u8 {
        match &self.codes {
            Codes::Int4(bytes) if !self.inputs.is_multiple_of(2) => {
                bytes[(channel + 1) * self.format.code_bytes(self.inputs) - 1] & 0xf0
            }
            _ => 0,
        }
    }

    /// The form of codes and scales.
    pub fn format(&self) -> WeightFormat {
        self.format
    }

    /// Number of outputs.
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// Number of inputs of each output.
    pub fn inputs(&self) -> usize {
        self.inputs
    }

    /// The shape of the matrix that was quantized.
    pub fn shape(&self) -> [usize; 2] {
        self.axis.sizes([self.channels, self.inputs])
    }

    /// The integer that stands for a weight. Panics outside the matrix.
    pub fn code(&self, channel: usize, input: usize) -> i8 {
        assert!(input < self.inputs, "input {input} of {}", self.inputs);
        let start = channel * self.format.code_bytes(self.inputs);
        match &self.codes {
            Codes::Int8(codes) => codes[start + input],
            Codes::Int4(bytes) => nibbles::unpack(&bytes[start..], input),
        }
    }

    /// The scale of a weight's block. Panics outside the matrix.
    pub fn scale(&self, channel: usize, input: usize) -> f32 {
        assert!(input < self.inputs, "input {input} of {}", self.inputs);
        let block = input / self.format.block_inputs(self.inputs);
        self.scales[channel * self.format.blocks(self.inputs) + block]
    }

    /// All scales, `[channels, blocks]`.
    pub fn scales(&self) -> &[f32] {
        &self.scales
    }

    /// The codes as they stand in memory and in a file, `[channels, code bytes]`: signed bytes, or
    /// bytes of two codes.
    pub fn stored_codes(&self) -> Values<'_> {
        match &self.codes {
            Codes::Int8(codes) => codes[..].into(),
            Codes::Int4(bytes) => bytes[..].into(),
        }
    }

    /// Bytes of codes and scales together.
    pub fn byte_len(&self) -> u64 {
        (self.codes.len() + size_of_val(&self.scales[..])) as u64
    }

    /// The matrix of code × scale, in the shape that was quantized. Nothing is rounded.
    pub fn decode<E: Element>(&self) -> Tensor<E> {
        let [rows, columns] = self.shape();
        let element = |row, column| match self.axis {
            ChannelAxis::Rows => self.element(row, column),
            ChannelAxis::Columns => self.element(column, row),
        };
        let elements = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
        Tensor::new(&[rows, columns], elements.map(|(row, column)| element(row, column)).collect())
    }

    /// Some channels, decoded: `[channels.len(), inputs]`.
    fn decode_channels<E: Element>(&self, channels: Range<usize>) -> Tensor<E> {
        let shape = [channels.len(), self.inputs];
        let inputs = 0..self.inputs;
        let elements = channels
            .flat_map(|channel| inputs.clone().map(move |input| self.element::<E>(channel, input)));
        Tensor::new(&shape, elements.collect())
    }

    fn element<E: Element>(&self, channel: usize, input: usize) -> E {
        let (code, scale) = (self.code(channel, input), self.scale(channel, input));
        E::from_f64(f64::from(code) * f64::from(scale)) // exact in f32 and f64
    }

    /// `x: [n, inputs]` to `[n, channels]`: the product with the decoded weights, of which only some
    /// channels exist at a time.
    ///
    /// Each element has the bits that the product with [`decode`](Self::decode) gives: it is the
    /// same chain over the inputs.
    ///
    /// # Panics
    /// If `x` has other columns than the matrix has inputs.
    #[track_caller]
    pub fn product<E: Element>(&self, kernels: Kernels, x: &Tensor<E>) -> Tensor<E> {
        let rows = x.len() / self.inputs.max(1);
        let mut y = vec![E::ZERO; rows * self.channels];
        for first in (0..self.channels).step_by(DECODED_CHANNELS) {
            let channels = first..self.channels.min(first + DECODED_CHANNELS);
            let width = channels.len();
            let mut piece = vec![E::ZERO; rows * width];
            let weights = self.decode_channels(channels);
            Product::RightTransposed.write(kernels, x, &weights, &mut piece);
            for (y, piece) in y.chunks_mut(self.channels).zip(piece.chunks(width)) {
                y[first..first + width].copy_from_slice(piece);
            }
        }
        Tensor::new(&[rows, self.channels], y)
    }
}

#[cfg(test)]
mod tests;
