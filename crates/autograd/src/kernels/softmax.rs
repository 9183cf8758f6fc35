//! The two passes of a softmax over one row.

use super::exp::exp;
use super::reduce::{Lanes, load_part, row_max};
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
    let shift = simd.splat(largest);
    let len = row.len();
    Lanes::<E, S>::sum_row(simd, len, |start, count, sum| {
        let end = start + count;
        let y = exp(simd, simd.sub(load_part(simd, row, start, count), shift));
        simd.store_partial(y, &mut row[start..end]);
        // Lanes beyond the row must add nothing.
        simd.add(sum, if count == S::LANES { y } else { load_part(simd, row, start, count) })
    })
}
