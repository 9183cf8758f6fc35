//! Multiplication by a number: `y = factor x`, `dx = factor dy`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `factor * x`, any shape.
    #[track_caller]
    pub fn scale(&self, x: &TensorValue<E>, factor: E) -> TensorValue<E> {
        let mut y = self.copy(x.data());
        self.kernels().multiply(&mut y, factor);
        let to_x = x.place();
        self.record("scale", &[x], x.tensor().same_shape(y), move |mut gradient, flow| {
            flow.kernels.multiply(&mut gradient, factor);
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
        let check = gradient_check(&[wavy(&[2, 3], 0.1)], 1e-5, |c, x| {
            let y = c.scale(&x[0], -2.5);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
