//! The inner loop of every matrix product: one tile of the output, held in registers.
//!
//! A tile has up to [`TILE_ROWS`] rows and [`PANEL_VECTORS`] vectors of columns. Each lane of each
//! accumulator is *one* output element; the loop runs over the inner dimension `k`, and a step
//! multiplies one element of `a` with a vector of `b`. So every output element is one chain of
//! fused multiply-adds in ascending `k`, exactly the chain that three nested loops would compute,
//! while twelve accumulators keep both multiply-add units of a core busy (each result is needed
//! again only six cycles later).

use super::matrix::{MatrixMut, MatrixView};
use super::simd::{Kernel, Simd};
use crate::Element;

/// Most rows of a tile: 6 rows x 2 vectors of accumulators, 2 vectors of `b` and 1 of `a` fill 15
/// of the 16 vector registers of AVX2.
pub(crate) const TILE_ROWS: usize = 6;
/// Vectors across a tile, and across a packed panel of `b`.
pub(crate) const PANEL_VECTORS: usize = 2;

/// Columns of a packed panel.
pub(crate) const fn panel_width<E: Copy, S: Simd<E>>() -> usize {
    PANEL_VECTORS * S::LANES
}

/// Where the chains of a tile begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// At +0.
    Zero,
    /// At the element that the output holds: the chain is continued.
    Stored,
}

/// Copies `b` into panels of `panel_width` columns: within a panel the rows lie one after the
/// other, so that the inner loop reads memory in order. The last panel is filled up with zeros,
/// which reach only lanes that are never stored.
#[inline(always)]
pub(crate) fn pack_panels<E: Element, S: Simd<E>>(
    simd: S,
    b: MatrixView<'_, E>,
    panels: &mut Vec<E>,
) {
    simd.call(PackPanels { b, panels });
}

struct PackPanels<'a, E> {
    b: MatrixView<'a, E>,
    panels: &'a mut Vec<E>,
}

impl<E: Element> Kernel<E> for PackPanels<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, _: S) {
        let Self { b, panels } = self;
        let width = panel_width::<E, S>();
        panels.clear();
        panels.resize(b.columns().div_ceil(width) * width * b.rows(), E::ZERO);
        if b.rows() == 0 {
            return;
        }
        for (p, panel) in panels.chunks_exact_mut(width * b.rows()).enumerate() {
            let first = p * width;
            let columns = (b.columns() - first).min(width);
            if b.column_stride() == 1 {
                for (k, row) in panel.chunks_exact_mut(width).enumerate() {
                    let from = k * b.row_stride() + first;
                    row[..columns].copy_from_slice(&b.data()[from..from + columns]);
                }
            } else {
                for c in 0..columns {
                    let column = &b.data()[(first + c) * b.column_stride()..];
                    let elements = column.iter().step_by(b.row_stride());
                    for (row, &x) in panel.chunks_exact_mut(width).zip(elements) {
                        row[c] = x;
                    }
                }
            }
        }
    }
}

/// Adds to up to six rows of output, all rows of `a`, the product with one panel: `steps` rows of
/// `panel` are used, one for each column of `a`. `c` has the rows of `a` and at most
/// `panel_width` columns.
#[inline(always)]
pub(crate) fn multiply_panel<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    panel: &[E],
    c: MatrixMut<'_, E>,
    start: Start,
) {
    simd.call(MultiplyPanel { a, panel, c, start });
}

struct MultiplyPanel<'a, E> {
    a: MatrixView<'a, E>,
    panel: &'a [E],
    c: MatrixMut<'a, E>,
    start: Start,
}

impl<E: Element> Kernel<E> for MultiplyPanel<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        match self.a.rows() {
            1 => self.tile::<S, 1>(simd),
            2 => self.tile::<S, 2>(simd),
            3 => self.tile::<S, 3>(simd),
            4 => self.tile::<S, 4>(simd),
            5 => self.tile::<S, 5>(simd),
            TILE_ROWS => self.tile::<S, TILE_ROWS>(simd),
            rows => unreachable!("a tile of {rows} rows"),
        }
    }
}

impl<E: Element> MultiplyPanel<'_, E> {
    /// The work with the number of rows known to the compiler, which keeps `sums` in registers.
    #[inline(always)]
    fn tile<S: Simd<E>, const ROWS: usize>(self, simd: S) {
        let Self { a, panel, mut c, start } = self;
        let mut sums = first_sums::<E, S, ROWS>(simd, &mut c, start);

        let (width, steps) = (panel_width::<E, S>(), a.columns());
        assert!(a.rows() == ROWS && panel.len() >= steps * width, "a panel of {steps} rows");
        let (row_stride, step_stride) = (a.row_stride(), a.column_stride());
        for (k, b) in panel.chunks_exact(width).take(steps).enumerate() {
            let b = [simd.load(b), simd.load(&b[S::LANES..])];
            for (r, sums) in sums.iter_mut().enumerate() {
                // SAFETY: `MatrixView` checked that (rows - 1, columns - 1) lies inside its data,
                // and r < ROWS = rows, k < steps = columns.
                let x = unsafe { *a.data().get_unchecked(r * row_stride + k * step_stride) };
                for (sum, b) in sums.iter_mut().zip(b) {
                    *sum = simd.fma(simd.splat(x), b, *sum);
                }
            }
        }

        for (r, sums) in sums.into_iter().enumerate() {
            let row = c.row_mut(r);
            for (v, sum) in sums.into_iter().enumerate() {
                let columns = vector_columns::<E, S>(v, row.len());
                simd.store_partial(sum, &mut row[columns]);
            }
        }
    }
}

/// The accumulators of a tile before its first step.
#[inline(always)]
fn first_sums<E: Element, S: Simd<E>, const ROWS: usize>(
    simd: S,
    c: &mut MatrixMut<'_, E>,
    start: Start,
) -> [[S::Vector; PANEL_VECTORS]; ROWS] {
    let mut sums = [[simd.splat(E::ZERO); PANEL_VECTORS]; ROWS];
    if start == Start::Stored {
        for (r, sums) in sums.iter_mut().enumerate() {
            let row = c.row_mut(r);
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = simd.load_partial(&row[vector_columns::<E, S>(v, row.len())], E::ZERO);
            }
        }
    }
    sums
}

/// The columns of vector `v` that a tile of `columns` columns has.
#[inline(always)]
fn vector_columns<E: Copy, S: Simd<E>>(v: usize, columns: usize) -> std::ops::Range<usize> {
    (v * S::LANES).min(columns)..((v + 1) * S::LANES).min(columns)
}
