//! Sums and products of arrays, element by element.

use super::reduce::load_part;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use crate::{Element, Kernels};

/// What it costs to fetch and store an element once, in multiply-adds of a matrix product.
pub(crate) const MEMORY_COST: usize = 16;

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
        MEMORY_COST * self.sum.len()
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

/// `y = a + b`, each array once through the caches.
pub struct AddInto<'a, E> {
    pub(crate) y: &'a mut [E],
    pub(crate) a: &'a [E],
    pub(crate) b: &'a [E],
}

impl<E: Element> Kernel<E> for AddInto<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.y.len()).step_by(S::LANES) {
            let n = (self.y.len() - start).min(S::LANES);
            let a = load_part(simd, self.a, start, n);
            let y = simd.add(a, load_part(simd, self.b, start, n));
            simd.store_partial(y, &mut self.y[start..start + n]);
        }
    }
}

impl<E: Element> Shared for AddInto<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 1, left, parts) else { return Err(self) };
        let (y, y_rest) = self.y.split_at_mut(at);
        let [(a, a_rest), (b, b_rest)] = [self.a, self.b].map(|x| x.split_at(at));
        Ok((Self { y, a, b }, Self { y: y_rest, a: a_rest, b: b_rest }))
    }
}

/// `y = y / divisor` and `y = y * factor`: what happens to all gradients between their computation
/// and the optimizer's step.
pub struct Rescale<'a, E> {
    y: &'a mut [E],
    by: By<E>,
}

#[derive(Clone, Copy)]
enum By<E> {
    Factor(E),
    Divisor(E),
}

impl Kernels {
    /// Multiplies every element by `factor`.
    pub fn multiply<E: Element>(self, y: &mut [E], factor: E) {
        share(self, Rescale { y, by: By::Factor(factor) }, E::run_rescale);
    }

    /// Divides every element by `divisor`.
    pub fn divide<E: Element>(self, y: &mut [E], divisor: E) {
        share(self, Rescale { y, by: By::Divisor(divisor) }, E::run_rescale);
    }
}

impl<E: Element> Kernel<E> for Rescale<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.y.len()).step_by(S::LANES) {
            let n = (self.y.len() - start).min(S::LANES);
            let y = load_part(simd, self.y, start, n);
            let y = match self.by {
                By::Factor(factor) => simd.mul(y, simd.splat(factor)),
                By::Divisor(divisor) => simd.div(y, simd.splat(divisor)),
            };
            simd.store_partial(y, &mut self.y[start..start + n]);
        }
    }
}

impl<E: Element> Shared for Rescale<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 1, left, parts) else { return Err(self) };
        let (y, rest) = self.y.split_at_mut(at);
        Ok((Self { y, by: self.by }, Self { y: rest, by: self.by }))
    }
}

/// A copy, which for large arrays takes as long as reading memory does.
pub(crate) struct CopyInto<'a, E> {
    pub(crate) to: &'a mut [E],
    pub(crate) from: &'a [E],
}

impl<E: Element> CopyInto<'_, E> {
    pub(crate) fn run(self, kernels: Kernels) {
        share(kernels, self, |_, copy| copy.to.copy_from_slice(copy.from));
    }
}

impl<E: Element> Shared for CopyInto<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.to.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.to.len(), 16, left, parts) else { return Err(self) };
        let (to, to_rest) = self.to.split_at_mut(at);
        let (from, from_rest) = self.from.split_at(at);
        Ok((Self { to, from }, Self { to: to_rest, from: from_rest }))
    }
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
        MEMORY_COST * self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 1, left, parts) else { return Err(self) };
        let (y, rest) = self.y.split_at_mut(at);
        let (x, x_rest) = self.x.split_at(at);
        Ok((Self { y, x }, Self { y: rest, x: x_rest }))
    }
}
