//! Sums over one row in a fixed order.
//!
//! Element `i` of a row belongs to lane `i mod 16`; each lane sums its elements in order, and a
//! fixed tree adds the lanes. The order depends on nothing but the row's length, and a vector
//! register of any width up to sixteen can hold whole lanes.

use super::simd::{REDUCTION_LANES, Simd};
use crate::Element;

/// More vectors than sixteen lanes ever need (four of four f64).
const MOST_VECTORS: usize = 4;

/// What is summed over a row. A trait and not a closure: a closure is a function of its own, which
/// the compiler need not inline, and outside the kernel's function there are no AVX2 instructions.
pub(crate) trait RowTerm<E: Element> {
    /// `sum` plus the terms of the elements `start .. start + count`, in the first `count` lanes;
    /// the other lanes must come out unchanged.
    fn add<S: Simd<E>>(&mut self, simd: S, start: usize, count: usize, sum: S::Vector)
    -> S::Vector;
}

/// The sum of a term over a row of `len` elements.
#[inline(always)]
pub(crate) fn sum_row<E: Element, S: Simd<E>>(simd: S, len: usize, mut term: impl RowTerm<E>) -> E {
    let vectors = REDUCTION_LANES / S::LANES;
    let mut sums = [simd.splat(E::ZERO); MOST_VECTORS];
    let whole = len - len % REDUCTION_LANES;
    for start in (0..whole).step_by(REDUCTION_LANES) {
        for (v, sum) in sums.iter_mut().enumerate().take(vectors) {
            *sum = term.add(simd, start + v * S::LANES, S::LANES, *sum);
        }
    }
    for (v, sum) in sums.iter_mut().enumerate().take(vectors) {
        let start = whole + v * S::LANES;
        if start < len {
            *sum = term.add(simd, start, (len - start).min(S::LANES), *sum);
        }
    }
    let mut lanes = [E::ZERO; REDUCTION_LANES];
    for (v, sum) in sums.into_iter().enumerate().take(vectors) {
        simd.store(sum, &mut lanes[v * S::LANES..]);
    }
    add_lanes(lanes)
}

/// The fixed tree: lane i takes lane i + 8, then i + 4, i + 2 and i + 1.
#[inline(always)]
fn add_lanes<E: Element>(mut lanes: [E; REDUCTION_LANES]) -> E {
    let mut half = REDUCTION_LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] += lanes[i + half];
        }
        half /= 2;
    }
    lanes[0]
}

/// Products of the elements of two rows.
pub(crate) struct Dot<'a, E>(pub(crate) &'a [E], pub(crate) &'a [E]);

impl<E: Element> RowTerm<E> for Dot<'_, E> {
    #[inline(always)]
    fn add<S: Simd<E>>(
        &mut self,
        simd: S,
        start: usize,
        count: usize,
        sum: S::Vector,
    ) -> S::Vector {
        let a = load_part(simd, self.0, start, count);
        simd.fma(a, load_part(simd, self.1, start, count), sum)
    }
}

/// The elements `start .. start + count` of a row as a vector, zero where there are fewer.
#[inline(always)]
pub(crate) fn load_part<E: Element, S: Simd<E>>(
    simd: S,
    row: &[E],
    start: usize,
    count: usize,
) -> S::Vector {
    simd.load_partial(&row[start..start + count])
}

/// The largest element of a row; a NaN anywhere may or may not be returned.
#[inline(always)]
pub(crate) fn row_max<E: Element, S: Simd<E>>(simd: S, row: &[E]) -> E {
    let mut largest = simd.splat(E::NEGATIVE_INFINITY);
    let chunks = row.chunks_exact(S::LANES);
    let rest = chunks.remainder();
    for chunk in chunks {
        largest = simd.max(largest, simd.load(chunk));
    }
    let mut lanes = [E::NEGATIVE_INFINITY; REDUCTION_LANES];
    simd.store(largest, &mut lanes);
    let lanes = lanes[..S::LANES].iter().chain(rest);
    lanes.fold(E::NEGATIVE_INFINITY, |a, &b| if a > b { a } else { b })
}
