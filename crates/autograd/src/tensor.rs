//! An immutable array of numbers with a shape.

use std::sync::Arc;

use crate::Element;
use crate::memory::Buffer;
use crate::shape::{Shape, expect};

/// Elements in row-major order. Cloning shares the elements.
///
/// ```
/// use llm_autograd::Tensor;
/// let t = Tensor::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(t.shape(), [2, 3]);
/// assert_eq!(t.row(1), [4.0, 5.0, 6.0]);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor<E> {
    shape: Shape,
    data: Arc<Buffer<E>>,
}

impl<E: Element> Tensor<E> {
    /// Panics unless `data` has as many elements as the shape says.
    #[track_caller]
    pub fn new(shape: &[usize], data: Vec<E>) -> Self {
        Self::from_buffer(shape, data.into())
    }

    /// [`new`](Self::new) with an array that returns to its memory.
    #[track_caller]
    pub(crate) fn from_buffer(shape: &[usize], data: Buffer<E>) -> Self {
        let shape = Shape::new(shape);
        expect("tensor", "data", &[data.len()], &[shape.len()]);
        Self { shape, data: Arc::new(data) }
    }

    /// A tensor without axes, of one element.
    pub fn scalar(x: E) -> Self {
        Self::new(&[], vec![x])
    }

    /// All elements equal to `x`.
    pub fn filled(shape: &[usize], x: E) -> Self {
        Self::new(shape, vec![x; Shape::new(shape).len()])
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// All elements, row-major.
    pub fn data(&self) -> &[E] {
        &self.data
    }

    /// The elements to change. If other tensors share them, they are copied first, so nobody else
    /// sees the change.
    pub fn data_mut(&mut self) -> &mut [E] {
        let buffer: &mut Buffer<E> = Arc::make_mut(&mut self.data);
        buffer
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Row `index` of a matrix. Panics if this is no matrix or has no such row.
    #[track_caller]
    pub fn row(&self, index: usize) -> &[E] {
        let [rows, columns] = self.shape.matrix("row", "tensor");
        assert!(index < rows, "row {index} of {rows}");
        &self.data[index * columns..(index + 1) * columns]
    }

    /// The only element. Panics if there is not exactly one.
    #[track_caller]
    pub fn item(&self) -> E {
        expect("item", "tensor", &[self.len()], &[1]);
        self.data[0]
    }

    /// Whether every element is finite.
    pub fn is_finite(&self) -> bool {
        self.data.iter().all(|x| x.is_finite())
    }

    /// The bit pattern of every element: two tensors are "the same bits" when these are equal.
    pub fn bits(&self) -> Vec<u64> {
        self.data.iter().map(|x| x.bits()).collect()
    }

    /// The same elements, shared, with another shape. Panics if it has another number of elements.
    #[track_caller]
    pub fn reshaped(&self, shape: &[usize]) -> Self {
        let shape = Shape::new(shape);
        expect("reshape", "data", &[self.len()], &[shape.len()]);
        Self { shape, data: Arc::clone(&self.data) }
    }

    #[track_caller]
    pub(crate) fn matrix(&self, op: &str, argument: &str) -> [usize; 2] {
        self.shape.matrix(op, argument)
    }

    pub(crate) fn same_shape(&self, data: Buffer<E>) -> Self {
        Self::from_buffer(&self.shape, data)
    }
}
