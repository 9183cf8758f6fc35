//! The two passes of a softmax over one row.

use super::exp::exp;
use super::reduce::{RowTerm, load_part, row_max, sum_row};
use super::simd::{Kernel, Simd};
use crate::Element;

/// Replaces a row of logits by `exp(logit - maximum)` and returns the maximum and the sum of the
/// new row. Dividing by the sum is left to the caller, who often need not.
pub struct SoftmaxRow<'a, E>(pub(crate) &'a mut [E]);

impl<E: Element> Kernel<E> for SoftmaxRow<'_, E> {
    type Output = (E, E);

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) -> (E, E) {
        let largest = row_max(simd, self.0);
        (largest, exponentials(simd, self.0, largest))
    }
}

/// Replaces every x by `exp(x - largest)` and returns the sum, lane by lane in row order.
#[inline(always)]
pub(super) fn exponentials<E: Element, S: Simd<E>>(simd: S, row: &mut [E], largest: E) -> E {
    simd.call(Exponentials { row, largest })
}

struct Exponentials<'a, E> {
    row: &'a mut [E],
    largest: E,
}

impl<E: Element> Kernel<E> for Exponentials<'_, E> {
    type Output = E;

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) -> E {
        sum_row(simd, self.row.len(), self)
    }
}

impl<E: Element> RowTerm<E> for Exponentials<'_, E> {
    #[inline(always)]
    fn add<S: Simd<E>>(
        &mut self,
        simd: S,
        start: usize,
        count: usize,
        sum: S::Vector,
    ) -> S::Vector {
        let end = start + count;
        let shift = simd.splat(self.largest);
        let y = exp(simd, simd.sub(load_part(simd, self.row, start, count), shift));
        simd.store_partial(y, &mut self.row[start..end]);
        // Read back, so that lanes beyond the row add zero.
        simd.add(sum, load_part(simd, self.row, start, count))
    }
}
