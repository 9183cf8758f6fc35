//! Matrix product: blocks that fit the caches, cut into tiles that fit the registers.
//!
//! The blocking is Goto's (Goto and van de Geijn 2008, "Anatomy of high-performance matrix
//! multiplication"): a block of `b` is copied into panels, a block of `a` into strips of six rows,
//! and the tiles of their product read both in order. Blocks along the inner dimension continue
//! the chains from the stored output, so the cut is invisible in the result.

use super::Kernels;
use super::matrix::{MatrixMut, MatrixView};
use super::simd::{Kernel, Simd};
use super::tile::{Start, TILE_ROWS, multiply_panel, pack_panels, panel_width};
use crate::Element;

/// Inner dimension of a block: six rows of `a` and a panel of `b` stay in the first-level cache.
const BLOCK_STEPS: usize = 256;
/// Rows of a block of `a`, a multiple of the tile: a block stays in the second-level cache.
const BLOCK_ROWS: usize = 96;
/// Columns of a block of `b`: a block stays in the last-level cache.
const BLOCK_COLUMNS: usize = 1024;

/// `c = a b`, or `c = c + a b` with the chains continued, shared between threads when large.
pub(crate) fn matmul<E: Element>(
    kernels: Kernels,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    c: MatrixMut<'_, E>,
    start: Start,
) {
    assert_eq!((a.rows(), b.columns()), (c.rows(), c.columns()), "shape of the output");
    assert_eq!(a.columns(), b.rows(), "inner dimension");
    let work = a.rows() * a.columns() * b.columns();
    share(kernels, a, b, c, start, kernels.parts(work));
}

/// Cuts the output into `parts` of about the same size and computes them side by side.
fn share<E: Element>(
    kernels: Kernels,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    c: MatrixMut<'_, E>,
    start: Start,
    parts: usize,
) {
    let (rows, columns, steps) = (c.rows(), c.columns(), a.columns());
    let cut_rows = rows >= columns;
    if parts < 2 || rows.max(columns) < 2 {
        return E::run_matmul(kernels, MatMul { a, b, c, start });
    }
    let left = parts / 2;
    let unit = if cut_rows { TILE_ROWS } else { 16 };
    let whole = if cut_rows { rows } else { columns };
    let at = (whole * left / parts).next_multiple_of(unit).min(whole - 1);
    if cut_rows {
        let (upper, lower) = c.split_rows(at);
        rayon::join(
            || share(kernels, a.block(0..at, 0..steps), b, upper, start, left),
            || share(kernels, a.block(at..rows, 0..steps), b, lower, start, parts - left),
        );
    } else {
        let (first, second) = c.split_columns(at);
        rayon::join(
            || share(kernels, a, b.block(0..steps, 0..at), first, start, left),
            || share(kernels, a, b.block(0..steps, at..columns), second, start, parts - left),
        );
    }
}

/// The product of one thread.
pub struct MatMul<'a, E> {
    a: MatrixView<'a, E>,
    b: MatrixView<'a, E>,
    c: MatrixMut<'a, E>,
    start: Start,
}

impl<E: Element> Kernel<E> for MatMul<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { a, b, mut c, start } = self;
        let (rows, columns, steps) = (a.rows(), b.columns(), a.columns());
        if steps == 0 && start == Start::Zero {
            (0..rows).for_each(|r| c.row_mut(r).fill(E::ZERO));
        }
        let (mut panels, mut strips) = (Vec::new(), Vec::new());
        for column in (0..columns).step_by(BLOCK_COLUMNS) {
            let block_columns = column..(column + BLOCK_COLUMNS).min(columns);
            for step in (0..steps).step_by(BLOCK_STEPS) {
                let block_steps = step..(step + BLOCK_STEPS).min(steps);
                let start = if step == 0 { start } else { Start::Stored };
                pack_panels(simd, b.block(block_steps.clone(), block_columns.clone()), &mut panels);
                for row in (0..rows).step_by(BLOCK_ROWS) {
                    let block_rows = row..(row + BLOCK_ROWS).min(rows);
                    pack_strips(a.block(block_rows.clone(), block_steps.clone()), &mut strips);
                    let c = c.block(block_rows, block_columns.clone());
                    multiply_block(simd, &strips, &panels, block_steps.len(), c, start);
                }
            }
        }
    }
}

/// Copies `a` into strips of six rows: within a strip the columns lie one after the other.
#[inline(always)]
fn pack_strips<E: Element>(a: MatrixView<'_, E>, strips: &mut Vec<E>) {
    strips.clear();
    strips.reserve(a.rows() * a.columns());
    for row in (0..a.rows()).step_by(TILE_ROWS) {
        let height = (a.rows() - row).min(TILE_ROWS);
        for k in 0..a.columns() {
            let from = row * a.row_stride() + k * a.column_stride();
            strips.extend((0..height).map(|r| a.data()[from + r * a.row_stride()]));
        }
    }
}

/// All tiles of one block of the output.
#[inline(always)]
fn multiply_block<E: Element, S: Simd<E>>(
    simd: S,
    strips: &[E],
    panels: &[E],
    steps: usize,
    mut c: MatrixMut<'_, E>,
    start: Start,
) {
    let (rows, columns, width) = (c.rows(), c.columns(), panel_width::<E, S>());
    for (panel, column) in panels.chunks_exact(width * steps).zip((0..).step_by(width)) {
        let tile_columns = column..(column + width).min(columns);
        for row in (0..rows).step_by(TILE_ROWS) {
            let height = (rows - row).min(TILE_ROWS);
            let strip = &strips[row * steps..(row + height) * steps];
            let a = MatrixView::with_strides(strip, [height, steps], [1, height]);
            let c = c.block(row..row + height, tile_columns.clone());
            multiply_panel(simd, a, panel, c, start);
        }
    }
}
