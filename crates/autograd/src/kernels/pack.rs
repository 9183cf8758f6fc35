//! Copies of blocks in the order in which the tiles read them.
//!
//! Copying costs a few per cent of a large product and saves more: the tiles read memory in order,
//! from few pages, and a transposed operand costs the same as any other.

use std::ops::Range;

use super::matrix::MatrixView;
use super::scratch::Scratch;
use super::simd::{Kernel, Simd};
use super::tile::{PANEL_VECTORS, TILE_ROWS};
use crate::Element;

/// Steps that are copied for one strip after the other, so that a line of a transposed matrix is
/// read once and not once for every strip.
const STRIP_STEPS: usize = 64;

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
    let panels = scratch.any(packed_len::<E, S>(b.rows(), b.columns()));
    write_panels(simd, b, panels);
    panels
}

/// Elements of the panels of a matrix.
pub(crate) const fn packed_len<E: Copy, S: Simd<E>>(rows: usize, columns: usize) -> usize {
    columns.next_multiple_of(panel_width::<E, S>()) * rows
}

/// Writes all panels of `b` one after the other.
#[inline(always)]
pub(crate) fn write_panels<E: Element, S: Simd<E>>(
    simd: S,
    b: MatrixView<'_, E>,
    panels: &mut [E],
) {
    if b.rows() == 0 {
        return;
    }
    let width = panel_width::<E, S>();
    for (panel, first) in panels.chunks_exact_mut(width * b.rows()).zip((0..).step_by(width)) {
        let columns = first..(first + width).min(b.columns());
        simd.call(PackPanel { b: b.block(0..b.rows(), columns), panel });
    }
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

/// Copies `a`, whose columns lie in memory order, into strips of six rows: within a strip the columns
/// lie one after the other. The last strip is filled up with zeros, which no tile reads.
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
        let steps = a.columns();
        for first in (0..steps).step_by(STRIP_STEPS) {
            let block = first..(first + STRIP_STEPS).min(steps);
            for (strip, row) in (0..a.rows()).step_by(TILE_ROWS).enumerate() {
                let to = &mut strips[(strip * steps + block.start) * TILE_ROWS..];
                if a.row_stride() == 1 && row + TILE_ROWS <= a.rows() {
                    for (k, to) in block.clone().zip(to.chunks_exact_mut(TILE_ROWS)) {
                        let from = &a.data()[k * a.column_stride() + row..][..TILE_ROWS];
                        to.copy_from_slice(from);
                    }
                } else {
                    copy_steps(a, row, block.clone(), to);
                }
            }
        }
    }
}

/// Element by element; rows that are not there are zeros.
#[inline(always)]
fn copy_steps<E: Element>(a: MatrixView<'_, E>, row: usize, steps: Range<usize>, to: &mut [E]) {
    for (k, to) in steps.zip(to.chunks_exact_mut(TILE_ROWS)) {
        for (r, to) in to.iter_mut().enumerate() {
            *to = if row + r < a.rows() { a.get(row + r, k) } else { E::ZERO };
        }
    }
}
