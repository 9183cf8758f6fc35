//! The hyperbolic tangent: `y = tanh x`, `dx = dy (1 - y^2)`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `tanh x`, element by element, any shape: between -1 and 1, steepest at 0.
    #[track_caller]
    pub fn tanh(&self, x: &TensorValue<E>) -> TensorValue<E> {
        self.pointwise("tanh", x, self.map(x, libm::tanh), |_, y| E::ONE - y * y)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn a_saturated_unit_passes_no_gradient() {
        let context = AutogradContext::recording();
        let half = 0.5 * 3f64.ln(); // tanh of it is (3 - 1) / (3 + 1)
        let x = context.variable(&Tensor::new(&[3], vec![0.0, half, 30.0]));
        let y = context.tanh(&x);
        assert!((y.data()[1] - 0.5).abs() < 1e-15);
        let gradients = context.backward(&context.sum(&y)).unwrap();
        let gradient = gradients.of(&x).unwrap();
        assert_eq!([gradient.data()[0], gradient.data()[2]], [1.0, 0.0]);
        assert!((gradient.data()[1] - 0.75).abs() < 1e-15);
    }
}
