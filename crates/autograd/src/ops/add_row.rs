//! A row added to every row of a matrix: `y[r] = x[r] + row`, the bias of a linear layer.

use crate::shape::expect;
use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `x + row` for every row of `x`.
    ///
    /// # Shapes
    /// `x: [rows, columns]`, `row: [columns]` -> `[rows, columns]`.
    ///
    /// # Gradient
    /// That of `row` is the sum over the rows, in row order, continuing what is there.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[track_caller]
    pub fn add_row(&self, x: &TensorValue<E>, row: &TensorValue<E>) -> TensorValue<E> {
        let [_, columns] = x.tensor().matrix("add_row", "x");
        expect("add_row", "row", row.shape(), &[columns]);
        let mut y = self.copy(x.data());
        for y in y.chunks_exact_mut(columns.max(1)) {
            y.iter_mut().zip(row.data()).for_each(|(y, &bias)| *y += bias);
        }
        let (to_x, to_row) = (x.place(), row.place());
        self.record("add_row", &[x, row], x.tensor().same_shape(y), move |gradient, flow| {
            flow.accumulate(to_row, columns, |_, sum| {
                for gradient in gradient.chunks_exact(columns.max(1)) {
                    sum.iter_mut().zip(gradient).for_each(|(sum, &g)| *sum += g);
                }
            });
            flow.add(to_x, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::gradient_check;
    use crate::ops::testing::wavy;

    #[test]
    fn gradient_agrees_with_differences() {
        let check = gradient_check(&[wavy(&[3, 2], 0.1), wavy(&[2], 0.7)], 1e-5, |c, x| {
            let y = c.add_row(&x[0], &x[1]);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
