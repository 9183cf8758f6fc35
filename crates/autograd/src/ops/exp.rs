//! The exponential: `y = exp(x)`, `dx = dy y`.

use crate::kernels::ExpSlice;
use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `exp(x)`, element by element, any shape; 0 and infinity where the result leaves the range of
    /// the element type.
    #[track_caller]
    pub fn exp(&self, x: &TensorValue<E>) -> TensorValue<E> {
        let mut y = self.copy(x.data());
        E::run_exp(self.kernels(), ExpSlice(&mut y));
        self.pointwise("exp", x, y, |_, y| y)
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn the_exponential_is_its_own_slope() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[3], vec![0.0, 1.0, -800.0]));
        let y = context.exp(&x);
        assert_eq!(y.data(), [1.0, std::f64::consts::E, 0.0]);
        let gradients = context.backward(&context.sum(&y)).unwrap();
        assert_eq!(gradients.of(&x).unwrap().data(), y.data());
    }
}
