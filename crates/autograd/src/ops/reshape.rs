//! Another shape for the same elements: nothing is computed, and the gradient keeps its order too.

use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `x` with another shape; the row-major order of the elements stays.
    ///
    /// # Panics
    /// If the shape has another number of elements.
    #[track_caller]
    pub fn reshape(&self, x: &TensorValue<E>, shape: &[usize]) -> TensorValue<E> {
        let to_x = x.place();
        self.record("reshape", &[x], x.tensor().reshaped(shape), move |gradient, flow| {
            flow.add(to_x, gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn elements_keep_their_order() {
        let context = AutogradContext::no_grad();
        let x = context.constant(&Tensor::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let y = context.reshape(&x, &[3, 2]);
        assert_eq!((y.shape(), y.data()), (&[3, 2][..], x.data()));
    }

    #[test]
    #[should_panic(expected = "reshape: `data` has shape [6], expected [8]")]
    fn elements_are_neither_lost_nor_made() {
        let context = AutogradContext::<f64>::no_grad();
        context.reshape(&context.constant(&Tensor::filled(&[2, 3], 0.0)), &[2, 4]);
    }
}
