//! Root-mean-square normalisation of rows; the formulas stand in `ops/rms_norm.rs`.

use super::reduce::{Dot, RowTerm, load_part, sum_row};
use super::simd::{Kernel, Simd};
use crate::Element;

/// Rows of `x` to rows of `y`, and 1 / rms of each row.
pub struct RmsNormForward<'a, E> {
    pub(crate) x: &'a [E],
    pub(crate) gain: &'a [E],
    pub(crate) epsilon: E,
    pub(crate) y: &'a mut [E],
    pub(crate) inverse_rms: &'a mut [E],
}

impl<E: Element> Kernel<E> for RmsNormForward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let width = self.gain.len();
        let count = E::from_f64(width as f64);
        let rows = self.x.chunks_exact(width).zip(self.y.chunks_exact_mut(width));
        for ((x, y), inverse_rms) in rows.zip(self.inverse_rms) {
            let squares = sum_row(simd, width, Dot(x, x));
            let inverse = E::ONE / (squares / count + self.epsilon).sqrt();
            for ((y, &x), &gain) in y.iter_mut().zip(x).zip(self.gain) {
                *y = x * inverse * gain;
            }
            *inverse_rms = inverse;
        }
    }
}

/// Turns the gradient of `y` into that of `x`, in place, and continues the gradient of the gain.
pub struct RmsNormBackward<'a, E> {
    pub(crate) x: &'a [E],
    pub(crate) gain: &'a [E],
    pub(crate) inverse_rms: &'a [E],
    pub(crate) gradient: &'a mut [E],
    pub(crate) gain_gradient: Option<&'a mut [E]>,
}

impl<E: Element> Kernel<E> for RmsNormBackward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(mut self, simd: S) {
        let width = self.gain.len();
        let count = E::from_f64(width as f64);
        let rows = self.x.chunks_exact(width).zip(self.gradient.chunks_exact_mut(width));
        for ((x, dy), &inverse) in rows.zip(self.inverse_rms) {
            if let Some(gain_gradient) = self.gain_gradient.as_deref_mut() {
                continue_gain_gradient(simd, x, dy, inverse, gain_gradient);
            }
            let dot = sum_row(simd, width, GainedDot { x, gain: self.gain, dy });
            let pull = inverse * inverse * inverse * dot / count;
            for ((dy, &x), &gain) in dy.iter_mut().zip(x).zip(self.gain) {
                *dy = *dy * gain * inverse - x * pull;
            }
        }
    }
}

/// `x gain dy`
struct GainedDot<'a, E> {
    x: &'a [E],
    gain: &'a [E],
    dy: &'a [E],
}

impl<E: Element> RowTerm<E> for GainedDot<'_, E> {
    #[inline(always)]
    fn add<S: Simd<E>>(
        &mut self,
        simd: S,
        start: usize,
        count: usize,
        sum: S::Vector,
    ) -> S::Vector {
        let x = load_part(simd, self.x, start, count);
        let gained = simd.mul(x, load_part(simd, self.gain, start, count));
        simd.fma(gained, load_part(simd, self.dy, start, count), sum)
    }
}

/// One step of every feature's chain over the tokens.
#[inline(always)]
fn continue_gain_gradient<E: Element, S: Simd<E>>(
    simd: S,
    x: &[E],
    dy: &[E],
    inverse: E,
    gain_gradient: &mut [E],
) {
    let inverse = simd.splat(inverse);
    for start in (0..x.len()).step_by(S::LANES) {
        let n = (x.len() - start).min(S::LANES);
        let normalised = simd.mul(load_part(simd, x, start, n), inverse);
        let so_far = load_part(simd, gain_gradient, start, n);
        let sum = simd.fma(load_part(simd, dy, start, n), normalised, so_far);
        simd.store_partial(sum, &mut gain_gradient[start..start + n]);
    }
}
