//! Matrix product: blocks that fit the caches, cut into tiles that fit the registers.
//!
//! The blocking is Goto's (Goto and van de Geijn 2008, "Anatomy of high-performance matrix
//! multiplication"): a block of `b` is copied into panels, a block of `a` is turned if it is
//! transposed, and the tiles of their product read both in order. Blocks along the inner dimension
//! continue the chains from the stored output, so the cut is invisible in the result.

use std::ops::Range;

use super::Kernels;
use super::elementwise::MEMORY_COST;
use super::few_rows::FewRows;
use super::matrix::{MatrixMut, MatrixView, blocks};
use super::pack::{pack_panels, panel_width, turn};
use super::prepacked::PrepackedView;
use super::scratch::Scratch;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use super::tile::{MOST_COLUMNS, Start, Steps, TILE_ROWS, multiply_panel};
use crate::Element;

/// Largest inner dimension of a block. A panel of `b` stays in the first-level cache while rows of
/// `a` pass by: 24 of 32 KiB where vectors have 256 bits, 32 of 48 KiB where they have 512.
const fn most_block_steps<E: Copy, S: Simd<E>>() -> usize {
    let panel_bytes = panel_width::<E, S>() * size_of::<E>();
    if panel_bytes > 64 { 256 } else { 384 }
}

/// Rows of a block of `a`, a multiple of the tile, 96 of f32 and 48 of f64: a block stays in the
/// second-level cache and leaves room there.
const fn block_rows<E>() -> usize {
    384 / size_of::<E>()
}

/// Columns of a block of `b`: a block stays in the last-level cache.
pub(super) const BLOCK_COLUMNS: usize = 1024;

/// The blocks of an inner dimension, of about the same size.
#[inline(always)]
pub(super) fn step_blocks<E: Copy, S: Simd<E>>(steps: usize) -> impl Iterator<Item = Range<usize>> {
    let count = steps.div_ceil(most_block_steps::<E, S>()).max(1);
    blocks(steps, steps.div_ceil(count).max(1))
}

/// `c = a b`, or `c = c + a b` with the chains continued, shared between threads when large.
pub(crate) fn matmul<E: Element>(
    kernels: Kernels,
    a: MatrixView<'_, E>,
    b: MatrixView<'_, E>,
    c: MatrixMut<'_, E>,
    start: Start,
) {
    multiply(kernels, MatMul { a, b: Right::Plain(b), c, start });
}

/// `c = a b` with a packed `b`.
pub(crate) fn matmul_prepacked<E: Element>(
    kernels: Kernels,
    a: MatrixView<'_, E>,
    b: PrepackedView<'_, E>,
    c: MatrixMut<'_, E>,
) {
    multiply(kernels, MatMul { a, b: Right::Prepacked(b), c, start: Start::Zero });
}

fn multiply<E: Element>(kernels: Kernels, product: MatMul<'_, E>) {
    let MatMul { a, b, c, .. } = &product;
    let [steps, columns] = b.shape();
    assert_eq!((a.rows(), columns), (c.rows(), c.columns()), "shape of the output");
    assert_eq!(a.columns(), steps, "inner dimension");
    share(kernels, product, E::run_matmul);
}

/// The product of one thread.
pub struct MatMul<'a, E> {
    a: MatrixView<'a, E>,
    b: Right<'a, E>,
    c: MatrixMut<'a, E>,
    start: Start,
}

/// The right operand.
#[derive(Clone, Copy)]
enum Right<'a, E> {
    Plain(MatrixView<'a, E>),
    Prepacked(PrepackedView<'a, E>),
}

impl<E: Element> Right<'_, E> {
    fn shape(&self) -> [usize; 2] {
        match self {
            Self::Plain(b) => [b.rows(), b.columns()],
            Self::Prepacked(b) => [b.rows, b.columns],
        }
    }

    /// Columns between two places where it can be cut.
    fn column_unit(&self) -> usize {
        match self {
            Self::Plain(_) => MOST_COLUMNS,
            Self::Prepacked(_) => BLOCK_COLUMNS,
        }
    }

    fn split_columns(self, at: usize) -> (Self, Self) {
        match self {
            Self::Plain(b) => {
                let part = |columns| Self::Plain(b.block(0..b.rows(), columns));
                (part(0..at), part(at..b.columns()))
            }
            Self::Prepacked(b) => {
                let (first, second) = b.split_columns(at);
                (Self::Prepacked(first), Self::Prepacked(second))
            }
        }
    }
}

impl<E: Element> Shared for MatMul<'_, E> {
    /// Of a few rows memory is the price.
    fn work(&self) -> usize {
        self.a.rows().max(MEMORY_COST / 4) * self.a.columns() * self.c.columns()
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
            let unit = self.b.column_unit();
            let Some(at) = cut_at(columns, unit, left, parts) else { return Err(self) };
            let (first, second) = self.c.split_columns(at);
            let (b, b_rest) = self.b.split_columns(at);
            Ok((Self { b, c: first, ..self }, Self { b: b_rest, c: second, ..self }))
        }
    }
}

impl<E: Element> Kernel<E> for MatMul<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { a, mut b, mut c, start } = self;
        if let Right::Plain(b) = b
            && FewRows::fits(a, b)
        {
            return simd.call(FewRows { a, b, c, start });
        }
        let (rows, columns, steps) = (c.rows(), c.columns(), a.columns());
        if steps == 0 && start == Start::Zero {
            (0..rows).for_each(|r| c.row_mut(r).fill(E::ZERO));
        }
        let (mut panels, mut turned) = (Scratch::new(), Scratch::new());
        for columns in blocks(columns, BLOCK_COLUMNS) {
            for steps in step_blocks::<E, S>(steps) {
                let start = if steps.start == 0 { start } else { Start::Stored };
                let panels = match &mut b {
                    Right::Plain(b) => {
                        pack_panels(simd, b.block(steps.clone(), columns.clone()), &mut panels)
                    }
                    Right::Prepacked(b) => b.take_block::<S>(steps.len(), columns.len()),
                };
                for rows in blocks(rows, block_rows::<E>()) {
                    let mut a = a.block(rows.clone(), steps.clone());
                    if a.column_stride() != 1 {
                        a = turn(simd, a, &mut turned);
                    }
                    multiply_block(simd, a, panels, c.block(rows, columns.clone()), start);
                }
            }
        }
    }
}

/// All tiles of one block of the output.
#[inline(always)]
fn multiply_block<E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    panels: &[E],
    mut c: MatrixMut<'_, E>,
    start: Start,
) {
    let (rows, columns, width) = (c.rows(), c.columns(), panel_width::<E, S>());
    let panels = panels.chunks_exact(panels.len() / columns.div_ceil(width));
    for (panel, columns) in panels.zip(blocks(columns, width)) {
        multiply_panel(simd, a, panel, c.block(0..rows, columns), start, Steps::All);
    }
}
