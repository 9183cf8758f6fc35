//! Addition: `y = a + b`; both gradients are that of y.

use crate::kernels::{AddInto, share};
use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `a + b`, element by element; other shapes are [broadcast](Self::broadcast_to).
    ///
    /// # Panics
    /// If the shapes have no common one.
    #[track_caller]
    pub fn add(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [a, b] = &self.broadcast_both("add", a, b);
        let mut sum = self.buffer(a.data().len());
        let kernel = AddInto { y: &mut sum, a: a.data(), b: b.data() };
        share(self.kernels(), kernel, E::run_add_into);
        let (to_a, to_b) = (a.place(), b.place());
        self.record("add", &[a, b], a.tensor().same_shape(sum), move |gradient, flow| {
            flow.accumulate(to_b, gradient.len(), |kernels, sum| kernels.add(sum, &gradient));
            flow.add(to_a, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, gradient_check};

    #[test]
    fn adds_element_by_element() {
        let context = AutogradContext::no_grad();
        let a = context.constant(&Tensor::new(&[2], vec![1.0, 2.0]));
        let b = context.constant(&Tensor::new(&[2], vec![10.0, 20.0]));
        assert_eq!(context.add(&a, &b).data(), [11.0, 22.0]);
    }

    #[test]
    fn gradient_agrees_with_differences_also_for_twice_the_same_operand() {
        let check = gradient_check(&[wavy(&[2, 3], 0.1), wavy(&[2, 3], 0.7)], 1e-5, |c, x| {
            let y = c.add(&c.add(&x[0], &x[1]), &x[0]);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
