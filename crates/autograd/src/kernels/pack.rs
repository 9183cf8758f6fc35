//! Copies of blocks in the order in which the tiles read them.
//!
//! Copying costs a few per cent of a large product and saves more: the tiles read memory in order,
//! from few pages, and a transposed operand costs the same as any other.

use super::matrix::{MatrixView, blocks};
use super::scratch::Scratch;
use super::simd::{Kernel, Simd};
use super::tile::PANEL_VECTORS;
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
    for (panel, columns) in
        panels.chunks_exact_mut(width * b.rows()).zip(blocks(b.columns(), width))
    {
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

/// Copies a matrix whose columns lie in memory order so that its rows do.
#[inline(always)]
pub(crate) fn turn<'p, E: Element, S: Simd<E>>(
    simd: S,
    a: MatrixView<'_, E>,
    scratch: &'p mut Scratch<E>,
) -> MatrixView<'p, E> {
    let turned = scratch.any(a.rows() * a.columns());
    simd.call(Turn { a, turned });
    MatrixView::new(turned, a.rows(), a.columns())
}

struct Turn<'a, E> {
    a: MatrixView<'a, E>,
    turned: &'a mut [E],
}

impl<E: Element> Kernel<E> for Turn<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let Self { a, turned } = self;
        let steps = a.columns();
        for block in blocks(steps, S::LANES) {
            for rows in blocks(a.rows(), S::LANES) {
                if block.len() == S::LANES && rows.len() == S::LANES {
                    let from = &a.data()[block.start * a.column_stride() + rows.start..];
                    let to = &mut turned[rows.start * steps + block.start..];
                    simd.copy_transposed(from, a.column_stride(), to, steps);
                    continue;
                }
                for r in rows {
                    for k in block.clone() {
                        turned[r * steps + k] = a.get(r, k);
                    }
                }
            }
        }
    }
}
