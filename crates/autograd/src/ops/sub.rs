//! Subtraction: `y = a - b`, `da = dy`, `db = -dy`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `a - b`, element by element; other shapes are [broadcast](Self::broadcast_to).
    ///
    /// # Panics
    /// If the shapes have no common one.
    #[track_caller]
    pub fn sub(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [a, b] = self.broadcast_both("sub", a, b);
        let mut y = self.copy(a.data());
        y.iter_mut().zip(b.data()).for_each(|(y, &b)| *y = *y - b);
        let (to_a, to_b) = (a.place(), b.place());
        self.record("sub", &[&a, &b], a.tensor().same_shape(y), move |gradient, flow| {
            flow.accumulate(to_b, gradient.len(), |_, sum| {
                sum.iter_mut().zip(&*gradient).for_each(|(sum, &g)| *sum = *sum - g);
            });
            flow.add(to_a, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn the_second_operand_gets_the_negative_gradient() {
        let context = AutogradContext::recording();
        let [a, b] = [5.0, 3.0].map(|x| context.variable(&Tensor::scalar(x)));
        let y = context.sub(&context.sub(&a, &b), &b); // 5 - 2 * 3
        assert_eq!(y.tensor().item(), -1.0);
        let gradients = context.backward(&y).unwrap();
        assert_eq!(gradients.of(&a).unwrap().item(), 1.0);
        assert_eq!(gradients.of(&b).unwrap().item(), -2.0);
    }
}
