//! Sums and products of arrays, element by element.

use super::reduce::load_part;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use crate::{Element, Kernels};

/// What it costs to fetch and store an element once, in multiply-adds of a matrix product.
pub(crate) const MEMORY_COST: usize = 16;

/// Every element of `y` combined with something, in place.
pub struct InPlace<'a, E> {
    pub(crate) y: &'a mut [E],
    pub(crate) with: With<'a, E>,
}

/// What an element is combined with, and how.
#[derive(Clone, Copy)]
pub(crate) enum With<'a, E> {
    /// `y + x`
    Plus(&'a [E]),
    /// `x * y`
    Times(&'a [E]),
    /// `y * factor`
    Factor(E),
    /// `y / divisor`
    Divisor(E),
}

impl<E: Copy> With<'_, E> {
    fn split_at(self, at: usize) -> (Self, Self) {
        match self {
            Self::Plus(x) => (Self::Plus(&x[..at]), Self::Plus(&x[at..])),
            Self::Times(x) => (Self::Times(&x[..at]), Self::Times(&x[at..])),
            Self::Factor(_) | Self::Divisor(_) => (self, self),
        }
    }
}

impl<E: Element> Kernel<E> for InPlace<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.y.len()).step_by(S::LANES) {
            let n = (self.y.len() - start).min(S::LANES);
            let y = load_part(simd, self.y, start, n);
            let y = match self.with {
                With::Plus(x) => simd.add(y, load_part(simd, x, start, n)),
                With::Times(x) => simd.mul(load_part(simd, x, start, n), y),
                With::Factor(factor) => simd.mul(y, simd.splat(factor)),
                With::Divisor(divisor) => simd.div(y, simd.splat(divisor)),
            };
            simd.store_partial(y, &mut self.y[start..start + n]);
        }
    }
}

impl<E: Element> Shared for InPlace<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 1, left, parts) else { return Err(self) };
        let (y, rest) = self.y.split_at_mut(at);
        let (with, with_rest) = self.with.split_at(at);
        Ok((Self { y, with }, Self { y: rest, with: with_rest }))
    }
}

impl Kernels {
    /// `y += x`, element by element.
    pub(crate) fn add<E: Element>(self, y: &mut [E], x: &[E]) {
        share(self, InPlace { y, with: With::Plus(x) }, E::run_in_place);
    }

    /// `y = x * y`, element by element.
    pub(crate) fn multiply_by<E: Element>(self, y: &mut [E], x: &[E]) {
        share(self, InPlace { y, with: With::Times(x) }, E::run_in_place);
    }

    /// Multiplies every element by `factor`.
    pub fn multiply<E: Element>(self, y: &mut [E], factor: E) {
        share(self, InPlace { y, with: With::Factor(factor) }, E::run_in_place);
    }

    /// Divides every element by `divisor`.
    pub fn divide<E: Element>(self, y: &mut [E], divisor: E) {
        share(self, InPlace { y, with: With::Divisor(divisor) }, E::run_in_place);
    }
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
