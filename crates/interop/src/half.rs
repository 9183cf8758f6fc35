//! The two 16-bit floats: f16 (IEEE 754 binary16) and bf16, the upper half of an f32.
//!
//! A few lines each, where the usual crate brings a second copy of the macro toolchain.

/// The value of an f16, exactly.
pub(crate) fn f16_to_f32(bits: u16) -> f32 {
    let sign = u32::from(bits & 0x8000) << 16;
    let (exponent, fraction) = (u32::from(bits >> 10 & 0x1f), u32::from(bits & 0x3ff));
    let magnitude = match exponent {
        // Subnormal: the fraction counts steps of 2^-24.
        0 => (fraction as f32 * f32::from_bits((127 - 24) << 23)).to_bits(),
        0x1f => 0xff << 23 | fraction << 13,
        _ => (exponent + 127 - 15) << 23 | fraction << 13,
    };
    f32::from_bits(sign | magnitude)
}

/// The nearest f16, of two equally near the one with an even fraction; infinite if too large.
pub(crate) fn f32_to_f16(value: f32) -> u16 {
    let bits = value.to_bits();
    let (sign, magnitude) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    let rounded = if magnitude > 0xff << 23 {
        0x7e00 // not a number
    } else if magnitude >= (127 + 16) << 23 {
        0x7c00
    } else if magnitude < (127 - 14) << 23 {
        // Subnormal. Adding 1/2 leaves steps of 2^-24 in the fraction, rounded by the addition.
        (f32::from_bits(magnitude) + 0.5).to_bits() - 0.5_f32.to_bits()
    } else {
        // A carry out of the fraction goes up into the exponent, which is right, up to infinity.
        let rebased = magnitude - ((127 - 15) << 23);
        (rebased + 0xfff + (rebased >> 13 & 1)) >> 13
    };
    sign | rounded as u16
}

/// The value of a bf16, exactly.
pub(crate) fn bf16_to_f32(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: sign, (1 +) fraction / 1024, power of two.
    fn by_definition(bits: u16) -> f64 {
        let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
        let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
        sign * match exponent {
            0 => fraction / 1024.0 * 2.0_f64.powi(-14),
            _ => (1.0 + fraction / 1024.0) * 2.0_f64.powi(exponent - 15),
        }
    }

    #[test]
    fn every_finite_f16_has_the_value_of_its_definition_and_comes_back() {
        for bits in (0..=u16::MAX).filter(|bits| bits >> 10 & 0x1f != 0x1f) {
            assert_eq!(f64::from(f16_to_f32(bits)), by_definition(bits), "{bits:#06x}");
            assert_eq!(f32_to_f16(f16_to_f32(bits)), bits, "{bits:#06x}");
        }
    }

    #[test]
    fn a_value_between_two_f16_goes_to_the_nearer_or_the_even_one() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f16_to_f32(bits), f16_to_f32(bits + 1));
            let middle = (low + high) / 2.0; // exact in f32
            assert_eq!(f32_to_f16(middle), bits + (bits & 1), "{bits:#06x}");
            assert_eq!(f32_to_f16(middle.next_down()), bits, "{bits:#06x}");
            assert_eq!(f32_to_f16(middle.next_up()), bits + 1, "{bits:#06x}");
        }
    }

    #[test]
    fn what_has_no_f16_becomes_infinite_and_the_rest_stays() {
        assert_eq!(f32_to_f16(65519.996), 0x7bff); // below the middle of 65504 and 65536
        assert_eq!(f32_to_f16(65520.0), 0x7c00);
        assert_eq!(f32_to_f16(f32::NEG_INFINITY), 0xfc00);
        assert!(f16_to_f32(f32_to_f16(f32::NAN)).is_nan());
        assert_eq!(f16_to_f32(0xfc00), f32::NEG_INFINITY);
        assert_eq!(bf16_to_f32(0xc040), -3.0);
    }
}
