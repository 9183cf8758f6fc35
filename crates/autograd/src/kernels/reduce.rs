//! Sums over one row in a fixed order.
//!
//! Element `i` of a row belongs to lane `i mod 16`; each lane sums its elements in order, and a
//! fixed tree adds the lanes. The order depends on nothing but the row's length, and a vector
//! register of any width up to sixteen can hold whole lanes.

use super::simd::{REDUCTION_LANES, Simd};
use crate::Element;

/// More vectors than sixteen lanes ever need (four of four f64).
const MOST_VECTORS: usize = 4;

/// The sixteen partial sums of a row, filled from left to right.
#[derive(Clone, Copy)]
pub(crate) struct Lanes<E: Element, S: Simd<E>> {
    sums: [S::Vector; MOST_VECTORS],
}

impl<E: Element, S: Simd<E>> Lanes<E, S> {
    /// Vectors in use.
    const VECTORS: usize = REDUCTION_LANES / S::LANES;

    #[inline(always)]
    pub(crate) fn zero(simd: S) -> Self {
        Self { sums: [simd.splat(E::ZERO); MOST_VECTORS] }
    }

    /// The sum of `term(i)` over the vectors of a row of `len` elements, where `term` gives the
    /// lanes of the `S::LANES` elements from `i` on, added to the running sum it is handed; the
    /// second argument is how many of them exist.
    #[inline(always)]
    pub(crate) fn sum_row(
        simd: S,
        len: usize,
        mut add: impl FnMut(usize, usize, S::Vector) -> S::Vector,
    ) -> E {
        let mut lanes = Self::zero(simd);
        let whole = len - len % REDUCTION_LANES;
        for start in (0..whole).step_by(REDUCTION_LANES) {
            for v in 0..Self::VECTORS {
                lanes.sums[v] = add(start + v * S::LANES, S::LANES, lanes.sums[v]);
            }
        }
        for v in 0..Self::VECTORS {
            let start = whole + v * S::LANES;
            if start < len {
                lanes.sums[v] = add(start, (len - start).min(S::LANES), lanes.sums[v]);
            }
        }
        lanes.total(simd)
    }

    /// The fixed tree: lane i takes lane i + 8, then i + 4, i + 2 and i + 1.
    #[inline(always)]
    fn total(self, simd: S) -> E {
        let mut lanes = [E::ZERO; REDUCTION_LANES];
        for v in 0..Self::VECTORS {
            simd.store(self.sums[v], &mut lanes[v * S::LANES..]);
        }
        let mut half = REDUCTION_LANES / 2;
        while half > 0 {
            for i in 0..half {
                lanes[i] += lanes[i + half];
            }
            half /= 2;
        }
        lanes[0]
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
    simd.load_partial(&row[start..start + count], E::ZERO)
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
