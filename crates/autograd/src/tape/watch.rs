//! The walk back, watched step by step.
//!
//! Watching is an argument of the walk: an ordinary backward pass keeps no trace and copies nothing.

use super::{AutogradContext, Gradients, Node, TensorValue};
use crate::memory::Buffer;
use crate::{AutogradError, Element};

/// One step of the walk back: a node whose gradient is complete passes it on to its parents.
#[derive(Clone, Debug, PartialEq)]
pub struct BackwardStep<E> {
    /// Index of the node, as in [`AutogradContext::nodes`].
    pub node: usize,
    /// Name of its operation; `"variable"` for a leaf, where the walk ends.
    pub operation: &'static str,
    /// The complete gradient of the node's value, row-major.
    pub gradient: Vec<E>,
    /// Each of its parents once, with the gradient that it has after this step: the sum of what it
    /// was passed so far.
    pub parents: Vec<(usize, Vec<E>)>,
}

/// Who watches a walk back, if anybody.
pub(super) type Watch<'a, E> = Option<&'a mut dyn FnMut(BackwardStep<E>)>;

impl<E: Element> AutogradContext<E> {
    /// Like [`backward`](Self::backward), and calls `watch` after every step, from the output to
    /// the leaves. Nodes that the output does not depend on are passed over.
    ///
    /// # Errors
    /// As `backward`; then nothing was watched.
    ///
    /// # Example
    /// ```
    /// use llm_autograd::{AutogradContext, Tensor};
    /// let context = AutogradContext::recording();
    /// let x = context.variable(&Tensor::scalar(3.0)); // node 0
    /// let y = context.add(&x, &context.mul(&x, &x)); // nodes 2 and 1: y = x + x x
    /// let mut lines = Vec::new();
    /// context.backward_watched(&y, |step| {
    ///     lines.push(format!("{} {} {:?}", step.node, step.operation, step.gradient));
    /// })?;
    /// assert_eq!(lines, ["2 add [1.0]", "1 mul [1.0]", "0 variable [7.0]"]); // 1 + 2 * 3
    /// # Ok::<(), llm_autograd::AutogradError>(())
    /// ```
    pub fn backward_watched(
        &self,
        output: &TensorValue<E>,
        mut watch: impl FnMut(BackwardStep<E>),
    ) -> Result<Gradients<E>, AutogradError> {
        let (tape, gradients, _) = self.walk_back(output, &mut [], Some(&mut watch))?;
        Ok(Gradients { tape, gradients })
    }
}

impl<E: Element> BackwardStep<E> {
    /// The step of a node that is about to pass its gradient on; `None` if it has none.
    pub(super) fn begin(
        index: usize,
        node: &Node<E>,
        gradients: &[Option<Buffer<E>>],
    ) -> Option<Self> {
        let gradient = gradients[index].as_ref()?.to_vec();
        let mut parents = node.parents.clone();
        parents.sort_unstable();
        parents.dedup();
        let parents = parents.into_iter().map(|parent| (parent, Vec::new())).collect();
        Some(Self { node: index, operation: node.operation, gradient, parents })
    }

    /// Notes what the parents have now.
    pub(super) fn finish(mut self, gradients: &[Option<Buffer<E>>]) -> Self {
        for (parent, gradient) in &mut self.parents {
            *gradient = gradients[*parent].as_deref().map(<[E]>::to_vec).unwrap_or_default();
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::BackwardStep;
    use crate::{AutogradContext, AutogradError, Tensor};

    #[test]
    fn a_product_and_a_sum_are_walked_as_by_hand() {
        // z = a b + a at a = 2, b = 3: dz/dz = 1, dz/d(ab) = 1, dz/da = 1 + b, dz/db = a.
        let context = AutogradContext::recording();
        let [a, b] = [2.0, 3.0].map(|x| context.variable(&Tensor::scalar(x)));
        let unused = context.mul(&b, &b);
        let product = context.mul(&a, &b);
        let z = context.add(&product, &a);
        let mut steps = Vec::new();
        let gradients = context.backward_watched(&z, |step| steps.push(step)).unwrap();
        let step = |node, operation, gradient, parents: &[(usize, f64)]| BackwardStep {
            node,
            operation,
            gradient: vec![gradient],
            parents: parents.iter().map(|&(parent, g)| (parent, vec![g])).collect(),
        };
        let expected = [
            step(4, "add", 1.0, &[(0, 1.0), (3, 1.0)]),
            step(3, "mul", 1.0, &[(0, 4.0), (1, 2.0)]),
            step(1, "variable", 2.0, &[]),
            step(0, "variable", 4.0, &[]),
        ];
        assert_eq!(steps, expected);
        assert_eq!(gradients.of(&a).unwrap().item(), 4.0);
        assert!(gradients.of(&unused).is_none());
    }

    #[test]
    fn a_consumed_tape_is_refused_before_anything_is_watched() {
        let context = AutogradContext::recording();
        let x = context.variable(&Tensor::scalar(3.0));
        let y = context.mul(&x, &x);
        assert_eq!(context.recorded_nodes(), 2);
        context.backward(&y).unwrap();
        assert_eq!(context.recorded_nodes(), 0);
        let again = context.backward_watched(&y, |step| panic!("{step:?}"));
        assert_eq!(again.unwrap_err(), AutogradError::TapeConsumed);
    }
}
