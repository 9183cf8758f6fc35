//! Multiplication element by element: `y = a b`, `da = dy b`, `db = dy a`.

use crate::{AutogradContext, Buffer, Element, Kernels, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `a * b`, element by element; other shapes are [broadcast](Self::broadcast_to). A dropout mask
    /// is a constant `b`.
    ///
    /// # Panics
    /// If the shapes have no common one.
    #[track_caller]
    pub fn mul(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [a, b] = &self.broadcast_both("mul", a, b);
        let y = a.tensor().same_shape(product(self.kernels(), a.data(), self.copy(b.data())));
        let saved = [a.clone(), b.clone()];
        self.record("mul", &[a, b], y, move |gradient, flow| {
            let [a, b] = saved;
            if a.tracks_gradient() {
                flow.add(a.place(), product(flow.kernels, b.data(), flow.copy(&gradient)));
            }
            if b.tracks_gradient() {
                flow.add(b.place(), product(flow.kernels, a.data(), gradient));
            }
        })
    }
}

fn product<E: Element>(kernels: Kernels, x: &[E], mut y: Buffer<E>) -> Buffer<E> {
    kernels.multiply_by(&mut y, x);
    y
}

#[cfg(test)]
mod tests {
    use crate::gradient_check;
    use crate::ops::testing::wavy;

    #[test]
    fn gradient_agrees_with_differences_also_for_a_square() {
        let check = gradient_check(&[wavy(&[2, 3], 0.1), wavy(&[2, 3], 0.7)], 1e-5, |c, x| {
            c.sum(&c.mul(&c.mul(&x[0], &x[1]), &x[0]))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
