//! Matrix product: blocks that fit the caches, cut into tiles that fit the registers.
//!
//! The blocking is Goto's (Goto and van de Geijn 2008, "Anatomy of high-performance matrix
//! multiplication"): a block of `b` is copied into panels, a block of `a` into strips of six rows where
//! it does not lie well already, and the tiles of their product read both in order. Blocks along the inner dimension
//! continue the chains from the stored output, so the cut is invisible in the result.

use super::Kernels;
use super::matrix::{MatrixMut, MatrixView};
use super::pack::{pack_panels, pack_strips, panel_width};
use super::scratch::Scratch;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use super::tile::{Start, Steps, Strips, TILE_ROWS, multiply_panel};
use crate::Element;

/// Largest inner dimension of a block: a panel of `b` stays in the first-level cache while strips of
/// `a` pass by.
const MOST_BLOCK_STEPS: usize = 384;
/// Rows of a block of `a`, a multiple of the tile: a block stays in the second-level cache.
const BLOCK_ROWS: usize = 96;
/// Columns of a block of `b`: a block stays in the last-level cache.
const BLOCK_COLUMNS: usize = 1024;

/// Columns between two cuts: whole panels of either precision.
const COLUMN_UNIT: usize = 16;

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
    share(kernels, MatMul { a, b, c, start }, E::run_matmul);
}

/// The product of one thread.
pub struct MatMul<'a, E> {
    a: MatrixView<'a, E>,
    b: MatrixView<'a, E>,
    c: MatrixMut<'a, E>,
    start: Start,
}

impl<E: Element> Shared for MatMul<'_, E> {
    fn work(&self) -> usize {
        self.a.rows() * self.a.columns() * self.b.columns()
    }

    /// Cuts the longer side of the output, between tiles.
    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let (rows, columns, steps) = (self.c.rows(), self.c.columns(), self.a.columns());
        if rows >= columns {
            let Some(at) = cut_at(rows, TILE_ROWS, left, parts) else { return Err(self) };
            let (upper, lower) = self.c.split_rows(at);
            let a = [self.a.block(0..at, 0..steps), self.a.block(at..rows, 0..steps)];
            Ok((Self { a: a[0], c: upper, ..self }, Self { a: a[1], c: lower, ..self }))
        } else {
            let Some(at) = cut_at(columns, COLUMN_UNIT, left, parts) else { return Err(self) };
            let (first, second) = self.c.split_columns(at);
            let b = [self.b.block(0..steps, 0..at), self.b.block(0..steps, at..columns)];
            Ok((Self { b: b[0], c: first, ..self }, Self { b: b[1], c: second, ..self }))
        }
    }
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
        let blocks = steps.div_ceil(MOST_BLOCK_STEPS).max(1);
        let block_steps = steps.div_ceil(blocks).max(1); // blocks of about the same size
        let (mut panels, mut strips) = (Scratch::new(), Scratch::new());
        for column in (0..columns).step_by(BLOCK_COLUMNS) {
            let block_columns = column..(column + BLOCK_COLUMNS).min(columns);
            for step in (0..steps).step_by(block_steps) {
                let block_steps = step..(step + block_steps).min(steps);
                let start = if step == 0 { start } else { Start::Stored };
                let b = b.block(block_steps.clone(), block_columns.clone());
                let panels = pack_panels(simd, b, &mut panels);
                for row in (0..rows).step_by(BLOCK_ROWS) {
                    let block_rows = row..(row + BLOCK_ROWS).min(rows);
                    let a = a.block(block_rows.clone(), block_steps.clone());
                    let c = c.block(block_rows, block_columns.clone());
                    let a = if reads_well_in_place(a, c.columns()) {
                        Strips::in_place(a)
                    } else {
                        Strips::packed(pack_strips(simd, a, &mut strips), a.rows(), a.columns())
                    };
                    multiply_block(simd, a, panels, c, start);
                }
            }
        }
    }
}

/// Whether the tiles may read `a` where it is: its rows lie in memory order, and there are too few
/// panels to pay for a copy. A copy is read a little faster, from one place instead of six.
fn reads_well_in_place<E: Element>(a: MatrixView<'_, E>, columns: usize) -> bool {
    const FEW_COLUMNS: usize = 128;
    a.column_stride() == 1 && columns < FEW_COLUMNS
}

/// All tiles of one block of the output.
#[inline(always)]
fn multiply_block<E: Element, S: Simd<E>>(
    simd: S,
    a: Strips<'_, E>,
    panels: &[E],
    mut c: MatrixMut<'_, E>,
    start: Start,
) {
    let (rows, columns, width) = (c.rows(), c.columns(), panel_width::<E, S>());
    let panels = panels.chunks_exact(panels.len() / columns.div_ceil(width));
    for (panel, column) in panels.zip((0..columns).step_by(width)) {
        let columns = column..(column + width).min(columns);
        multiply_panel(simd, a, panel, c.block(0..rows, columns), start, Steps::All);
    }
}
