//! Rotary position embedding (Su and others 2021, "RoFormer"), interleaved pairs.
//!
//! Features 2j and 2j + 1 of each head are a point (l, r) that turns by the angle
//! `position * base^(-2j / head_dim)`: `(l cos - r sin, l sin + r cos)`. A rotation's inverse is its
//! transpose, so the gradient turns back by the same angle.

use std::sync::Arc;

use crate::{AutogradContext, Element, TensorValue};

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
            .map(|angle| (E::from_f64(libm::cos(angle)), E::from_f64(libm::sin(angle))))
            .unzip();
        Self { cosines: Arc::new(cosines), sines: Arc::new(sines), head_dim }
    }

    /// How many positions it covers.
    pub fn positions(&self) -> usize {
        self.cosines.len() / (self.head_dim / 2).max(1)
    }

    /// Turns every row in place; `direction` is 1, or -1 to turn back.
    fn rotate(&self, x: &mut [E], columns: usize, positions: &[usize], direction: E) {
        let pairs = self.head_dim / 2;
        for (row, &position) in x.chunks_exact_mut(columns).zip(positions) {
            let angles = position * pairs..(position + 1) * pairs;
            let (cosines, sines) = (&self.cosines[angles.clone()], &self.sines[angles]);
            for head in row.chunks_exact_mut(self.head_dim) {
                for ((pair, &cos), &sin) in head.chunks_exact_mut(2).zip(cosines).zip(sines) {
                    let (l, r, sin) = (pair[0], pair[1], direction * sin);
                    pair[0] = l * cos - r * sin;
                    pair[1] = l * sin + r * cos;
                }
            }
        }
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
        let mut y = x.data().to_vec();
        table.rotate(&mut y, columns, positions, E::ONE);
        let (to_x, table, positions) = (x.place(), table.clone(), positions.to_vec());
        self.record("rope", &[x], x.tensor().same_shape(y), move |mut gradient, flow| {
            table.rotate(&mut gradient, columns, &positions, -E::ONE);
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
