//! Products of a few rows, as in generation: one token against every weight.
//!
//! A large product reads each element of `b` many times and packs it first. With a few rows each is
//! read once, so that memory sets the pace and every copy costs as much again. Here `b` is read where
//! it lies, in the order in which it lies, and the sums wait in registers or in the nearest cache.
//! The chains are the same: every output element takes its steps in ascending order.

use super::matrix::{MatrixMut, MatrixView};
use super::simd::{Kernel, REDUCTION_LANES, Simd};
use super::tile::Start;
use crate::Element;

/// Most rows for which reading `b` in place is faster than packing it.
pub(crate) const FEW_ROWS: usize = 8;

/// Steps that are added to a sum while it is in a register.
const STEPS: usize = 8;
/// How many elements before a place of a row or column is read its memory is asked for.
const AHEAD: usize = 256;

/// `c = a b`, or `c = c + a b`, with up to [`FEW_ROWS`] rows. `b` lies in row or in column order.
pub(crate) struct FewRows<'a, E> {
    pub(crate) a: MatrixView<'a, E>,
    pub(crate) b: MatrixView<'a, E>,
    pub(crate) c: MatrixMut<'a, E>,
    pub(crate) start: Start,
}

impl<E: Element> FewRows<'_, E> {
    /// Whether this is the way to multiply them.
    pub(crate) fn fits(a: MatrixView<'_, E>, b: MatrixView<'_, E>) -> bool {
        a.rows() <= FEW_ROWS && (b.column_stride() == 1 || b.row_stride() == 1)
    }
}

impl<E: Element> Kernel<E> for FewRows<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { a, b, mut c, start } = self;
        if start == Start::Zero {
            (0..c.rows()).for_each(|r| c.row_mut(r).fill(E::ZERO));
        }
        if b.column_stride() == 1 {
            add_rows(simd, a, b, c);
        } else {
            add_columns(simd, a, b, c);
        }
    }
}

/// The rows of `b` lie in memory order: some at a time are added to the sums of all columns.
#[inline(always)]
fn add_rows<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    mut c: MatrixMut<'_, E>,
) {
    let whole = b.rows() - b.rows() % STEPS;
    for k in (0..whole).step_by(STEPS) {
        add_steps::<E, S, STEPS>(simd, a, b, &mut c, k);
    }
    for k in whole..b.rows() {
        add_steps::<E, S, 1>(simd, a, b, &mut c, k);
    }
}

/// Adds `N` steps from `k` on to all sums.
#[inline(always)]
fn add_steps<E: Element, S: Simd<E>, const N: usize>(
    simd: S,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    c: &mut MatrixMut<'_, E>,
    k: usize,
) {
    let mut factors = [[E::ZERO; N]; FEW_ROWS];
    for (r, factors) in factors.iter_mut().enumerate().take(a.rows()) {
        for (i, factor) in factors.iter_mut().enumerate() {
            *factor = a.get(r, k + i);
        }
    }
    let columns = b.columns();
    let rows: [&[E]; N] = std::array::from_fn(|i| &b.data()[(k + i) * b.row_stride()..][..columns]);
    let whole = columns - columns % S::LANES;
    for first in (0..whole).step_by(S::LANES) {
        let mut vectors = [simd.splat(E::ZERO); N];
        for (vector, row) in vectors.iter_mut().zip(rows) {
            *vector = simd.load(&row[first..]);
            simd.prefetch(&row[first..], AHEAD);
        }
        for (r, factors) in factors.iter().enumerate().take(a.rows()) {
            let sums = &mut c.row_mut(r)[first..];
            let mut sum = simd.load(sums);
            for (factor, vector) in factors.iter().zip(vectors) {
                sum = simd.fma(simd.splat(*factor), vector, sum);
            }
            simd.store(sum, sums);
        }
    }
    if whole == columns {
        return;
    }
    for (r, factors) in factors.iter().enumerate().take(a.rows()) {
        let sums = &mut c.row_mut(r)[whole..];
        let mut sum = simd.load_partial(sums);
        for (factor, row) in factors.iter().zip(rows) {
            let vector = simd.load_partial(&row[whole..]);
            sum = simd.fma(simd.splat(*factor), vector, sum);
        }
        simd.store_partial(sum, sums);
    }
}

/// The columns of `b` lie in memory order: a vector of them is turned, a square at a time, while
/// their sums are in registers.
#[inline(always)]
fn add_columns<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    mut c: MatrixMut<'_, E>,
) {
    let whole = b.rows() - b.rows() % S::LANES;
    // After the end of these columns the next ones are read.
    let later = |k| match k + AHEAD < b.rows() {
        true => k + AHEAD,
        false => S::LANES * b.column_stride() + k + AHEAD - b.rows(),
    };
    // No vector has more lanes than a reduction.
    let mut square = [E::ZERO; REDUCTION_LANES * REDUCTION_LANES];
    for first in (0..b.columns()).step_by(S::LANES) {
        let count = (b.columns() - first).min(S::LANES);
        let mut sums = [simd.splat(E::ZERO); FEW_ROWS];
        for (r, sum) in sums.iter_mut().enumerate().take(a.rows()) {
            *sum = simd.load_partial(&c.row_mut(r)[first..first + count]);
        }
        for k in (0..b.rows()).step_by(S::LANES) {
            let steps = (b.rows() - k).min(S::LANES);
            if k < whole && count == S::LANES {
                let columns = &b.data()[first * b.column_stride()..];
                for column in 0..S::LANES {
                    simd.prefetch(columns, column * b.column_stride() + later(k));
                }
                simd.copy_transposed(&columns[k..], b.column_stride(), &mut square, S::LANES);
            } else {
                for i in 0..steps {
                    for column in 0..count {
                        square[i * S::LANES + column] = b.get(k + i, first + column);
                    }
                }
            }
            for i in 0..steps {
                let row = simd.load(&square[i * S::LANES..]);
                for (r, sum) in sums.iter_mut().enumerate().take(a.rows()) {
                    *sum = simd.fma(simd.splat(a.get(r, k + i)), row, *sum);
                }
            }
        }
        for (r, sum) in sums.into_iter().enumerate().take(a.rows()) {
            simd.store_partial(sum, &mut c.row_mut(r)[first..first + count]);
        }
    }
}
