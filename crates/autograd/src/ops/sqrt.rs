//! The square root: `y = sqrt x`, `dx = dy / (2 y)`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The square root, element by element, any shape; NaN below 0, and an infinite slope at 0.
    #[track_caller]
    pub fn sqrt(&self, x: &TensorValue<E>) -> TensorValue<E> {
        let mut y = self.copy(x.data());
        y.iter_mut().for_each(|y| *y = y.sqrt());
        self.pointwise("sqrt", x, y, |_, y| E::HALF / y)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn the_slope_at_sixteen_is_an_eighth_and_at_zero_infinite() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[2], vec![16.0, 0.0]));
        let y = context.sqrt(&x);
        assert_eq!(y.data(), [4.0, 0.0]);
        let gradients = context.backward(&context.sum(&y)).unwrap();
        assert_eq!(gradients.of(&x).unwrap().data(), [0.125, f64::INFINITY]);
    }
}
