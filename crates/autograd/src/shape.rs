//! Shapes, and the one place where they are compared.

use std::fmt;
use std::ops::Deref;

/// Most axes of a tensor.
pub const MAX_RANK: usize = 4;

/// The lengths of a tensor's axes, outermost first; `[]` is the shape of a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Shape {
    axes: [usize; MAX_RANK],
    rank: usize,
}

impl Shape {
    /// Panics if there are more than [`MAX_RANK`] axes.
    #[track_caller]
    pub fn new(axes: &[usize]) -> Self {
        assert!(axes.len() <= MAX_RANK, "shape {axes:?} has more than {MAX_RANK} axes");
        let mut shape = Self { axes: [0; MAX_RANK], rank: axes.len() };
        shape.axes[..axes.len()].copy_from_slice(axes);
        shape
    }

    /// Number of elements: the product of the axes.
    pub fn len(&self) -> usize {
        self.iter().product()
    }

    /// Whether an axis is zero.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The shape as a matrix: `[rows, columns]`. Panics unless there are two axes.
    #[track_caller]
    pub(crate) fn matrix(&self, op: &str, argument: &str) -> [usize; 2] {
        match **self {
            [rows, columns] => [rows, columns],
            _ => panic!("{op}: `{argument}` has shape {self:?}, expected a matrix"),
        }
    }
}

impl Deref for Shape {
    type Target = [usize];
    fn deref(&self) -> &[usize] {
        &self.axes[..self.rank]
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.deref().fmt(f)
    }
}

/// How far apart two neighbours along each axis of a row-major array are.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    (0..shape.len()).map(|axis| shape[axis + 1..].iter().product()).collect()
}

/// The place of every element of an array of shape `lengths` in another array, in row-major order,
/// when a step along axis k is `strides[k]` places there; 0 stays where it is, which repeats.
pub(crate) fn places(lengths: &[usize], strides: &[usize]) -> Vec<usize> {
    let mut places = vec![0];
    for (&length, &stride) in lengths.iter().zip(strides) {
        let along = |&place: &usize| (0..length).map(move |i| place + i * stride);
        places = places.iter().flat_map(along).collect();
    }
    places
}

/// Panics unless the argument has the expected shape: a mismatch between layers is a bug in the
/// calling code, and the message names the operation and both shapes.
#[track_caller]
pub(crate) fn expect(op: &str, argument: &str, got: &[usize], want: &[usize]) {
    assert!(got == want, "{op}: `{argument}` has shape {got:?}, expected {want:?}");
}
