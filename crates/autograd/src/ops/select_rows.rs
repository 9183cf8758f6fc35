//! Rows of a matrix: `y[i] = x[rows[i]]`. A decoder computes logits only where a target is scored.

use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The named rows of `x`, which must be strictly ascending.
    ///
    /// # Shapes
    /// `x: [n, columns]` -> `[rows.len(), columns]`.
    ///
    /// # Panics
    /// If a row does not exist or the rows do not ascend.
    #[track_caller]
    pub fn select_rows(&self, x: &TensorValue<E>, rows: &[usize]) -> TensorValue<E> {
        let [n, columns] = x.tensor().matrix("select_rows", "x");
        assert!(rows.is_sorted_by(|a, b| a < b), "select_rows: rows must ascend");
        assert!(rows.last().is_none_or(|&row| row < n), "select_rows: row outside {n} rows");
        let mut y = self.buffer(rows.len() * columns);
        for (y, &row) in y.chunks_exact_mut(columns.max(1)).zip(rows) {
            y.copy_from_slice(x.tensor().row(row));
        }
        let (to_x, len, rows) = (x.place(), x.data().len(), rows.to_vec());
        let y = Tensor::from_buffer(&[rows.len(), columns], y);
        self.record("select_rows", &[x], y, move |gradient, flow| {
            flow.accumulate(to_x, len, |_, sums| {
                for (&row, gradient) in rows.iter().zip(gradient.chunks_exact(columns)) {
                    let sums = &mut sums[row * columns..][..columns];
                    sums.iter_mut().zip(gradient).for_each(|(sum, &g)| *sum += g);
                }
            });
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::gradient_check;
    use crate::ops::testing::wavy;

    #[test]
    fn gradient_reaches_only_the_selected_rows() {
        let check = gradient_check(&[wavy(&[4, 3], 0.2)], 1e-5, |c, x| {
            let y = c.select_rows(&x[0], &[0, 2]);
            c.sum(&c.mul(&y, &c.mul(&y, &y)))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
