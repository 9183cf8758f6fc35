//! Memory for the inside of a kernel, kept by each thread for the next kernel.
//!
//! Packed blocks are needed for moments and again and again. Asking the system for them each time
//! costs page faults, which took as long as a small product itself. Nothing is ever read from
//! scratch memory that the same kernel has not written before, so it carries nothing from one
//! computation to the next.

use std::cell::RefCell;
use std::marker::PhantomData;

use crate::Element;

/// A cache line: scratch memory begins at one, so that no packed vector lies across two.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Line([u8; 64]);

thread_local! {
    static FREE: RefCell<Vec<Vec<Line>>> = const { RefCell::new(Vec::new()) };
}

/// An array that begins at a cache line.
#[derive(Clone)]
pub(crate) struct Aligned<E> {
    lines: Vec<Line>,
    elements: PhantomData<E>,
}

impl<E: Element> Aligned<E> {
    /// No elements.
    pub(crate) fn new() -> Self {
        Self { lines: Vec::new(), elements: PhantomData }
    }

    /// `len` elements of any contents; earlier ones are kept if there is room already.
    pub(crate) fn any(&mut self, len: usize) -> &mut [E] {
        let lines = (len * size_of::<E>()).div_ceil(size_of::<Line>());
        if self.lines.len() < lines {
            self.lines = vec![Line([0; 64]); lines];
        }
        // SAFETY: the lines are initialised, are at least as long, and are aligned for every element
        // type; an element is a float, for which every bit pattern is valid. The borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.lines.as_mut_ptr().cast(), len) }
    }

    /// All elements there is room for.
    pub(crate) fn all(&self) -> &[E] {
        let len = size_of_val(self.lines.as_slice()) / size_of::<E>();
        // SAFETY: as in `any`; the borrow is shared.
        unsafe { std::slice::from_raw_parts(self.lines.as_ptr().cast(), len) }
    }
}

/// An array of any contents; dropping it leaves the memory to the thread.
pub(crate) struct Scratch<E> {
    array: Aligned<E>,
}

impl<E: Element> Scratch<E> {
    /// Memory that this thread used before, or none yet.
    pub(crate) fn new() -> Self {
        let lines = FREE.with_borrow_mut(Vec::pop).unwrap_or_default();
        Self { array: Aligned { lines, elements: PhantomData } }
    }

    /// `len` elements of any contents.
    pub(crate) fn any(&mut self, len: usize) -> &mut [E] {
        self.array.any(len)
    }
}

impl<E> Drop for Scratch<E> {
    fn drop(&mut self) {
        let lines = std::mem::take(&mut self.array.lines);
        // While a thread ends its list may be gone already; then the memory is freed here.
        let _ = FREE.try_with(|free| free.borrow_mut().push(lines));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_comes_back_at_a_cache_line_whatever_the_element_type() {
        let mut first = Scratch::<f32>::new();
        let place = first.any(1000).as_ptr().addr();
        drop(first);
        let mut again = Scratch::<f64>::new();
        let elements = again.any(500);
        assert_eq!((elements.as_ptr().addr(), elements.len()), (place, 500));
        assert!(place.is_multiple_of(64));
    }

    #[test]
    fn two_at_a_time_are_apart() {
        let (mut a, mut b) = (Scratch::<f32>::new(), Scratch::<f32>::new());
        let (a, b) = (a.any(10), b.any(10));
        a.fill(1.0);
        b.fill(2.0);
        assert!(a.iter().all(|&x| x == 1.0));
    }
}
