//! Sums and products of arrays, element by element.

use super::reduce::load_part;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use crate::{Element, Kernels};

/// `sum += x`.
pub struct AddAssign<'a, E> {
    pub(crate) sum: &'a mut [E],
    pub(crate) x: &'a [E],
}

impl<E: Element> Kernel<E> for AddAssign<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.sum.len()).step_by(S::LANES) {
            let n = (self.sum.len() - start).min(S::LANES);
            let sum = load_part(simd, self.sum, start, n);
            let sum = simd.add(sum, load_part(simd, self.x, start, n));
            simd.store_partial(sum, &mut self.sum[start..start + n]);
        }
    }
}

impl<E: Element> Shared for AddAssign<'_, E> {
    fn work(&self) -> usize {
        self.sum.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.sum.len(), 1, left, parts) else { return Err(self) };
        let (sum, rest) = self.sum.split_at_mut(at);
        let (x, x_rest) = self.x.split_at(at);
        Ok((Self { sum, x }, Self { sum: rest, x: x_rest }))
    }
}

/// `sum += x`, shared between threads when large.
pub(crate) fn add_assign<E: Element>(kernels: Kernels, sum: &mut [E], x: &[E]) {
    share(kernels, AddAssign { sum, x }, E::run_add_assign);
}

/// `y = x * y`.
pub struct MulAssign<'a, E> {
    pub(crate) y: &'a mut [E],
    pub(crate) x: &'a [E],
}

impl<E: Element> Kernel<E> for MulAssign<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.y.len()).step_by(S::LANES) {
            let n = (self.y.len() - start).min(S::LANES);
            let y = load_part(simd, self.y, start, n);
            let y = simd.mul(load_part(simd, self.x, start, n), y);
            simd.store_partial(y, &mut self.y[start..start + n]);
        }
    }
}

impl<E: Element> Shared for MulAssign<'_, E> {
    fn work(&self) -> usize {
        self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 1, left, parts) else { return Err(self) };
        let (y, rest) = self.y.split_at_mut(at);
        let (x, x_rest) = self.x.split_at(at);
        Ok((Self { y, x }, Self { y: rest, x: x_rest }))
    }
}
