//! Copies of blocks in the order in which the tiles read them.
//!
//! Copying costs a few per cent of a large product and saves more: the tiles read memory in order,
//! from few pages, and a transposed operand costs the same as any other.

use super::matrix::MatrixView;
use super::scratch::Scratch;
use super::simd::{Kernel, Simd};
use super::tile::{PANEL_VECTORS, TILE_ROWS};
use crate::Element;

/// Columns of a packed panel.
pub(crate) const fn panel_width<E: Copy, S: Simd<E>>() -> usize {
    PANEL_VECTORS * S::LANES
}

/// Copies `b` into panels of `panel_width` columns: within a panel the rows lie one after the
/// other. The last panel is filled up with zeros, which reach only lanes that are never stored.
#[inline(always)]
pub(crate) fn pack_panels<'p, E: Element, S: Simd<E>>(
    simd: S,
    b: MatrixView<'_, E>,
    scratch: &'p mut Scratch<E>,
) -> &'p [E] {
    let width = panel_width::<E, S>();
    let panels = scratch.any(b.columns().div_ceil(width) * width * b.rows());
    if b.rows() == 0 {
        return panels;
    }
    for (panel, first) in panels.chunks_exact_mut(width * b.rows()).zip((0..).step_by(width)) {
        let columns = first..(first + width).min(b.columns());
        simd.call(PackPanel { b: b.block(0..b.rows(), columns), panel });
    }
    panels
}

struct PackPanel<'a, E> {
    b: MatrixView<'a, E>,
    panel: &'a mut [E],
}

impl<E: Element> Kernel<E> for PackPanel<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let (b, panel, width) = (self.b, self.panel, panel_width::<E, S>());
        if b.columns() < width {
            panel.fill(E::ZERO);
            copy_elements(b, 0, panel, width);
        } else if b.column_stride() == 1 {
            for (k, row) in panel.chunks_exact_mut(width).enumerate() {
                let from = &b.data()[k * b.row_stride()..];
                for v in 0..PANEL_VECTORS {
                    simd.store(simd.load(&from[v * S::LANES..]), &mut row[v * S::LANES..]);
                }
            }
        } else if b.row_stride() == 1 {
            let whole = b.rows() - b.rows() % S::LANES;
            for k in (0..whole).step_by(S::LANES) {
                for v in 0..PANEL_VECTORS {
                    let from = &b.data()[v * S::LANES * b.column_stride() + k..];
                    let to = &mut panel[k * width + v * S::LANES..];
                    simd.copy_transposed(from, b.column_stride(), to, width);
                }
            }
            copy_elements(b, whole, panel, width);
        } else {
            copy_elements(b, 0, panel, width);
        }
    }
}

/// One by one, the rows from `first_row` on.
#[inline(always)]
fn copy_elements<E: Element>(b: MatrixView<'_, E>, first_row: usize, to: &mut [E], width: usize) {
    for (k, row) in to.chunks_exact_mut(width).enumerate().skip(first_row) {
        for (c, to) in row.iter_mut().enumerate().take(b.columns()) {
            *to = b.get(k, c);
        }
    }
}

/// Copies `a` into strips of six rows: within a strip the columns lie one after the other. The last
/// strip is filled up with zeros, which no tile reads.
#[inline(always)]
pub(crate) fn pack_strips<'p, E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    scratch: &'p mut Scratch<E>,
) -> &'p [E] {
    let strips = scratch.any(a.rows().div_ceil(TILE_ROWS) * TILE_ROWS * a.columns());
    simd.call(PackStrips { a, strips });
    strips
}

struct PackStrips<'a, E> {
    a: MatrixView<'a, E>,
    strips: &'a mut [E],
}

impl<E: Element> Kernel<E> for PackStrips<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, _: S) {
        let Self { a, strips } = self;
        if a.columns() == 0 {
            return;
        }
        let strips = strips.chunks_exact_mut(TILE_ROWS * a.columns());
        for (strip, row) in strips.zip((0..).step_by(TILE_ROWS)) {
            let height = (a.rows() - row).min(TILE_ROWS);
            if height < TILE_ROWS {
                strip.fill(E::ZERO);
            }
            let block = a.block(row..row + height, 0..a.columns());
            if height == TILE_ROWS && a.row_stride() == 1 {
                for (k, to) in strip.chunks_exact_mut(TILE_ROWS).enumerate() {
                    let from = &block.data()[k * a.column_stride()..];
                    to.copy_from_slice(&from[..TILE_ROWS]);
                }
            } else {
                for (k, to) in strip.chunks_exact_mut(TILE_ROWS).enumerate() {
                    for (r, to) in to.iter_mut().enumerate().take(height) {
                        *to = block.get(r, k);
                    }
                }
            }
        }
    }
}
