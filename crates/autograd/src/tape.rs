//! The tape: operations in the order they happened, and the walk back over them.

mod flow;
mod watch;

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::memory::Buffer;
use crate::{AutogradError, Element, Kernels, Memory, Tensor};

pub(crate) use flow::GradientFlow;
pub use watch::BackwardStep;
use watch::Watch;

/// Computes operations, and records them if it was made by [`recording`](Self::recording).
///
/// A value that depends on no [`variable`](Self::variable) is never recorded, and a context made by
/// [`no_grad`](Self::no_grad) records nothing, so its values are freed as soon as they are dropped.
/// Values belong to the context that made them.
///
/// ```
/// use llm_autograd::{AutogradContext, Tensor};
/// let context = AutogradContext::recording();
/// let x = context.variable(&Tensor::scalar(3.0));
/// let y = context.mul(&x, &x);
/// let gradients = context.backward(&y)?;
/// assert_eq!(gradients.of(&x).map(|g| g.item()), Some(6.0)); // d(x x)/dx = 2x
/// # Ok::<(), llm_autograd::AutogradError>(())
/// ```
pub struct AutogradContext<E> {
    kernels: Kernels,
    memory: Option<Memory<E>>,
    tape: Option<RefCell<Tape<E>>>,
}

/// A tensor and, when it was recorded, its place on the tape.
#[derive(Clone, Debug)]
pub struct TensorValue<E> {
    tensor: Tensor<E>,
    place: Option<Place>,
}

/// Which node of which tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    tape: u64,
    node: usize,
}

struct Tape<E> {
    id: u64,
    nodes: Vec<Node<E>>,
    consumed: bool,
}

struct Node<E> {
    operation: &'static str,
    parents: Vec<usize>,
    /// Where a leaf's gradient is kept by the caller.
    slot: Option<usize>,
    backward: Option<Backward<E>>,
}

/// Takes the gradient of a node's value and adds to those of its parents.
type Backward<E> = Box<dyn FnOnce(Buffer<E>, &mut GradientFlow<'_, E>)>;

/// One line of the tape, for reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedNode {
    /// Name of the operation; `"variable"` for a leaf.
    pub operation: &'static str,
    /// Indices of the nodes it was computed from.
    pub parents: Vec<usize>,
}

impl<E: Element> AutogradContext<E> {
    /// Records operations on variables, with the default kernels.
    pub fn recording() -> Self {
        Self::recording_with(Kernels::detect())
    }

    /// Records nothing, with the default kernels.
    pub fn no_grad() -> Self {
        Self::no_grad_with(Kernels::detect())
    }

    /// Records operations on variables.
    pub fn recording_with(kernels: Kernels) -> Self {
        // The number only tells tapes apart; no result depends on it.
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Self {
            kernels,
            memory: None,
            tape: Some(RefCell::new(Tape { id, nodes: Vec::new(), consumed: false })),
        }
    }

    /// Records nothing.
    pub fn no_grad_with(kernels: Kernels) -> Self {
        Self { kernels, memory: None, tape: None }
    }

    /// Takes large arrays from `memory`, and leaves them there.
    pub fn with_memory(self, memory: &Memory<E>) -> Self {
        Self { memory: Some(memory.clone()), ..self }
    }

    /// Runs a computation that records nothing, with the same kernels and memory, as
    /// [`Kernels::on_pool`] does.
    pub fn no_grad_on_pool<R: Send>(
        &self,
        multiply_adds: usize,
        computation: impl FnOnce(&Self) -> R + Send,
    ) -> R {
        let (kernels, memory) = (self.kernels, self.memory.clone());
        kernels.on_pool(multiply_adds, || computation(&Self { kernels, memory, tape: None }))
    }

    /// An array of any contents, to be overwritten.
    pub(crate) fn buffer(&self, len: usize) -> Buffer<E> {
        Buffer::any(self.memory.as_ref(), len)
    }

    /// An array with the elements of another.
    pub(crate) fn copy(&self, elements: &[E]) -> Buffer<E> {
        flow::copy(self.kernels, self.memory.as_ref(), elements)
    }

    /// The kernels in use.
    pub fn kernels(&self) -> Kernels {
        self.kernels
    }

    /// Whether operations on variables are recorded.
    pub fn is_recording(&self) -> bool {
        self.tape.is_some()
    }

    /// Number of nodes on the tape, leaves included; 0 after a backward pass.
    pub fn recorded_nodes(&self) -> usize {
        self.tape.as_ref().map_or(0, |tape| tape.borrow().nodes.len())
    }

    /// The tape so far, for reading.
    pub fn nodes(&self) -> Vec<RecordedNode> {
        let Some(tape) = &self.tape else { return Vec::new() };
        let describe = |node: &Node<E>| RecordedNode {
            operation: node.operation,
            parents: node.parents.clone(),
        };
        tape.borrow().nodes.iter().map(describe).collect()
    }

    /// A value that needs no gradient.
    pub fn constant(&self, tensor: &Tensor<E>) -> TensorValue<E> {
        TensorValue { tensor: tensor.clone(), place: None }
    }

    /// A leaf whose gradient [`backward`](Self::backward) returns.
    pub fn variable(&self, tensor: &Tensor<E>) -> TensorValue<E> {
        self.leaf(tensor, None)
    }

    /// A leaf whose gradient [`backward_onto`](Self::backward_onto) continues in accumulator `slot`.
    pub fn parameter(&self, slot: usize, tensor: &Tensor<E>) -> TensorValue<E> {
        self.leaf(tensor, Some(slot))
    }

    fn leaf(&self, tensor: &Tensor<E>, slot: Option<usize>) -> TensorValue<E> {
        let node = Node { operation: "variable", parents: Vec::new(), slot, backward: None };
        TensorValue { tensor: tensor.clone(), place: self.push(node) }
    }

    fn push(&self, node: Node<E>) -> Option<Place> {
        let mut tape = self.tape.as_ref()?.borrow_mut();
        tape.nodes.push(node);
        Some(Place { tape: tape.id, node: tape.nodes.len() - 1 })
    }

    /// Makes the value of an operation, recorded if a parent is. `backward` gets the gradient of
    /// the value and passes gradients on to the parents.
    #[track_caller]
    pub(crate) fn record(
        &self,
        operation: &'static str,
        parents: &[&TensorValue<E>],
        tensor: Tensor<E>,
        backward: impl FnOnce(Buffer<E>, &mut GradientFlow<'_, E>) + 'static,
    ) -> TensorValue<E> {
        let Some(tape) = &self.tape else { return TensorValue { tensor, place: None } };
        let own = tape.borrow().id;
        let node = |place: Place| {
            assert!(place.tape == own, "{operation}: a value of another tape");
            place.node
        };
        let parents: Vec<usize> =
            parents.iter().filter_map(|parent| parent.place.map(node)).collect();
        if parents.is_empty() {
            return TensorValue { tensor, place: None };
        }
        let backward: Backward<E> = Box::new(backward);
        let place = self.push(Node { operation, parents, slot: None, backward: Some(backward) });
        TensorValue { tensor, place }
    }

    /// Gradients of a scalar with respect to all [`variable`](Self::variable)s. Consumes the tape.
    ///
    /// # Errors
    /// [`AutogradError::NotRecorded`], [`AutogradError::NotScalar`], [`AutogradError::TapeConsumed`].
    pub fn backward(&self, output: &TensorValue<E>) -> Result<Gradients<E>, AutogradError> {
        let (id, gradients, _) = self.walk_back(output, &mut [], None)?;
        Ok(Gradients { tape: id, gradients })
    }

    /// Like [`backward`](Self::backward), but every [`parameter`](Self::parameter)'s gradient is
    /// added to `accumulators[slot]`: an accumulator that holds a gradient already is continued,
    /// element by element in the same chain, and an empty one starts at zero.
    ///
    /// # Errors
    /// As `backward`; then the accumulators are unchanged.
    pub fn backward_onto(
        &self,
        output: &TensorValue<E>,
        accumulators: &mut [Option<Buffer<E>>],
    ) -> Result<(), AutogradError> {
        let (_, mut gradients, leaves) = self.walk_back(output, accumulators, None)?;
        for (node, slot) in leaves {
            if let Some(gradient) = gradients[node].take() {
                accumulators[slot] = Some(gradient);
            }
        }
        Ok(())
    }

    #[expect(clippy::type_complexity, reason = "private; its two callers name the parts")]
    fn walk_back(
        &self,
        output: &TensorValue<E>,
        accumulators: &mut [Option<Buffer<E>>],
        mut watch: Watch<'_, E>,
    ) -> Result<(u64, Vec<Option<Buffer<E>>>, Vec<(usize, usize)>), AutogradError> {
        let (Some(tape), Some(place)) = (&self.tape, output.place) else {
            return Err(AutogradError::NotRecorded);
        };
        if output.tensor.len() != 1 {
            return Err(AutogradError::NotScalar { shape: output.tensor.shape().to_vec() });
        }
        let mut tape = tape.borrow_mut();
        if tape.consumed {
            return Err(AutogradError::TapeConsumed);
        }
        assert!(place.tape == tape.id, "backward: a value of another tape");
        tape.consumed = true;
        let id = tape.id;
        let mut nodes = std::mem::take(&mut tape.nodes);
        drop(tape);

        let mut gradients: Vec<Option<Buffer<E>>> = nodes.iter().map(|_| None).collect();
        let leaf = |(node, n): (usize, &Node<E>)| n.slot.map(|slot| (node, slot));
        let leaves: Vec<_> = nodes.iter().enumerate().filter_map(leaf).collect();
        for &(node, slot) in &leaves {
            gradients[node] = accumulators.get_mut(slot).and_then(Option::take);
        }
        gradients[place.node] = Some(vec![E::ONE].into());
        // Popping frees what a node saved as soon as it has been used.
        while let Some(node) = nodes.pop() {
            let index = nodes.len();
            let step = watch.as_ref().and_then(|_| BackwardStep::begin(index, &node, &gradients));
            if let Some(backward) = node.backward
                && let Some(gradient) = gradients[index].take()
            {
                backward(
                    gradient,
                    &mut GradientFlow {
                        kernels: self.kernels,
                        memory: self.memory.as_ref(),
                        gradients: &mut gradients,
                    },
                );
            }
            if let (Some(watch), Some(step)) = (&mut watch, step) {
                watch(step.finish(&gradients));
            }
        }
        Ok((id, gradients, leaves))
    }
}

impl<E: Element> TensorValue<E> {
    /// The numbers.
    pub fn tensor(&self) -> &Tensor<E> {
        &self.tensor
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        self.tensor.shape()
    }

    /// All elements, row-major.
    pub fn data(&self) -> &[E] {
        self.tensor.data()
    }

    /// Whether this value was recorded, so that a gradient can flow back through it.
    pub fn tracks_gradient(&self) -> bool {
        self.place.is_some()
    }

    /// Its node on the tape, as an index into [`AutogradContext::nodes`].
    pub fn node(&self) -> Option<usize> {
        self.place.map(|place| place.node)
    }

    pub(crate) fn place(&self) -> Option<Place> {
        self.place
    }
}

/// Gradients of the variables of one tape.
#[derive(Debug)]
pub struct Gradients<E> {
    tape: u64,
    gradients: Vec<Option<Buffer<E>>>,
}

impl<E: Element> Gradients<E> {
    /// The gradient of a variable, in the variable's shape; `None` if the output does not depend
    /// on it or if it is no variable of this tape.
    pub fn of(&self, variable: &TensorValue<E>) -> Option<Tensor<E>> {
        let place = variable.place.filter(|place| place.tape == self.tape)?;
        let gradient = self.gradients.get(place.node)?.as_ref()?;
        Some(variable.tensor.same_shape(gradient.to_vec().into()))
    }
}
