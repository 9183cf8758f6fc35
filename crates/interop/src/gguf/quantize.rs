//! Rows of weights as llama.cpp stores them.
//!
//! A block is 32 weights with one scale d, an f16. Both formulas choose codes with the unrounded scale
//! and store the rounded one, as the program that reads them does when it writes.
//!
//! ```text
//! Q8_0   d = max |w| / 127                      code = round(w / d), -127 to 127, a signed byte
//! Q4_0   d = -w / 8 for the w with largest |w|  code = floor(w / d + 8.5), 0 to 15, used as code - 8
//! ```
//!
//! In Q4_0, byte j of a block holds the codes of weights j (low half) and j + 16 (high half).
//!
//! Source: `quantize_row_q8_0_ref` and `quantize_row_q4_0_ref` of ggml.

use crate::half::f32_to_f16;

/// Weights that share a scale.
pub(super) const BLOCK: usize = 32;
/// The largest finite f16.
const LARGEST_SCALE: f64 = 65504.0;

/// How the weights of one tensor are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    F32,
    Q8_0,
    Q4_0,
}

impl Encoding {
    /// The number of the type in the file.
    pub(super) fn number(self) -> u32 {
        match self {
            Self::F32 => 0,
            Self::Q4_0 => 2,
            Self::Q8_0 => 8,
        }
    }

    /// Bytes of `weights` weights, whole blocks of them.
    pub(super) fn byte_len(self, weights: usize) -> usize {
        match self {
            Self::F32 => 4 * weights,
            Self::Q8_0 => (2 + BLOCK) * (weights / BLOCK),
            Self::Q4_0 => (2 + BLOCK / 2) * (weights / BLOCK),
        }
    }

    /// The largest size of a weight that can be stored.
    pub(super) fn largest(self) -> f64 {
        match self {
            Self::F32 => f32::MAX.into(),
            Self::Q8_0 => 127.0 * LARGEST_SCALE,
            Self::Q4_0 => 8.0 * LARGEST_SCALE,
        }
    }

    /// Appends a row.
    pub(super) fn encode(self, row: &[f32], bytes: &mut Vec<u8>) {
        match self {
            Self::F32 => row.iter().for_each(|weight| bytes.extend(weight.to_le_bytes())),
            Self::Q8_0 => row.as_chunks().0.iter().for_each(|block| put_q8_0(block, bytes)),
            Self::Q4_0 => row.as_chunks().0.iter().for_each(|block| put_q4_0(block, bytes)),
        }
    }
}

fn put_q8_0(block: &[f32; BLOCK], bytes: &mut Vec<u8>) {
    let scale = block.iter().fold(0.0, |max: f32, weight| max.max(weight.abs())) / 127.0;
    let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
    bytes.extend(f32_to_f16(scale).to_le_bytes());
    bytes.extend(block.iter().map(|weight| (weight * inverse).round() as i8 as u8));
}

fn put_q4_0(block: &[f32; BLOCK], bytes: &mut Vec<u8>) {
    let larger = |one: f32, other: &f32| if other.abs() > one.abs() { *other } else { one };
    let scale = block.iter().fold(0.0, larger) / -8.0;
    let inverse = if scale == 0.0 { 0.0 } else { 1.0 / scale };
    let code = |weight: f32| ((weight * inverse + 8.5) as u8).min(15); // negative becomes 0
    bytes.extend(f32_to_f16(scale).to_le_bytes());
    let (low, high) = block.split_at(BLOCK / 2);
    bytes.extend(low.iter().zip(high).map(|(low, high)| code(*low) | code(*high) << 4));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encoded(encoding: Encoding, block: [f32; BLOCK]) -> Vec<u8> {
        let mut bytes = Vec::new();
        encoding.encode(&block, &mut bytes);
        assert_eq!(bytes.len(), encoding.byte_len(BLOCK));
        bytes
    }

    #[test]
    fn codes_of_8_bits_are_multiples_of_a_127th_of_the_largest_weight() {
        let mut block = [0.0; BLOCK];
        (block[0], block[1], block[2]) = (-254.0, 3.0, 5.0); // the scale is 2, codes -127, 1.5, 2.5
        let bytes = encoded(Encoding::Q8_0, block);
        assert_eq!(bytes[..5], [0x00, 0x40, 129, 2, 3]); // f16 2.0; halves go away from zero
    }

    #[test]
    fn codes_of_4_bits_are_multiples_of_an_eighth_of_the_largest_weight() {
        let mut block = [0.0; BLOCK];
        (block[0], block[1], block[16], block[17]) = (-16.0, 14.0, 3.1, 16.0);
        // The scale is 2 (f16 0x4000): codes -8 + 8, 7 + 8, 2 + 8; 8 + 8 does not fit and is 15.
        let bytes = encoded(Encoding::Q4_0, block);
        assert_eq!(bytes[..5], [0x00, 0x40, 0xa0, 0xff, 0x88]);
    }

    #[derive(serde::Deserialize)]
    struct Blocks {
        weights: Vec<f32>,
        q8_0: String,
        q4_0: String,
    }

    #[test]
    fn codes_and_scales_are_those_of_the_gguf_package() {
        // Made by interop/make_fixtures.py.
        let text = include_str!("../../tests/data/blocks.json");
        let Blocks { weights, q8_0, q4_0 } = serde_json::from_str(text).unwrap();
        for (encoding, expected) in [(Encoding::Q8_0, q8_0), (Encoding::Q4_0, q4_0)] {
            let mut bytes = Vec::new();
            encoding.encode(&weights, &mut bytes);
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, expected, "{encoding:?}");
        }
    }

    #[test]
    fn a_block_of_zeros_has_a_scale_of_zero() {
        assert_eq!(encoded(Encoding::Q8_0, [0.0; BLOCK]), [0; 34]);
        assert_eq!(encoded(Encoding::Q4_0, [0.0; BLOCK])[..3], [0, 0x80, 0x88]); // minus zero
    }
}
