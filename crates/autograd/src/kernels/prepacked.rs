//! A right operand that is packed once and multiplied often.
//!
//! A product packs its right operand as it goes, which costs little when many rows are multiplied.
//! The vocabulary matrix is multiplied with a few rows at a time, so that their logits need not all
//! be in memory; packing it for every few rows would take as long as the product.

use super::Kernels;
use super::elementwise::MEMORY_COST;
use super::matmul::{BLOCK_COLUMNS, step_blocks};
use super::matrix::{MatrixView, blocks};
use super::pack::{packed_len, write_panels};
use super::scratch::Aligned;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use super::tile::MOST_COLUMNS;
use crate::Element;

/// All blocks of a matrix in the order in which a product takes them: for each block of columns the
/// blocks of steps, each in panels. As large as the matrix.
#[derive(Clone)]
pub(crate) struct Prepacked<E> {
    /// The implementation whose panels these are; only it can read them.
    kernels: Kernels,
    panels: Aligned<E>,
    rows: usize,
    columns: usize,
}

impl<E: Element> Prepacked<E> {
    /// Packs `b`, shared between threads when large.
    pub(crate) fn new(kernels: Kernels, b: MatrixView<'_, E>) -> Self {
        let mut panels = Aligned::new();
        let all = panels.any(b.rows() * b.columns().next_multiple_of(MOST_COLUMNS));
        share(kernels, Pack { b, panels: all }, E::run_pack);
        Self { kernels, panels, rows: b.rows(), columns: b.columns() }
    }

    /// The implementation that multiplies with this matrix, work shared as `kernels` says.
    pub(crate) fn kernels(&self, kernels: Kernels) -> Kernels {
        kernels.with_implementation_of(self.kernels)
    }

    /// What a product reads.
    pub(crate) fn view(&self) -> PrepackedView<'_, E> {
        PrepackedView { panels: self.panels.all(), rows: self.rows, columns: self.columns }
    }
}

/// Some blocks of columns of a packed matrix.
#[derive(Clone, Copy)]
pub(crate) struct PrepackedView<'a, E> {
    panels: &'a [E],
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

impl<'a, E: Element> PrepackedView<'a, E> {
    /// The columns before and from `at` on, which lies between two blocks.
    pub(crate) fn split_columns(self, at: usize) -> (Self, Self) {
        assert!(at.is_multiple_of(BLOCK_COLUMNS) && at <= self.columns, "a cut at column {at}");
        let (first, second) = self.panels.split_at(at * self.rows);
        let view = |panels, columns| Self { panels, rows: self.rows, columns };
        (view(first, at), view(second, self.columns - at))
    }

    /// The panels of the next block, which has `steps` rows and `columns` columns.
    #[inline(always)]
    pub(crate) fn take_block<S: Simd<E>>(&mut self, steps: usize, columns: usize) -> &'a [E] {
        let (block, rest) = self.panels.split_at(packed_len::<E, S>(steps, columns));
        self.panels = rest;
        block
    }
}

/// Packing itself.
pub struct Pack<'a, E> {
    b: MatrixView<'a, E>,
    panels: &'a mut [E],
}

impl<E: Element> Kernel<E> for Pack<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { b, panels: mut rest } = self;
        for columns in blocks(b.columns(), BLOCK_COLUMNS) {
            for steps in step_blocks::<E, S>(b.rows()) {
                let (block, after) =
                    rest.split_at_mut(packed_len::<E, S>(steps.len(), columns.len()));
                write_panels(simd, b.block(steps, columns.clone()), block);
                rest = after;
            }
        }
    }
}

impl<E: Element> Shared for Pack<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.panels.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Self { b, panels } = self;
        let Some(at) = cut_at(b.columns(), BLOCK_COLUMNS, left, parts) else {
            return Err(Self { b, panels });
        };
        let (first, second) = panels.split_at_mut(at * b.rows());
        let part = |columns, panels| Self { b: b.block(0..b.rows(), columns), panels };
        Ok((part(0..at, first), part(at..b.columns(), second)))
    }
}
