//! The sum of all elements: `y = sum x`, `dx = dy` everywhere.

use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The sum of all elements, first to last, as a scalar.
    #[track_caller]
    pub fn sum(&self, x: &TensorValue<E>) -> TensorValue<E> {
        let total = x.data().iter().fold(E::ZERO, |sum, &x| sum + x);
        let (to_x, len) = (x.place(), x.data().len());
        self.record("sum", &[x], Tensor::scalar(total), move |gradient, flow| {
            let mut all = flow.buffer(len);
            all.fill(gradient[0]);
            flow.add(to_x, all);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn every_element_weighs_one() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[3], vec![1.0, 2.0, 4.0]));
        let y = context.sum(&x);
        assert_eq!(y.tensor().item(), 7.0);
        let gradient = context.backward(&y).unwrap().of(&x).unwrap();
        assert_eq!(gradient.data(), [1.0, 1.0, 1.0]);
    }
}
