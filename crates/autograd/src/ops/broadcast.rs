//! Broadcasting: a value is repeated along the axes that it lacks, or has with length 1.
//!
//! Shapes are compared from the last axis backwards, as in NumPy: a row `[3]` becomes the matrix
//! `[2, 3]` by `y[i, j] = x[j]`, a column `[2, 1]` by `y[i, j] = x[i, 0]`. An element that is used
//! several times gets the sum of its copies' gradients: `dx[j] = sum over i of dy[i, j]`.

use crate::shape::{MAX_RANK, Shape, places, strides};
use crate::{AutogradContext, Element, Tensor, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `x`, repeated to `shape`.
    ///
    /// # Gradient
    /// Copies are added in the order of `shape`'s elements, continuing what is there.
    ///
    /// # Panics
    /// If an axis of `x` has neither length 1 nor that of `shape`, or if `x` has more axes.
    ///
    /// # Example
    /// ```
    /// use llm_autograd::{AutogradContext, Tensor};
    /// let context = AutogradContext::recording();
    /// let row = context.variable(&Tensor::new(&[2], vec![5.0, 7.0]));
    /// let y = context.broadcast_to(&row, &[3, 2]);
    /// assert_eq!(y.data(), [5.0, 7.0, 5.0, 7.0, 5.0, 7.0]);
    /// let gradients = context.backward(&context.sum(&y))?;
    /// assert_eq!(gradients.of(&row).unwrap().data(), [3.0, 3.0]); // three copies each
    /// # Ok::<(), llm_autograd::AutogradError>(())
    /// ```
    #[track_caller]
    pub fn broadcast_to(&self, x: &TensorValue<E>, shape: &[usize]) -> TensorValue<E> {
        let copies = copies("broadcast", x.shape(), shape);
        let mut y = self.buffer(copies.len());
        y.iter_mut().zip(&copies).for_each(|(y, &source)| *y = x.data()[source]);
        let (to_x, len) = (x.place(), x.data().len());
        let y = Tensor::from_buffer(shape, y);
        self.record("broadcast", &[x], y, move |gradient, flow| {
            flow.accumulate(to_x, len, |_, sums| {
                copies.iter().zip(&*gradient).for_each(|(&source, &g)| sums[source] += g);
            });
        })
    }

    /// Both operands of an operation in their common shape; as they are if they agree already.
    #[track_caller]
    pub(crate) fn broadcast_both(
        &self,
        op: &str,
        a: &TensorValue<E>,
        b: &TensorValue<E>,
    ) -> [TensorValue<E>; 2] {
        if a.shape() == b.shape() {
            return [a.clone(), b.clone()];
        }
        let shape = common_shape(op, a.shape(), b.shape());
        let repeat = |x: &TensorValue<E>| match x.shape() == &*shape {
            true => x.clone(),
            false => self.broadcast_to(x, &shape),
        };
        [repeat(a), repeat(b)]
    }
}

/// For every element of `shape`, the element of an array of shape `from` that it is a copy of.
#[track_caller]
pub(super) fn copies(op: &str, from: &[usize], shape: &[usize]) -> Vec<usize> {
    let lacking = shape.len().checked_sub(from.len());
    let fits =
        |lacking: &usize| from.iter().zip(&shape[*lacking..]).all(|(&f, &s)| f == s || f == 1);
    let Some(lacking) = lacking.filter(fits) else {
        panic!("{op}: `x` has shape {from:?}, which cannot be repeated to {shape:?}");
    };
    let along = |(&length, stride)| if length == 1 { 0 } else { stride };
    let mut steps = vec![0; lacking];
    steps.extend(from.iter().zip(strides(from)).map(along));
    places(shape, &steps)
}

/// The shape to which both can be repeated.
#[track_caller]
fn common_shape(op: &str, a: &[usize], b: &[usize]) -> Shape {
    let rank = a.len().max(b.len());
    let mut common = [1; MAX_RANK];
    for back in 1..=rank {
        let length = |shape: &[usize]| shape.len().checked_sub(back).map_or(1, |axis| shape[axis]);
        common[rank - back] = match (length(a), length(b)) {
            (a, b) if a == b => a,
            (1, other) | (other, 1) => other,
            _ => panic!(
                "{op}: `b` has shape {b:?}, expected {a:?} or one that broadcasts with it: from the \
                 last axis backwards, lengths are equal or one of them is 1"
            ),
        };
    }
    Shape::new(&common[..rank])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, TensorValue};

    fn of(context: &AutogradContext<f64>, shape: &[usize], data: &[f64]) -> TensorValue<f64> {
        context.constant(&Tensor::new(shape, data.to_vec()))
    }

    #[test]
    fn rows_columns_and_scalars_are_repeated_to_the_common_shape() {
        let c = AutogradContext::no_grad();
        let matrix = of(&c, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let row = of(&c, &[3], &[10.0, 20.0, 30.0]);
        let column = of(&c, &[2, 1], &[100.0, 200.0]);
        let scalar = of(&c, &[], &[0.5]);
        assert_eq!(c.add(&matrix, &row).data(), [11.0, 22.0, 33.0, 14.0, 25.0, 36.0]);
        assert_eq!(c.sub(&column, &matrix).data(), [99.0, 98.0, 97.0, 196.0, 195.0, 194.0]);
        assert_eq!(c.mul(&scalar, &row).data(), [5.0, 10.0, 15.0]);
        // Neither has the common shape: 100 / 10, 100 / 20, ... , 200 / 30.
        let quotients = c.div(&column, &row);
        assert_eq!(quotients.shape(), [2, 3]);
        assert_eq!(quotients.data()[..2], [10.0, 5.0]);
        assert_eq!(quotients.data()[3..5], [20.0, 10.0]);
    }

    #[test]
    fn an_axis_in_the_middle_is_repeated_in_its_place() {
        let c = AutogradContext::no_grad();
        let x = of(&c, &[2, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
        let y = c.broadcast_to(&x, &[2, 2, 2]);
        assert_eq!(y.data(), [1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 3.0, 4.0]);
    }

    #[test]
    fn equal_shapes_record_no_copy() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::new(&[2], vec![1.0, 2.0]));
        context.add(&x, &x);
        assert_eq!(context.recorded_nodes(), 2);
        context.add(&x, &context.constant(&Tensor::new(&[3, 1], vec![1.0; 3])));
        let names: Vec<_> = context.nodes().iter().map(|node| node.operation).collect();
        assert_eq!(names, ["variable", "add", "broadcast", "add"]);
    }

    #[test]
    #[should_panic(expected = "div: `b` has shape [2], expected [2, 3] or one that broadcasts")]
    fn lengths_that_do_not_fit_are_named() {
        let context = AutogradContext::<f64>::no_grad();
        let matrix = of(&context, &[2, 3], &[0.0; 6]);
        context.div(&matrix, &of(&context, &[2], &[1.0; 2]));
    }

    #[test]
    #[should_panic(expected = "`x` has shape [2, 3], which cannot be repeated to [3]")]
    fn a_value_is_never_made_smaller() {
        let context = AutogradContext::<f64>::no_grad();
        context.broadcast_to(&of(&context, &[2, 3], &[0.0; 6]), &[3]);
    }

    /// A shape of three axes with lengths 1 to 3, and one that broadcasts to it.
    fn shapes() -> impl Strategy<Value = (Vec<usize>, Vec<usize>)> {
        let axes = proptest::collection::vec((1..=3usize, any::<bool>()), 3);
        (axes, 0..=3usize).prop_map(|(axes, lacking)| {
            let shape = axes.iter().map(|&(length, _)| length).collect();
            let repeated = |&(length, repeat): &(usize, bool)| if repeat { 1 } else { length };
            (shape, axes.iter().skip(lacking).map(repeated).collect())
        })
    }

    proptest! {
        /// By the definition: y[i, j, k] = x[.., j or 0, k or 0], and the gradient is how often each
        /// element of x was read.
        #[test]
        fn broadcasting_reads_by_the_definition((shape, from) in shapes()) {
            let context = AutogradContext::recording();
            let x = wavy(&from, 0.3);
            let variable = context.variable(&x);
            let y = context.broadcast_to(&variable, &shape);
            let mut read = vec![0.0; x.len()];
            let mut expected = Vec::new();
            for i in 0..shape[0] {
                for j in 0..shape[1] {
                    for k in 0..shape[2] {
                        let mut place = 0;
                        let indices = [i, j, k];
                        for (&length, &index) in from.iter().zip(&indices[3 - from.len()..]) {
                            place = place * length + if length == 1 { 0 } else { index };
                        }
                        read[place] += 1.0;
                        expected.push(x.data()[place]);
                    }
                }
            }
            prop_assert_eq!(y.data(), expected);
            let gradients = context.backward(&context.sum(&y)).unwrap();
            let gradient = gradients.of(&variable).unwrap();
            prop_assert_eq!(gradient.data(), read);
        }

        #[test]
        fn transposing_twice_and_reshaping_back_change_nothing(
            (shape, _) in shapes(), first in 0..3usize, second in 0..3usize,
        ) {
            let context = AutogradContext::no_grad();
            let x = context.constant(&wavy(&shape, 0.3));
            let twice = context.transpose(&context.transpose(&x, first, second), second, first);
            prop_assert_eq!(twice.tensor(), x.tensor());
            let flat = context.reshape(&x, &[shape.iter().product()]);
            let back = context.reshape(&flat, &shape);
            prop_assert_eq!(back.tensor(), x.tensor());
        }
    }
}
