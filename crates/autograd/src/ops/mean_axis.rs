//! The mean along one axis: `y[i] = (sum over j of x[i, j]) / n`, `dx[i, j] = dy[i] / n`.

use super::broadcast::copies;
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The means along `axis`, which stays with length 1 as in [`sum_axis`](Self::sum_axis); NaN
    /// along an axis of length 0.
    ///
    /// # Panics
    /// If `x` has no such axis.
    #[track_caller]
    pub fn mean_axis(&self, x: &TensorValue<E>, axis: usize) -> TensorValue<E> {
        assert!(axis < x.shape().len(), "mean_axis: no axis {axis} in shape {:?}", x.shape());
        let mut shape = x.shape().to_vec();
        let n = E::from_f64(shape[axis] as f64);
        shape[axis] = 1;
        let copies = copies("mean_axis", &shape, x.shape());
        let mut means = vec![E::ZERO; shape.iter().product()];
        copies.iter().zip(x.data()).for_each(|(&mean, &x)| means[mean] += x);
        means.iter_mut().for_each(|mean| *mean = *mean / n);
        let to_x = x.place();
        self.record("mean_axis", &[x], Tensor::new(&shape, means), move |gradient, flow| {
            let mut all = flow.buffer(copies.len());
            all.iter_mut().zip(&copies).for_each(|(g, &mean)| *g = gradient[mean] / n);
            flow.add(to_x, all);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn every_element_of_a_mean_of_four_has_the_slope_of_a_quarter() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[1, 4], vec![1.0, 2.0, 3.0, 10.0]));
        let y = context.mean_axis(&x, 1);
        assert_eq!((y.shape(), y.data()), (&[1, 1][..], &[4.0][..]));
        let gradients = context.backward(&y).unwrap();
        assert_eq!(gradients.of(&x).unwrap().data(), [0.25; 4]);
    }
}
