//! The exponential function, the same bits on every machine.
//!
//! Write x = n ln 2 + r with an integer n and |r| <= ln 2 / 2; then exp(x) = 2^n exp(r), and a short
//! Taylor polynomial suffices for exp(r) (Muller 2016, "Elementary functions", chapter 11).
//! `ln 2` is split into a leading part, whose product with n is subtracted without rounding by a
//! fused multiply-add, and the rest. The error is promised to stay below 1 unit in the last place in
//! f64 and 2 in f32. Measured, it stays below 0.812 in f64 and 0.847 in f32 over tables of
//! high-precision values, and below 0.925 over every single f32.

use super::simd::{Kernel, Simd};
use crate::Element;

/// The numbers that `exp` needs in one precision.
pub(crate) trait ExpConstants: Sized + 'static {
    /// 1 / ln 2.
    const LOG2_E: Self;
    /// ln 2 rounded.
    const LN_2: Self;
    /// ln 2 minus its rounded value.
    const LN_2_REST: Self;
    /// 1.5 * 2^(mantissa bits): adding and subtracting it rounds to an integer.
    const ROUND: Self;
    /// Below it the result is zero.
    const LOWEST: Self;
    /// Above it the result is infinite.
    const HIGHEST: Self;
    /// 1/k! for k = 2, 3, ...: as many as the precision needs.
    const TAYLOR: &'static [Self];
}

impl ExpConstants for f32 {
    const LOG2_E: f32 = std::f32::consts::LOG2_E;
    const LN_2: f32 = std::f32::consts::LN_2;
    const LN_2_REST: f32 = (std::f64::consts::LN_2 - std::f32::consts::LN_2 as f64) as f32;
    const ROUND: f32 = 12_582_912.0;
    const LOWEST: f32 = -104.0;
    const HIGHEST: f32 = 89.0;
    const TAYLOR: &'static [f32] =
        &[1.0 / 2.0, 1.0 / 6.0, 1.0 / 24.0, 1.0 / 120.0, 1.0 / 720.0, 1.0 / 5040.0];
}

impl ExpConstants for f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    const LN_2: f64 = std::f64::consts::LN_2;
    const LN_2_REST: f64 = 2.319_046_813_846_299_6e-17;
    const ROUND: f64 = 6_755_399_441_055_744.0;
    const LOWEST: f64 = -746.0;
    const HIGHEST: f64 = 710.0;
    const TAYLOR: &'static [f64] = &[
        1.0 / 2.0,
        1.0 / 6.0,
        1.0 / 24.0,
        1.0 / 120.0,
        1.0 / 720.0,
        1.0 / 5_040.0,
        1.0 / 40_320.0,
        1.0 / 362_880.0,
        1.0 / 3_628_800.0,
        1.0 / 39_916_800.0,
        1.0 / 479_001_600.0,
        1.0 / 6_227_020_800.0,
    ];
}

/// `exp` of every lane.
#[inline(always)]
pub(crate) fn exp<E: Element, S: Simd<E>>(simd: S, x: S::Vector) -> S::Vector {
    // The operand order of `max` and `min` lets NaN through.
    let x = simd.max(simd.splat(E::LOWEST), x);
    let x = simd.min(simd.splat(E::HIGHEST), x);

    let round = simd.splat(E::ROUND);
    let n = simd.sub(simd.fma(x, simd.splat(E::LOG2_E), round), round);
    let minus_n = simd.sub(simd.splat(E::ZERO), n);
    let leading = simd.fma(minus_n, simd.splat(E::LN_2), x); // exact
    let r = simd.fma(minus_n, simd.splat(E::LN_2_REST), leading);
    let r_error = simd.fma(minus_n, simd.splat(E::LN_2_REST), simd.sub(leading, r));

    let (&last, others) = E::TAYLOR.split_last().expect("a polynomial has a coefficient");
    let mut polynomial = simd.splat(last);
    for &coefficient in others.iter().rev() {
        polynomial = simd.fma(polynomial, r, simd.splat(coefficient));
    }
    let square = simd.mul(r, r);
    let tail = simd.fma(square, polynomial, r_error); // exp(r) - 1 - r
    let exp_r = simd.add(simd.splat(E::ONE), simd.add(r, tail));

    // 2^n in two factors, so that results near both ends of the range round only once.
    let half = simd.sub(simd.fma(n, simd.splat(E::HALF), round), round);
    let scaled = simd.mul(exp_r, simd.pow2(half));
    simd.mul(scaled, simd.pow2(simd.sub(n, half)))
}

/// `exp` of every element of a slice, in place.
pub struct ExpSlice<'a, E>(pub(crate) &'a mut [E]);

impl<E: Element> Kernel<E> for ExpSlice<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let mut chunks = self.0.chunks_exact_mut(S::LANES);
        for chunk in &mut chunks {
            let y = exp(simd, simd.load(chunk));
            simd.store(y, chunk);
        }
        let rest = chunks.into_remainder();
        let y = exp(simd, simd.load_partial(rest));
        simd.store_partial(y, rest);
    }
}

#[cfg(test)]
mod tests;
