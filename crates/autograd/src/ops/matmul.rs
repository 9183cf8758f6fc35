//! Matrix products: `y = a b` and `y = a bᵀ`.
//!
//! For `y = a b`: `da = dy bᵀ`, `db = aᵀ dy`. For `y = a bᵀ`: `da = dy b`, `db = dyᵀ a`.
//! Where rows are tokens, `db` is a chain over the tokens in row order, and it continues the gradient
//! that is already there: two batches after each other give the same bits as one of both.

use crate::kernels::{MatrixMut, MatrixView, Prepacked, Start, matmul, matmul_prepacked};
use crate::shape::expect;
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `a b`.
    ///
    /// # Shapes
    /// `a: [rows, inner]`, `b: [inner, columns]` -> `[rows, columns]`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[track_caller]
    pub fn matmul(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [_, inner] = a.tensor().matrix("matmul", "a");
        let [b_rows, columns] = b.tensor().matrix("matmul", "b");
        expect("matmul", "b", &[b_rows, columns], &[inner, columns]);
        self.product("matmul", a, b, false)
    }

    /// `a bᵀ`.
    ///
    /// # Shapes
    /// `a: [rows, inner]`, `b: [columns, inner]` -> `[rows, columns]`.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[track_caller]
    pub fn matmul_transposed(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [_, inner] = a.tensor().matrix("matmul_transposed", "a");
        let [columns, b_columns] = b.tensor().matrix("matmul_transposed", "b");
        expect("matmul_transposed", "b", &[columns, b_columns], &[columns, inner]);
        self.product("matmul_transposed", a, b, true)
    }

    /// A copy of `b` for [`matmul_transposed_packed`](Self::matmul_transposed_packed), as large as `b`.
    ///
    /// # Panics
    /// If `b` has not two axes.
    #[track_caller]
    pub fn pack_transposed(&self, b: &TensorValue<E>) -> PackedMatrix<E> {
        let [columns, inner] = b.tensor().matrix("pack_transposed", "b");
        let panels = Prepacked::new(self.kernels(), view(b).transposed());
        PackedMatrix { panels, inner, columns }
    }

    /// `a bᵀ` with a `b` that was packed before: the same bits as
    /// [`matmul_transposed`](Self::matmul_transposed), faster for a few rows at a time. Nothing is
    /// recorded.
    ///
    /// # Shapes
    /// `a: [rows, inner]`, `b: [columns, inner]` -> `[rows, columns]`.
    ///
    /// # Panics
    /// If the shapes do not fit or `a` tracks a gradient.
    #[track_caller]
    pub fn matmul_transposed_packed(
        &self,
        a: &TensorValue<E>,
        b: &PackedMatrix<E>,
    ) -> TensorValue<E> {
        let [rows, inner] = a.tensor().matrix("matmul_transposed_packed", "a");
        expect("matmul_transposed_packed", "a", &[rows, inner], &[rows, b.inner]);
        assert!(!a.tracks_gradient(), "matmul_transposed_packed: `a` tracks a gradient");
        let mut y = self.buffer(rows * b.columns);
        let c = MatrixMut::new(&mut y, rows, b.columns);
        matmul_prepacked(b.panels.kernels(self.kernels()), view(a), b.panels.view(), c);
        self.constant(&Tensor::from_buffer(&[rows, b.columns], y))
    }

    #[track_caller]
    fn product(
        &self,
        name: &'static str,
        a: &TensorValue<E>,
        b: &TensorValue<E>,
        transposed: bool,
    ) -> TensorValue<E> {
        let (a_view, b_view) = (view(a), if transposed { view(b).transposed() } else { view(b) });
        let (rows, columns) = (a_view.rows(), b_view.columns());
        let mut y = self.buffer(rows * columns);
        matmul(self.kernels(), a_view, b_view, MatrixMut::new(&mut y, rows, columns), Start::Zero);

        let saved = [a.clone(), b.clone()];
        self.record(
            name,
            &[a, b],
            Tensor::from_buffer(&[rows, columns], y),
            move |gradient, flow| {
                let [a, b] = saved;
                let dy = MatrixView::new(&gradient, rows, columns);
                flow.continue_chains(a.place(), a.data().len(), |kernels, da, start| {
                    let b = if transposed { view(&b) } else { view(&b).transposed() };
                    let da = MatrixMut::new(da, rows, b.columns());
                    matmul(kernels, dy, b, da, start);
                });
                flow.continue_chains(b.place(), b.data().len(), |kernels, db, start| {
                    let (left, right) = if transposed {
                        (dy.transposed(), view(&a))
                    } else {
                        (view(&a).transposed(), dy)
                    };
                    let db = MatrixMut::new(db, left.rows(), right.columns());
                    matmul(kernels, left, right, db, start);
                });
            },
        )
    }
}

/// A matrix in the order in which a product reads its transpose; see
/// [`AutogradContext::pack_transposed`].
#[derive(Clone)]
pub struct PackedMatrix<E> {
    panels: Prepacked<E>,
    inner: usize,
    columns: usize,
}

/// A value of two axes as a matrix.
fn view<E: Element>(x: &TensorValue<E>) -> MatrixView<'_, E> {
    let [rows, columns] = x.tensor().matrix("matmul", "operand");
    MatrixView::new(x.data(), rows, columns)
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Kernels, Tensor, gradient_check};

    #[test]
    fn multiplies_two_by_two() {
        let context = AutogradContext::no_grad();
        let a = context.constant(&Tensor::new(&[2, 2], vec![1.0, 2.0, 3.0, 4.0]));
        let b = context.constant(&Tensor::new(&[2, 2], vec![5.0, 6.0, 7.0, 8.0]));
        assert_eq!(context.matmul(&a, &b).data(), [19.0, 22.0, 43.0, 50.0]);
        assert_eq!(context.matmul_transposed(&a, &b).data(), [17.0, 23.0, 39.0, 53.0]);
    }

    #[test]
    fn gradients_agree_with_differences() {
        let check = gradient_check(&[wavy(&[3, 4], 0.1), wavy(&[4, 5], 0.7)], 1e-5, |c, x| {
            let y = c.matmul(&x[0], &x[1]);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
        let check = gradient_check(&[wavy(&[3, 4], 0.1), wavy(&[5, 4], 0.7)], 1e-5, |c, x| {
            let y = c.matmul_transposed(&x[0], &x[1]);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }

    #[test]
    fn a_packed_operand_gives_the_same_bits_at_every_number_of_blocks() {
        // Inner dimensions of one and of several blocks, columns up to several blocks of 1024.
        for (rows, inner, columns) in [(1, 3, 5), (7, 385, 16), (64, 20, 1025), (3, 770, 2100)] {
            let (a, b) = (wavy(&[rows, inner], 0.1), wavy(&[columns, inner], 0.7));
            for kernels in Kernels::available().into_iter().map(|k| k.with_sharing_threshold(0)) {
                let context = AutogradContext::<f64>::no_grad_with(kernels);
                let (a, b) = (context.constant(&a), context.constant(&b));
                let packed = context.pack_transposed(&b);
                let y = context.matmul_transposed_packed(&a, &packed);
                let expected = context.matmul_transposed(&a, &b);
                assert!(y.tensor().bits() == expected.tensor().bits(), "{rows} {inner} {columns}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "matmul: `b` has shape [3, 2], expected [2, 2]")]
    fn shapes_that_do_not_fit_are_named() {
        let context = AutogradContext::<f64>::no_grad();
        let a = context.constant(&wavy(&[4, 2], 0.0));
        context.matmul(&a, &context.constant(&wavy(&[3, 2], 0.0)));
    }
}
