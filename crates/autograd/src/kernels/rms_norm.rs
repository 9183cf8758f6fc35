//! Root-mean-square normalisation of rows; the formulas stand in `ops/rms_norm.rs`.

use super::elementwise::MEMORY_COST;
use super::reduce::{Dot, RowTerm, load_part, sum_row};
use super::share::{Shared, cut_at};
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
            let rms = (squares / count + self.epsilon).sqrt();
            // Divided by infinity, a row whose squares overflow would come out as harmless zeros,
            // and an absurd model would score like a uniform one.
            let inverse = if rms.is_finite() { E::ONE / rms } else { E::from_f64(f64::NAN) };
            for ((y, &x), &gain) in y.iter_mut().zip(x).zip(self.gain) {
                *y = x * inverse * gain;
            }
            *inverse_rms = inverse;
        }
    }
}

impl<E: Element> Shared for RmsNormForward<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.x.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let width = self.gain.len();
        let Some(at) = cut_at(self.inverse_rms.len(), 1, left, parts) else { return Err(self) };
        let (x, x_rest) = self.x.split_at(at * width);
        let (y, y_rest) = self.y.split_at_mut(at * width);
        let (inverse_rms, inverse_rest) = self.inverse_rms.split_at_mut(at);
        let (gain, epsilon) = (self.gain, self.epsilon);
        Ok((
            Self { x, gain, epsilon, y, inverse_rms },
            Self { x: x_rest, gain, epsilon, y: y_rest, inverse_rms: inverse_rest },
        ))
    }
}

/// Turns the gradient of `y` into that of `x`, in place. The gradient of the gain must be continued
/// first: it needs the gradient of `y`.
pub struct RmsNormBackward<'a, E> {
    pub(crate) x: &'a [E],
    pub(crate) gain: &'a [E],
    pub(crate) inverse_rms: &'a [E],
    pub(crate) gradient: &'a mut [E],
}

impl<E: Element> Kernel<E> for RmsNormBackward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let width = self.gain.len();
        let count = E::from_f64(width as f64);
        let rows = self.x.chunks_exact(width).zip(self.gradient.chunks_exact_mut(width));
        for ((x, dy), &inverse) in rows.zip(self.inverse_rms) {
            let dot = sum_row(simd, width, GainedDot { x, gain: self.gain, dy });
            let pull = inverse * inverse * inverse * dot / count;
            for ((dy, &x), &gain) in dy.iter_mut().zip(x).zip(self.gain) {
                *dy = *dy * gain * inverse - x * pull;
            }
        }
    }
}

impl<E: Element> Shared for RmsNormBackward<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.x.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let width = self.gain.len();
        let Some(at) = cut_at(self.inverse_rms.len(), 1, left, parts) else { return Err(self) };
        let (x, x_rest) = self.x.split_at(at * width);
        let (gradient, gradient_rest) = self.gradient.split_at_mut(at * width);
        let (inverse_rms, inverse_rest) = self.inverse_rms.split_at(at);
        let gain = self.gain;
        Ok((
            Self { x, gain, inverse_rms, gradient },
            Self { x: x_rest, gain, inverse_rms: inverse_rest, gradient: gradient_rest },
        ))
    }
}

/// Continues the gradient of the gain: for every feature a chain over the rows, in order.
///
/// `gain_gradient` has the features `first .. first + gain_gradient.len()` of `width`; threads share
/// features, never rows.
pub struct RmsNormGain<'a, E> {
    pub(crate) x: &'a [E],
    pub(crate) inverse_rms: &'a [E],
    pub(crate) gradient: &'a [E],
    pub(crate) width: usize,
    pub(crate) first: usize,
    pub(crate) gain_gradient: &'a mut [E],
}

impl<E: Element> Kernel<E> for RmsNormGain<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let rows = self.x.chunks_exact(self.width).zip(self.gradient.chunks_exact(self.width));
        for ((x, dy), &inverse) in rows.zip(self.inverse_rms) {
            let inverse = simd.splat(inverse);
            for start in (0..self.gain_gradient.len()).step_by(S::LANES) {
                let n = (self.gain_gradient.len() - start).min(S::LANES);
                let normalised = simd.mul(load_part(simd, x, self.first + start, n), inverse);
                let so_far = load_part(simd, self.gain_gradient, start, n);
                let dy = load_part(simd, dy, self.first + start, n);
                let sum = simd.fma(dy, normalised, so_far);
                simd.store_partial(sum, &mut self.gain_gradient[start..start + n]);
            }
        }
    }
}

impl<E: Element> Shared for RmsNormGain<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.inverse_rms.len() * self.gain_gradient.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let len = self.gain_gradient.len();
        let Some(at) = cut_at(len, 16, left, parts) else { return Err(self) };
        let (here, rest) = self.gain_gradient.split_at_mut(at);
        let first = self.first;
        let second = Self { first: first + at, gain_gradient: rest, ..self };
        Ok((Self { first, gain_gradient: here, ..second }, second))
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
