//! How a few weights become one scale and small integers.
//!
//! ```text
//! scale   s = max |w| / L, rounded up to 16 significant bits      L = 127 (int8) or 7 (int4)
//! code    q = w / s, rounded to the nearest integer, a half to the even one
//! value   w' = q s,        so |w - w'| <= s / 2
//! ```
//!
//! *Rounded up*, so that no code lies outside -L to L. *16 significant bits*, so that q s is exact in
//! `f32` and in `f64` (7 + 16 bits, of 24): decoding rounds nothing, gives the same value in both
//! types, and quantizing the decoded weights again gives the same codes and scales. -L - 1, the
//! code that two's complement has on one side only, is not used.

use serde::{Deserialize, Serialize};

/// Inputs that share one scale in [`WeightFormat::Int4`].
pub const INT4_BLOCK: usize = 32;

/// The smallest scale, 2^-126: every multiple of it is exact in `f32`. It is also the scale of weights
/// that are all zero, so that nothing is ever divided by 0; their codes are 0.
pub const SMALLEST_SCALE: f32 = f32::MIN_POSITIVE;

/// The largest weight that has a code, 2^127: then code × scale, which may be larger by a part in
/// 2^15, is finite in `f32`.
pub const LARGEST_WEIGHT: f64 = (1_u128 << 127) as f64;

/// Low bits of an `f64` that a scale does not have: 52 fraction bits, of which it keeps 15.
const DROPPED: u64 = (1 << 37) - 1;

/// The form of a quantized matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightFormat {
    /// Codes of -127 to 127, one byte each; one scale for all inputs of an output channel.
    Int8,
    /// Codes of -7 to 7, two in a byte; one scale for each block of [`INT4_BLOCK`] inputs of an output
    /// channel. Where the inputs are no multiple of 32, the last block is shorter.
    Int4,
}

impl WeightFormat {
    /// Both, the larger one first.
    pub const ALL: [Self; 2] = [Self::Int8, Self::Int4];

    /// The name in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int4 => "int4",
        }
    }

    /// L, the largest code.
    pub fn largest_code(self) -> i8 {
        match self {
            Self::Int8 => 127,
            Self::Int4 => 7,
        }
    }

    /// Inputs that share a scale, in a channel of `inputs`; at least 1.
    pub fn block_inputs(self, inputs: usize) -> usize {
        match self {
            Self::Int8 => inputs.max(1),
            Self::Int4 => INT4_BLOCK,
        }
    }

    /// Number of scales of a channel.
    pub fn blocks(self, inputs: usize) -> usize {
        inputs.div_ceil(self.block_inputs(inputs))
    }

    /// Bytes of a channel's codes. An odd number of 4-bit codes leaves half a byte unused.
    pub fn code_bytes(self, inputs: usize) -> usize {
        match self {
            Self::Int8 => inputs,
            Self::Int4 => inputs.div_ceil(2),
        }
    }

    /// The scale of weights whose largest size is `largest`, finite and at most [`LARGEST_WEIGHT`].
    pub(crate) fn scale(self, largest: f64) -> f32 {
        let exact = largest / f64::from(self.largest_code());
        // The next number with zeros in the dropped places; a carry moves on to the exponent.
        let rounded_up = f64::from_bits((exact.to_bits() + DROPPED) & !DROPPED);
        (rounded_up as f32).max(SMALLEST_SCALE)
    }

    /// The code of a weight under its block's scale.
    pub(crate) fn code(self, weight: f64, scale: f32) -> i8 {
        (weight / f64::from(scale)).round_ties_even() as i8
    }

    /// Whether [`scale`](Self::scale) could have chosen this.
    pub(crate) fn is_scale(self, scale: f32) -> bool {
        let largest = self.scale(LARGEST_WEIGHT);
        (SMALLEST_SCALE..=largest).contains(&scale) && f64::from(scale).to_bits() & DROPPED == 0
    }

    /// Whether [`code`](Self::code) could have chosen this.
    pub(crate) fn is_code(self, code: i8) -> bool {
        (-self.largest_code()..=self.largest_code()).contains(&code)
    }
}

impl std::fmt::Display for WeightFormat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::WeightFormat::{Int4, Int8};
    use super::*;

    #[test]
    fn a_scale_is_the_largest_weight_over_the_largest_code_rounded_up() {
        // Exact where 16 bits suffice.
        assert_eq!(Int8.scale(127.0), 1.0);
        assert_eq!(Int4.scale(7.0 * 0.375), 0.375);
        // 1/7 = 0.001001001..b has 16 significant bits after 2 zeros, up to 2^-18:
        // ceil(2^18 / 7) = 37450 (2^18 = 7 * 37449 + 1).
        assert_eq!(f64::from(Int4.scale(1.0)), 37450.0 / 262_144.0);
        // 1/127: ceil(2^22 / 127) = 33027 (127 * 33026 = 4194302, 2 less than 2^22).
        assert_eq!(f64::from(Int8.scale(1.0)), 33027.0 / 4_194_304.0);
        // A carry: between 1 - 2^-16 and 1 there is no other scale.
        assert_eq!(Int8.scale(127.0 * (1.0 - 2.0_f64.powi(-18))), 1.0);
    }

    #[test]
    fn zero_and_tiny_weights_have_the_smallest_scale_and_large_ones_a_finite_value() {
        for largest in [0.0, 5e-324, 1e-40, 2.0_f64.powi(-126)] {
            assert_eq!(Int8.scale(largest), SMALLEST_SCALE);
        }
        assert_eq!(LARGEST_WEIGHT, 2.0_f64.powi(127));
        for format in WeightFormat::ALL {
            let scale = format.scale(LARGEST_WEIGHT);
            assert!((f32::from(format.largest_code()) * scale).is_finite());
            assert!(format.is_scale(scale) && !format.is_scale(scale * 1.5));
            assert_eq!(format.code(-LARGEST_WEIGHT, scale), -format.largest_code());
        }
    }

    #[test]
    fn a_half_goes_to_the_even_code() {
        let codes = [0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 0.500001, 126.5].map(|w| Int8.code(w, 1.0));
        assert_eq!(codes, [0, 2, 2, 0, -2, -2, 1, 126]);
    }

    #[test]
    fn what_no_weights_lead_to_is_not_taken_from_a_file() {
        for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-40, 1.0 + f32::EPSILON] {
            assert!(!Int8.is_scale(scale), "{scale}");
        }
        assert!(Int8.is_scale(1.0) && Int8.is_scale(SMALLEST_SCALE));
        assert!(Int8.is_code(-127) && !Int8.is_code(-128));
        assert!(Int4.is_code(7) && !Int4.is_code(8) && !Int4.is_code(-8));
    }

    #[test]
    fn bytes_and_blocks_of_a_channel() {
        // 70 inputs: blocks of 32, 32 and 6; 35 bytes.
        assert_eq!((Int4.blocks(70), Int4.code_bytes(70)), (3, 35));
        assert_eq!((Int4.blocks(64), Int4.blocks(65), Int4.code_bytes(65)), (2, 3, 33));
        assert_eq!((Int8.blocks(70), Int8.code_bytes(70)), (1, 70));
        assert_eq!((Int4.blocks(1), Int4.code_bytes(1)), (1, 1));
    }
}
