//! Two axes change places: `y[j, i] = x[i, j]`, and the gradient is transposed back.

use crate::shape::{places, strides};
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `x` with two of its axes exchanged; `transpose(x, 0, 1)` is the transpose of a matrix.
    ///
    /// # Panics
    /// If `x` has no such axis.
    #[track_caller]
    pub fn transpose(&self, x: &TensorValue<E>, first: usize, second: usize) -> TensorValue<E> {
        let (mut shape, mut steps) = (x.shape().to_vec(), strides(x.shape()));
        let inside = first.max(second) < shape.len();
        assert!(inside, "transpose: no axes {first} and {second} in shape {shape:?}");
        shape.swap(first, second);
        steps.swap(first, second);
        let sources = places(&shape, &steps);
        let y = sources.iter().map(|&source| x.data()[source]).collect();
        let to_x = x.place();
        self.record("transpose", &[x], Tensor::new(&shape, y), move |gradient, flow| {
            let mut back = flow.buffer(sources.len());
            sources.iter().zip(&*gradient).for_each(|(&source, &g)| back[source] = g);
            flow.add(to_x, back);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn rows_become_columns() {
        let context = AutogradContext::no_grad();
        let x = context.constant(&Tensor::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
        let y = context.transpose(&x, 0, 1);
        assert_eq!(y.shape(), [3, 2]);
        assert_eq!(y.data(), [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    }

    #[test]
    fn heads_and_tokens_change_places_and_features_stay_together() {
        let context = AutogradContext::no_grad();
        let numbers: Vec<f64> = (0..8).map(f64::from).collect();
        let x = context.constant(&Tensor::new(&[1, 2, 2, 2], numbers)); // [B, T, H, D]
        let y = context.transpose(&x, 1, 2); // [B, H, T, D]
        assert_eq!(y.data(), [0.0, 1.0, 4.0, 5.0, 2.0, 3.0, 6.0, 7.0]);
    }
}
