//! Rotary position embedding (Su and others 2021, "RoFormer"), interleaved pairs.
//!
//! Features 2j and 2j + 1 of each head are a point (l, r) that turns by the angle
//! `position * base^(-2j / head_dim)`: `(l cos - r sin, l sin + r cos)`. A rotation's inverse is its
//! transpose, so the gradient turns back by the same angle.

use std::sync::Arc;

use crate::kernels::{MEMORY_COST, Shared, cut_at, share};
use crate::{AutogradContext, Element, Kernels, TensorValue};

/// Cosines and sines of all angles, computed once in f64 and rounded to the element type.
#[derive(Clone, Debug, PartialEq)]
pub struct RopeTable<E> {
    /// `[positions, head_dim / 2]`
    cosines: Arc<Vec<E>>,
    sines: Arc<Vec<E>>,
    head_dim: usize,
}

impl<E: Element> RopeTable<E> {
    /// The table for positions `0 .. positions`. Panics if `head_dim` is odd.
    #[track_caller]
    pub fn new(head_dim: usize, base: f64, positions: usize) -> Self {
        assert!(head_dim.is_multiple_of(2), "rope: head_dim {head_dim} is odd");
        let pairs = head_dim / 2;
        let frequencies: Vec<f64> =
            (0..pairs).map(|j| libm::pow(base, -((2 * j) as f64) / head_dim as f64)).collect();
        let angles = (0..positions).flat_map(|position| {
            frequencies.iter().map(move |frequency| position as f64 * frequency)
        });
        let (cosines, sines) = angles
            .map(libm::sincos)
            .map(|(sine, cosine)| (E::from_f64(cosine), E::from_f64(sine)))
            .unzip();
        Self { cosines: Arc::new(cosines), sines: Arc::new(sines), head_dim }
    }

    /// How many positions it covers.
    pub fn positions(&self) -> usize {
        self.cosines.len() / (self.head_dim / 2).max(1)
    }
}

/// Rows to be turned in place.
struct Turn<'a, E> {
    table: &'a RopeTable<E>,
    rows: &'a mut [E],
    positions: &'a [usize],
    /// 1, or -1 to turn back.
    direction: E,
}

impl<E: Element> Turn<'_, E> {
    fn compute(_: Kernels, this: Self) {
        let RopeTable { cosines, sines, head_dim } = this.table;
        let (pairs, columns) = (head_dim / 2, this.rows.len() / this.positions.len().max(1));
        for (row, &position) in this.rows.chunks_exact_mut(columns.max(1)).zip(this.positions) {
            let angles = position * pairs..(position + 1) * pairs;
            let (cosines, sines) = (&cosines[angles.clone()], &sines[angles]);
            for head in row.chunks_exact_mut(*head_dim) {
                for ((pair, &cos), &sin) in head.chunks_exact_mut(2).zip(cosines).zip(sines) {
                    let (l, r, sin) = (pair[0], pair[1], this.direction * sin);
                    pair[0] = l * cos - r * sin;
                    pair[1] = l * sin + r * cos;
                }
            }
        }
    }
}

impl<E: Element> Shared for Turn<'_, E> {
    fn work(&self) -> usize {
        MEMORY_COST * self.rows.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.positions.len(), 1, left, parts) else { return Err(self) };
        let columns = self.rows.len() / self.positions.len();
        let (rows, rows_rest) = self.rows.split_at_mut(at * columns);
        let (positions, positions_rest) = self.positions.split_at(at);
        let (table, direction) = (self.table, self.direction);
        Ok((
            Self { table, rows, positions, direction },
            Self { table, rows: rows_rest, positions: positions_rest, direction },
        ))
    }
}

impl<E: Element> AutogradContext<E> {
    /// Turns each head of row t by the angles of position `positions[t]`.
    ///
    /// # Shapes
    /// `x: [positions.len(), heads * head_dim]` -> the same.
    ///
    /// # Panics
    /// If the shapes do not fit or a position is outside the table.
    #[track_caller]
    pub fn rope(
        &self,
        x: &TensorValue<E>,
        table: &RopeTable<E>,
        positions: &[usize],
    ) -> TensorValue<E> {
        let [rows, columns] = x.tensor().matrix("rope", "x");
        assert!(rows == positions.len(), "rope: {rows} rows and {} positions", positions.len());
        assert!(
            columns.is_multiple_of(table.head_dim),
            "rope: {columns} columns are no whole heads"
        );
        let covered = table.positions();
        assert!(positions.iter().all(|&p| p < covered), "rope: position outside 0..{covered}");
        let mut y = self.copy(x.data());
        let turn = Turn { table, rows: &mut y, positions, direction: E::ONE };
        share(self.kernels(), turn, Turn::compute);
        let (to_x, table, positions) = (x.place(), table.clone(), positions.to_vec());
        self.record("rope", &[x], x.tensor().same_shape(y), move |mut gradient, flow| {
            let (rows, direction) = (&mut gradient, -E::ONE);
            let turn = Turn { table: &table, rows, positions: &positions, direction };
            share(flow.kernels, turn, Turn::compute);
            flow.add(to_x, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::RopeTable;
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, gradient_check};

    #[test]
    fn the_first_pair_turns_by_one_radian_a_position_and_the_second_by_a_hundredth() {
        let context = AutogradContext::no_grad();
        let x = context.constant(&Tensor::new(&[1, 4], vec![1.0, 0.0, 1.0, 0.0]));
        let y = context.rope(&x, &RopeTable::new(4, 10000.0, 4), &[3]);
        let expected = [libm::cos(3.0), libm::sin(3.0), libm::cos(0.03), libm::sin(0.03)];
        for (y, expected) in y.data().iter().zip(expected) {
            assert!((y - expected).abs() < 1e-15);
        }
    }

    #[test]
    fn gradient_agrees_with_differences() {
        let table = RopeTable::new(4, 100.0, 6);
        let check = gradient_check(&[wavy(&[3, 8], 0.2)], 1e-5, |c, x| {
            let y = c.rope(&x[0], &table, &[0, 5, 1]);
            c.sum(&c.mul(&y, &c.mul(&y, &y)))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
