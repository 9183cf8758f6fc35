//! Borrowed matrices: a strided view to read, and a view to write that can be cut into parts.

use std::marker::PhantomData;
use std::ops::Range;

/// The parts of `0..len` of at most `most` each, all but the last of them that large.
#[inline(always)]
pub(crate) fn blocks(len: usize, most: usize) -> impl Iterator<Item = Range<usize>> {
    (0..len).step_by(most).map(move |first| first..(first + most).min(len))
}

/// A matrix to read. Element (r, c) is `data[r * row_stride + c * column_stride]`, so a transpose
/// is a swap of two numbers and one head of a `[tokens, heads * head_dim]` tensor is a view too.
#[derive(Clone, Copy)]
pub(crate) struct MatrixView<'a, E> {
    data: &'a [E],
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
}

impl<'a, E: Copy> MatrixView<'a, E> {
    /// A row-major matrix without gaps.
    pub(crate) fn new(data: &'a [E], rows: usize, columns: usize) -> Self {
        Self::with_strides(data, [rows, columns], [columns, 1])
    }

    /// A matrix with any strides. Panics if an element would lie outside `data`.
    pub(crate) fn with_strides(data: &'a [E], shape: [usize; 2], strides: [usize; 2]) -> Self {
        let [rows, columns] = shape;
        let [row_stride, column_stride] = strides;
        if rows > 0 && columns > 0 {
            let last = (rows - 1) * row_stride + (columns - 1) * column_stride;
            assert!(last < data.len(), "matrix {shape:?} with strides {strides:?} needs more data");
        }
        Self { data, rows, columns, row_stride, column_stride }
    }

    /// The same matrix with rows and columns exchanged.
    pub(crate) fn transposed(self) -> Self {
        Self {
            rows: self.columns,
            columns: self.rows,
            row_stride: self.column_stride,
            column_stride: self.row_stride,
            ..self
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    pub(crate) fn row_stride(&self) -> usize {
        self.row_stride
    }

    pub(crate) fn column_stride(&self) -> usize {
        self.column_stride
    }

    /// The part with these rows and columns.
    #[inline(always)]
    pub(crate) fn block(&self, rows: Range<usize>, columns: Range<usize>) -> MatrixView<'a, E> {
        assert!(rows.end <= self.rows && columns.end <= self.columns, "block outside the matrix");
        let shape = [rows.len(), columns.len()];
        if shape.contains(&0) {
            return Self::with_strides(&[], shape, [self.row_stride, self.column_stride]);
        }
        let first = rows.start * self.row_stride + columns.start * self.column_stride;
        let strides = [self.row_stride, self.column_stride];
        Self::with_strides(&self.data[first..], shape, strides)
    }

    /// One element.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize, column: usize) -> E {
        self.data[row * self.row_stride + column * self.column_stride]
    }

    /// The elements from (0, 0) to the last one, gaps included.
    #[inline(always)]
    pub(crate) fn data(&self) -> &'a [E] {
        self.data
    }
}

/// A matrix to write: rows of contiguous elements, `row_stride` apart.
///
/// It can be cut into parts that are written at the same time by different threads. Parts made by
/// cutting columns interleave in memory, which a `&mut [E]` cannot express; hence the pointer.
pub(crate) struct MatrixMut<'a, E> {
    start: *mut E,
    rows: usize,
    columns: usize,
    row_stride: usize,
    lifetime: PhantomData<&'a mut [E]>,
}

// SAFETY: a `MatrixMut` is an exclusive borrow of its elements, like `&mut [E]`.
unsafe impl<E: Send> Send for MatrixMut<'_, E> {}

impl<'a, E> MatrixMut<'a, E> {
    /// A row-major matrix without gaps. Panics unless `data` is exactly that large.
    pub(crate) fn new(data: &'a mut [E], rows: usize, columns: usize) -> Self {
        assert_eq!(data.len(), rows * columns, "a {rows} x {columns} matrix");
        let start = data.as_mut_ptr();
        Self { start, rows, columns, row_stride: columns, lifetime: PhantomData }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// One row.
    #[inline(always)]
    pub(crate) fn row_mut(&mut self, row: usize) -> &mut [E] {
        assert!(row < self.rows, "row {row} of {}", self.rows);
        // SAFETY: the row lies inside the borrow that `self` was made from: the constructor checked
        // the whole, and cutting only ever made parts. `&mut self` makes the access exclusive.
        unsafe {
            std::slice::from_raw_parts_mut(self.start.add(row * self.row_stride), self.columns)
        }
    }

    /// A part of it, borrowed for a shorter time.
    #[inline(always)]
    pub(crate) fn block(&mut self, rows: Range<usize>, columns: Range<usize>) -> MatrixMut<'_, E> {
        // SAFETY: the result borrows `self` exclusively, so no other part exists meanwhile.
        unsafe { self.part(rows, columns) }
    }

    /// Cuts into the first `at` rows and the others.
    pub(crate) fn split_rows(self, at: usize) -> (MatrixMut<'a, E>, MatrixMut<'a, E>) {
        // SAFETY: `self` is consumed and the two parts have no row in common.
        unsafe { (self.part(0..at, 0..self.columns), self.part(at..self.rows, 0..self.columns)) }
    }

    /// Cuts into the first `at` columns and the others.
    pub(crate) fn split_columns(self, at: usize) -> (MatrixMut<'a, E>, MatrixMut<'a, E>) {
        // SAFETY: `self` is consumed and the two parts have no column in common.
        unsafe { (self.part(0..self.rows, 0..at), self.part(0..self.rows, at..self.columns)) }
    }

    /// The part with these rows and columns, checked to lie inside.
    ///
    /// # Safety
    /// Nothing else that reaches an element of the part may be used while the part is in use.
    #[inline(always)]
    unsafe fn part<'b>(&self, rows: Range<usize>, columns: Range<usize>) -> MatrixMut<'b, E> {
        assert!(rows.start <= rows.end && rows.end <= self.rows, "rows outside the matrix");
        assert!(columns.start <= columns.end && columns.end <= self.columns, "columns outside");
        let offset = rows.start * self.row_stride + columns.start;
        MatrixMut {
            // An empty part may start past the end; `wrapping_add` allows that, and its elements
            // are never reached.
            start: self.start.wrapping_add(offset),
            rows: rows.len(),
            columns: columns.len(),
            row_stride: self.row_stride,
            lifetime: PhantomData,
        }
    }
}
