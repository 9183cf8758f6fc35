//! Matrix products of plain tensors, outside any tape.

use crate::kernels::{MatrixMut, MatrixView, Start, matmul};
use crate::shape::expect;
use crate::{Element, Kernels, Tensor};

/// The three matrix products that a network needs: one forward, two for its gradients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Product {
    /// `a b`
    Plain,
    /// `a bᵀ`
    RightTransposed,
    /// `aᵀ b`
    LeftTransposed,
}

impl Product {
    /// Writes the product of `a` and `b` to `c`, row-major. Every element is one chain of fused
    /// multiply-adds over the inner dimension, ascending from +0.
    ///
    /// # Shapes
    /// With `c: [rows, columns]`: `a` is `[rows, inner]`, `b` is `[inner, columns]`, each with its
    /// axes exchanged where it is transposed.
    ///
    /// # Panics
    /// If the shapes do not fit.
    ///
    /// ```
    /// use llm_autograd::{Kernels, Product, Tensor};
    /// let (row, column) = (Tensor::new(&[1, 2], vec![1.0, 2.0]), Tensor::new(&[2, 1], vec![3.0, 4.0]));
    /// let mut c = [0.0];
    /// Product::Plain.write(Kernels::detect(), &row, &column, &mut c);
    /// assert_eq!(c, [11.0]);
    /// ```
    #[track_caller]
    pub fn write<'a, E: Element>(
        self,
        kernels: Kernels,
        a: &'a Tensor<E>,
        b: &'a Tensor<E>,
        c: &mut [E],
    ) {
        let matrix = |x: &'a Tensor<E>, name, transposed| {
            let [rows, columns] = x.matrix("product", name);
            let view = MatrixView::new(x.data(), rows, columns);
            if transposed { view.transposed() } else { view }
        };
        let a = matrix(a, "a", self == Self::LeftTransposed);
        let b = matrix(b, "b", self == Self::RightTransposed);
        expect("product", "b", &[b.rows(), b.columns()], &[a.columns(), b.columns()]);
        expect("product", "c", &[c.len()], &[a.rows() * b.columns()]);
        matmul(kernels, a, b, MatrixMut::new(c, a.rows(), b.columns()), Start::Zero);
    }
}
