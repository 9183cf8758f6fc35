//! The natural logarithm: `y = ln x`, `dx = dy / x`.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `ln x`, element by element, any shape; minus infinity for 0 and NaN below it.
    #[track_caller]
    pub fn log(&self, x: &TensorValue<E>) -> TensorValue<E> {
        self.pointwise("log", x, self.map(x, libm::log), |x, _| E::ONE / x)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn the_slope_of_the_logarithm_is_the_reciprocal() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[2], vec![1.0, 4.0]));
        let y = context.log(&x);
        assert_eq!(y.data(), [0.0, 2.0 * std::f64::consts::LN_2]);
        let gradients = context.backward(&context.sum(&y)).unwrap();
        assert_eq!(gradients.of(&x).unwrap().data(), [1.0, 0.25]);
    }

    #[test]
    fn zero_and_less_have_no_finite_logarithm() {
        let context = AutogradContext::no_grad();
        let y = context.log(&context.constant(&Tensor::new(&[2], vec![0.0_f32, -1.0])));
        assert_eq!(y.data()[0], f32::NEG_INFINITY);
        assert!(y.data()[1].is_nan());
    }
}
