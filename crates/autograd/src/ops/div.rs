//! Division: `y = a / b`, `da = dy / b`, `db = -dy y / b`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `a / b`, element by element; other shapes are [broadcast](Self::broadcast_to). A zero in `b`
    /// gives what IEEE 754 says: an infinity or NaN.
    ///
    /// # Panics
    /// If the shapes have no common one.
    #[track_caller]
    pub fn div(&self, a: &TensorValue<E>, b: &TensorValue<E>) -> TensorValue<E> {
        let [a, b] = self.broadcast_both("div", a, b);
        let mut y = self.copy(a.data());
        y.iter_mut().zip(b.data()).for_each(|(y, &b)| *y = *y / b);
        let y = a.tensor().same_shape(y);
        let (to_a, divisor, quotient) = (a.place(), b.clone(), y.clone());
        self.record("div", &[&a, &b], y, move |mut gradient, flow| {
            gradient.iter_mut().zip(divisor.data()).for_each(|(g, &b)| *g = *g / b);
            flow.accumulate(divisor.place(), gradient.len(), |_, sum| {
                let terms = gradient.iter().zip(quotient.data()); // dy / b, and y
                sum.iter_mut().zip(terms).for_each(|(sum, (&g, &y))| *sum = *sum - g * y);
            });
            flow.add(to_a, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn six_by_three_has_the_slopes_a_third_and_minus_two_thirds() {
        let context = AutogradContext::recording();
        let [a, b] = [6.0, 3.0].map(|x| context.variable(&Tensor::scalar(x)));
        let y = context.div(&a, &b);
        assert_eq!(y.tensor().item(), 2.0);
        let gradients = context.backward(&y).unwrap();
        assert_eq!(gradients.of(&a).unwrap().item(), 1.0 / 3.0);
        assert_eq!(gradients.of(&b).unwrap().item(), -2.0 / 3.0); // -6 / 3^2
    }

    #[test]
    fn a_zero_divides_to_infinity_and_not_to_a_panic() {
        let context = AutogradContext::no_grad();
        let [one, zero] = [1.0, 0.0].map(|x| context.constant(&Tensor::scalar(x)));
        assert_eq!(context.div(&one, &zero).tensor().item(), f64::INFINITY);
        assert!(context.div(&zero, &zero).tensor().item().is_nan());
    }
}
