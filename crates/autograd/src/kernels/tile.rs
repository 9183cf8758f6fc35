//! The inner loop of every matrix product: one tile of the output, held in registers.
//!
//! A tile has up to [`TILE_ROWS`] rows and [`PANEL_VECTORS`] vectors of columns. Each lane of each
//! accumulator is *one* output element; the loop runs over the inner dimension `k`, and a step
//! multiplies one element of `a` with a vector of `b`. So every output element is one chain of
//! fused multiply-adds in ascending `k`, exactly the chain that three nested loops would compute,
//! while twelve accumulators keep both multiply-add units of a core busy (each result is needed
//! again only six cycles later).

use std::ops::Range;

use super::matrix::{MatrixMut, MatrixView, blocks};
use super::pack::panel_width;
use super::simd::{Kernel, REDUCTION_LANES, Simd};
use crate::Element;

/// Most rows of a tile: 6 rows x 2 vectors of accumulators, 2 vectors of `b` and 1 of `a` fill 15
/// of the 16 vector registers of AVX2.
pub(crate) const TILE_ROWS: usize = 6;
/// Vectors across a tile, and across a packed panel of `b`.
pub(crate) const PANEL_VECTORS: usize = 2;

/// Columns of the widest panel: no vector has more lanes than a reduction.
pub(crate) const MOST_COLUMNS: usize = PANEL_VECTORS * REDUCTION_LANES;

/// Where the chains of a tile begin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// At +0.
    Zero,
    /// At the element that the output holds: the chain is continued.
    Stored,
}

/// Which steps the rows of a strip take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Steps {
    /// Each row all of them.
    All,
    /// The last row all of them, each row before it one less: the keys that a query sees.
    OneMoreEachRow,
    /// Row r from step r on: the queries that see a key.
    FromOwn,
}

/// Adds to the output the product of `a` with one panel of `b`, of which as many rows are used as `a` has
/// columns. `c` has the rows of `a` and at most `panel_width` columns.
#[inline(always)]
pub(crate) fn multiply_panel<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    panel: &[E],
    c: MatrixMut<'_, E>,
    start: Start,
    steps: Steps,
) {
    assert!(c.rows() == a.rows() && c.columns() <= panel_width::<E, S>(), "shape of the output");
    assert!(panel.len() >= a.columns() * panel_width::<E, S>(), "a panel of {} rows", a.columns());
    let one_strip = a.rows() <= TILE_ROWS && a.rows() <= a.columns() + 1;
    assert!(steps == Steps::All || one_strip, "one strip of a triangle");
    simd.call(MultiplyPanel { a, panel, c, start, steps });
}

struct MultiplyPanel<'a, E> {
    a: MatrixView<'a, E>,
    panel: &'a [E],
    c: MatrixMut<'a, E>,
    start: Start,
    steps: Steps,
}

impl<E: Element> Kernel<E> for MultiplyPanel<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { a, panel, mut c, start, steps } = self;
        let (rows, columns) = (c.rows(), c.columns());
        for rows in blocks(rows, TILE_ROWS) {
            let a = a.block(rows.clone(), 0..a.columns());
            tile_of_height(simd, a, panel, &mut c.block(rows, 0..columns), start, steps);
        }
    }
}

/// One tile, compiled for each number of rows, which keeps the accumulators in registers; that of
/// six rows also for steps that are neighbours, which makes addresses of constants.
#[inline(always)]
fn tile_of_height<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    panel: &[E],
    c: &mut MatrixMut<'_, E>,
    start: Start,
    steps: Steps,
) {
    match (c.rows(), a.column_stride()) {
        (1, _) => tile::<E, S, 1, ANY>(simd, a, panel, c, start, steps),
        (2, _) => tile::<E, S, 2, ANY>(simd, a, panel, c, start, steps),
        (3, _) => tile::<E, S, 3, ANY>(simd, a, panel, c, start, steps),
        (4, _) => tile::<E, S, 4, ANY>(simd, a, panel, c, start, steps),
        (5, _) => tile::<E, S, 5, ANY>(simd, a, panel, c, start, steps),
        (TILE_ROWS, 1) => tile::<E, S, TILE_ROWS, 1>(simd, a, panel, c, start, steps),
        (TILE_ROWS, _) => tile::<E, S, TILE_ROWS, ANY>(simd, a, panel, c, start, steps),
        (rows, _) => unreachable!("a tile of {rows} rows"),
    }
}

/// Instead of the distance from a step of `a` to the next: its own.
const ANY: usize = 0;
/// Steps of one turn of the inner loop.
const UNROLLED: usize = 4;

/// `ROWS` rows of `c`. Where `c` is narrower than a panel, the rest is computed and not stored.
#[inline(always)]
fn tile<E: Element, S: Simd<E>, const ROWS: usize, const STEP: usize>(
    simd: S,
    a: MatrixView<'_, E>,
    panel: &[E],
    c: &mut MatrixMut<'_, E>,
    start: Start,
    steps: Steps,
) {
    // Asked once, not for each vector: that cost a tenth of a large product.
    let is_whole = c.columns() == panel_width::<E, S>();
    let mut sums = [[simd.splat(E::ZERO); PANEL_VECTORS]; ROWS];
    if start == Start::Stored {
        for (r, sums) in sums.iter_mut().enumerate() {
            let row = c.row_mut(r);
            for (v, sum) in sums.iter_mut().enumerate() {
                *sum = match is_whole {
                    true => simd.load(&row[v * S::LANES..]),
                    false => simd.load_partial(&row[lanes::<E, S>(v, row.len())]),
                };
            }
        }
    }

    assert!(a.rows() == ROWS, "a strip of {ROWS} rows");
    let row_stride = a.row_stride();
    let step_stride = if STEP == ANY { a.column_stride() } else { STEP };
    let width = panel_width::<E, S>();
    let row_b = |k: usize| &panel[k * width..(k + 1) * width];
    let (common, own) = match steps {
        Steps::All => (0..a.columns(), 0),
        Steps::OneMoreEachRow => (0..a.columns() - (ROWS - 1), a.columns() - (ROWS - 1)),
        Steps::FromOwn => (ROWS - 1..a.columns(), 0),
    };
    if steps == Steps::FromOwn {
        for k in 0..ROWS - 1 {
            step::<E, S>(simd, a.data(), k * step_stride, row_stride, row_b(k), &mut sums[..=k]);
        }
    }

    let turns = panel[common.start * width..common.end * width].chunks_exact(UNROLLED * width);
    let rest = turns.remainder();
    let mut at = common.start * step_stride;
    for b in turns {
        for (k, b) in b.chunks_exact(width).enumerate() {
            step::<E, S>(simd, a.data(), at + k * step_stride, row_stride, b, &mut sums);
        }
        at += UNROLLED * step_stride;
    }
    for b in rest.chunks_exact(width) {
        step::<E, S>(simd, a.data(), at, row_stride, b, &mut sums);
        at += step_stride;
    }

    if steps == Steps::OneMoreEachRow {
        for k in 0..ROWS - 1 {
            let at = (own + k) * step_stride + (k + 1) * row_stride;
            step::<E, S>(simd, a.data(), at, row_stride, row_b(own + k), &mut sums[k + 1..]);
        }
    }

    for (r, sums) in sums.into_iter().enumerate() {
        let row = c.row_mut(r);
        for (v, sum) in sums.into_iter().enumerate() {
            match is_whole {
                true => simd.store(sum, &mut row[v * S::LANES..]),
                false => {
                    let lanes = lanes::<E, S>(v, row.len());
                    simd.store_partial(sum, &mut row[lanes]);
                }
            }
        }
    }
}

/// The elements of vector `v` of a row of `len`.
#[inline(always)]
fn lanes<E: Copy, S: Simd<E>>(v: usize, len: usize) -> Range<usize> {
    (v * S::LANES).min(len)..((v + 1) * S::LANES).min(len)
}

/// One step of some chains of a tile: `sums[r] += a[at + r * row_stride] * b`. The caller has made
/// sure that the elements of `a` are there.
#[inline(always)]
fn step<E: Element, S: Simd<E>>(
    simd: S,
    a: &[E],
    at: usize,
    row_stride: usize,
    b: &[E],
    sums: &mut [[S::Vector; PANEL_VECTORS]],
) {
    let b = [simd.load(b), simd.load(&b[S::LANES..])];
    for (r, sums) in sums.iter_mut().enumerate() {
        // SAFETY: whoever makes a `MatrixView` checks that its last element lies inside its data;
        // row and step are below their numbers.
        let x = simd.splat(unsafe { *a.get_unchecked(at + r * row_stride) });
        for (sum, b) in sums.iter_mut().zip(b) {
            *sum = simd.fma(x, b, *sum);
        }
    }
}
