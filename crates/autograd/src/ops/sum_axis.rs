//! The sum along one axis: `y[i] = sum over j of x[i, j]`, `dx[i, j] = dy[i]`.
//!
//! This is broadcasting read backwards: there a gradient is summed over copies, here it is copied.

use super::broadcast::copies;
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// The sums along `axis`, first to last. The axis stays with length 1, so that the result
    /// broadcasts with `x`; [`reshape`](Self::reshape) takes it away.
    ///
    /// # Panics
    /// If `x` has no such axis.
    ///
    /// # Example
    /// ```
    /// use llm_autograd::{AutogradContext, Tensor};
    /// let context = AutogradContext::no_grad();
    /// let x = context.constant(&Tensor::new(&[2, 2], vec![1.0, 3.0, 2.0, 6.0]));
    /// let sums = context.sum_axis(&x, 1);
    /// assert_eq!((sums.shape(), sums.data()), (&[2, 1][..], &[4.0, 8.0][..]));
    /// let shares = context.div(&x, &sums); // every row now sums to 1
    /// assert_eq!(shares.data(), [0.25, 0.75, 0.25, 0.75]);
    /// ```
    #[track_caller]
    pub fn sum_axis(&self, x: &TensorValue<E>, axis: usize) -> TensorValue<E> {
        assert!(axis < x.shape().len(), "sum_axis: no axis {axis} in shape {:?}", x.shape());
        let mut shape = x.shape().to_vec();
        shape[axis] = 1;
        let copies = copies("sum_axis", &shape, x.shape());
        let mut sums = vec![E::ZERO; shape.iter().product()];
        copies.iter().zip(x.data()).for_each(|(&sum, &x)| sums[sum] += x);
        let to_x = x.place();
        self.record("sum_axis", &[x], Tensor::new(&shape, sums), move |gradient, flow| {
            let mut all = flow.buffer(copies.len());
            all.iter_mut().zip(&copies).for_each(|(g, &sum)| *g = gradient[sum]);
            flow.add(to_x, all);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::{AutogradContext, Tensor};

    #[test]
    fn each_axis_of_a_block_is_summed_in_its_own_direction() {
        let context = AutogradContext::no_grad();
        let numbers: Vec<f64> = (1..=12).map(f64::from).collect();
        let x = context.constant(&Tensor::new(&[2, 3, 2], numbers));
        let sums = [0, 1, 2].map(|axis| context.sum_axis(&x, axis));
        assert_eq!(sums[0].shape(), [1, 3, 2]);
        assert_eq!(sums[0].data(), [8.0, 10.0, 12.0, 14.0, 16.0, 18.0]);
        assert_eq!(sums[1].data(), [9.0, 12.0, 27.0, 30.0]); // 1+3+5, 2+4+6, 7+9+11, 8+10+12
        assert_eq!(sums[2].data(), [3.0, 7.0, 11.0, 15.0, 19.0, 23.0]);
    }

    #[test]
    #[should_panic(expected = "sum_axis: no axis 2 in shape [2, 3]")]
    fn an_axis_that_is_not_there_is_named() {
        let context = AutogradContext::<f64>::no_grad();
        context.sum_axis(&context.constant(&Tensor::filled(&[2, 3], 0.0)), 2);
    }
}
