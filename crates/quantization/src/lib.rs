//! Weights in 8 or 4 bits: what they take, what they cost, and a file of them.
//!
//! A weight is stored as a small integer, its *code*, and shares a *scale* with its neighbours; it is
//! used as code × scale. Symmetric rounding, nothing learned: the simplest of the methods that work.
//! What it costs is measured in three places: the weights, the distributions, the losses.
//!
//! Left out: zero points, calibration data, quantized activations, integer arithmetic (a weight is
//! decoded before it is multiplied, so the file is small and the computation is not faster). Taught
//! in chapter 17.
//!
//! | module | idea |
//! | --- | --- |
//! | `format` | [`WeightFormat`]: int8 per channel, int4 in blocks of 32; how a scale and a code are chosen |
//! | `nibbles` | two codes in a byte |
//! | `matrix` | [`QuantizedMatrix`]: one weight matrix, and its product with decoded weights |
//! | `decoder` | [`QuantizedDecoder`]: a decoder that holds codes, and is a language model |
//! | `error_table` | [`ErrorTable`]: rounding error and bytes, tensor by tensor |
//! | `shift` | [`distribution_shift`]: divergence and changed first guesses on documents |
//! | `portable` | [`QuantizedModel`]: codes, scales and tokenizer in one file |
//! | `error` | [`QuantizationError`]: everything that is refused |
//!
//! Sources: symmetric integer quantization as in Jacob and others (2018), *Quantization and training
//! of neural networks for efficient integer-arithmetic-only inference*; one scale per output channel
//! as in Krishnamoorthi (2018), *Quantizing deep convolutional networks for efficient inference*;
//! 4 bits in blocks of 32 as in the format Q4_0 of llama.cpp, whose codes and scales differ in detail.
//!
//! # Example
//! ```
//! use llm_autograd::Tensor;
//! use llm_quantization::{ChannelAxis, QuantizedMatrix, WeightFormat};
//!
//! // One channel of three inputs. The largest weight is 1.27, so the scale is 0.01 (a little more:
//! // scales are rounded up to 16 significant bits) and the codes are hundredths.
//! let weights = Tensor::new(&[1, 3], vec![1.27, -0.5, 0.004]);
//! let small = QuantizedMatrix::quantize(WeightFormat::Int8, &weights, ChannelAxis::Rows)?;
//! assert_eq!([0, 1, 2].map(|input| small.code(0, input)), [127, -50, 0]);
//! assert_eq!(small.byte_len(), 3 + 4); // three codes and one scale, instead of 24 bytes
//!
//! let decoded: Tensor<f64> = small.decode();
//! let half_a_scale = f64::from(small.scale(0, 0)) / 2.0;
//! for (decoded, weight) in decoded.data().iter().zip(weights.data()) {
//!     assert!((decoded - weight).abs() <= half_a_scale);
//! }
//! # Ok::<(), llm_quantization::WeightError>(())
//! ```
#![forbid(unsafe_code)]

mod decoder;
mod error;
mod error_table;
mod format;
mod matrix;
mod nibbles;
mod portable;
mod shift;

pub use decoder::{QuantizedDecoder, channel_axis};
pub use error::{QuantizationError, WeightError};
pub use error_table::{ErrorTable, TensorError};
pub use format::{INT4_BLOCK, LARGEST_WEIGHT, SMALLEST_SCALE, WeightFormat};
pub use matrix::{ChannelAxis, QuantizedMatrix};
pub use portable::{QUANTIZED_KIND, QuantizedModel};
pub use shift::{DistributionShift, distribution_shift};
