//! Table lookup: `y[t] = table[ids[t]]`; the gradient of a row is the sum over its tokens.

use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The rows of `table` that `ids` name.
    ///
    /// # Shapes
    /// `table: [vocab_size, d_model]` -> `[ids.len(), d_model]`.
    ///
    /// # Gradient
    /// Each token's gradient is added to its row, in token order, continuing what is there.
    ///
    /// # Panics
    /// If an id has no row.
    #[track_caller]
    pub fn embedding(&self, table: &TensorValue<E>, ids: &[u32]) -> TensorValue<E> {
        let [vocab_size, d_model] = table.tensor().matrix("embedding", "table");
        let mut y = self.buffer(ids.len() * d_model);
        for (y, &id) in y.chunks_exact_mut(d_model.max(1)).zip(ids) {
            assert!((id as usize) < vocab_size, "embedding: id {id} of {vocab_size} rows");
            y.copy_from_slice(table.tensor().row(id as usize));
        }
        let y = Tensor::from_buffer(&[ids.len(), d_model], y);
        if !table.tracks_gradient() {
            return self.constant(&y);
        }
        let (to_table, len, ids) = (table.place(), table.data().len(), ids.to_vec());
        self.record("embedding", &[table], y, move |gradient, flow| {
            flow.accumulate(to_table, len, |_, sums| {
                for (&id, gradient) in ids.iter().zip(gradient.chunks_exact(d_model)) {
                    let row = &mut sums[id as usize * d_model..][..d_model];
                    row.iter_mut().zip(gradient).for_each(|(sum, &g)| *sum += g);
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
    fn gradient_of_a_repeated_row_is_the_sum() {
        let check = gradient_check(&[wavy(&[4, 3], 0.2)], 1e-5, |c, x| {
            let y = c.embedding(&x[0], &[2, 0, 2, 2]);
            c.sum(&c.mul(&y, &c.mul(&y, &y)))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
