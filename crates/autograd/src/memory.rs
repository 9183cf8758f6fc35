//! Memory that is used again.
//!
//! A training step needs the same large arrays as the step before. Giving them back to the system
//! in between costs more than it seems: every new page is cleared by the kernel and found by a
//! page fault, which took a sixth of a step of the small benchmark. So a [`Memory`] keeps what
//! finished computations leave behind. It changes where numbers lie and nothing else.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};

use crate::Element;

/// Smaller arrays are left to the allocator, which is fast at them.
const LEAST_ELEMENTS: usize = 512;

/// Arrays of finished computations, kept for the next ones. Clones share them; whoever trains or
/// scores owns one, and dropping the last clone frees everything.
#[derive(Debug)]
pub struct Memory<E> {
    free: Arc<Mutex<Vec<Vec<E>>>>,
}

impl<E> Clone for Memory<E> {
    fn clone(&self) -> Self {
        Self { free: Arc::clone(&self.free) }
    }
}

impl<E> Default for Memory<E> {
    fn default() -> Self {
        Self { free: Arc::default() }
    }
}

impl<E: Element> Memory<E> {
    /// Nothing kept yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// An array of `len` elements with any contents: the tightest free one, unless it is more than
    /// twice too large, or a new one.
    fn take(&self, len: usize) -> Vec<E> {
        let mut free = self.free.lock().unwrap_or_else(PoisonError::into_inner);
        let fitting = free
            .iter()
            .enumerate()
            .filter(|(_, array)| (len..=2 * len).contains(&array.capacity()));
        let tightest = fitting.min_by_key(|(_, array)| array.capacity()).map(|(index, _)| index);
        let mut array = match tightest {
            Some(index) => free.swap_remove(index),
            None => return vec![E::ZERO; len],
        };
        drop(free);
        array.resize(len, E::ZERO);
        array
    }
}

/// An array that returns to the [`Memory`] it came from.
#[derive(Debug)]
pub struct Buffer<E> {
    elements: Vec<E>,
    memory: Option<Memory<E>>,
}

impl<E: Element> Buffer<E> {
    /// `len` elements with any contents, for a computation that overwrites all of them.
    pub(crate) fn any(memory: Option<&Memory<E>>, len: usize) -> Self {
        match memory.filter(|_| len >= LEAST_ELEMENTS) {
            Some(memory) => Self { elements: memory.take(len), memory: Some(memory.clone()) },
            None => zeros(len).into(),
        }
    }

    /// `len` zeros.
    pub(crate) fn zeros(memory: Option<&Memory<E>>, len: usize) -> Self {
        if memory.is_none() || len < LEAST_ELEMENTS {
            return zeros(len).into();
        }
        let mut buffer = Self::any(memory, len);
        buffer.fill(E::ZERO);
        buffer
    }
}

/// `len` zeros. An allocator knows large arrays of zeros without writing them, but is slower to give
/// small ones than small ones of any contents.
fn zeros<E: Element>(len: usize) -> Vec<E> {
    if len < LEAST_ELEMENTS {
        std::iter::repeat_n(E::ZERO, len).collect()
    } else {
        vec![E::ZERO; len]
    }
}

impl<E> From<Vec<E>> for Buffer<E> {
    fn from(elements: Vec<E>) -> Self {
        Self { elements, memory: None }
    }
}

impl<E: Clone> Clone for Buffer<E> {
    fn clone(&self) -> Self {
        Self { elements: self.elements.clone(), memory: None }
    }
}

impl<E: PartialEq> PartialEq for Buffer<E> {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements
    }
}

impl<E> Deref for Buffer<E> {
    type Target = [E];
    fn deref(&self) -> &[E] {
        &self.elements
    }
}

impl<E> DerefMut for Buffer<E> {
    fn deref_mut(&mut self) -> &mut [E] {
        &mut self.elements
    }
}

impl<E> Drop for Buffer<E> {
    fn drop(&mut self) {
        let Some(memory) = &self.memory else { return };
        let elements = std::mem::take(&mut self.elements);
        if elements.capacity() > 0 {
            memory.free.lock().unwrap_or_else(PoisonError::into_inner).push(elements);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::wavy;
    use crate::{AttentionHeads, AutogradContext, RopeTable};

    #[test]
    fn an_array_comes_back_and_is_used_again_for_what_it_fits() {
        let memory = Memory::<f32>::new();
        let first = Buffer::any(Some(&memory), 10_000);
        let place = first.as_ptr();
        drop(first);
        let too_large = Buffer::any(Some(&memory), 4_999);
        assert_ne!(too_large.as_ptr(), place);
        let again = Buffer::any(Some(&memory), 9_000);
        assert_eq!((again.as_ptr(), again.len()), (place, 9_000));
    }

    #[test]
    fn zeros_are_zero_whatever_the_array_held_before() {
        let memory = Memory::<f64>::new();
        let mut used = Buffer::any(Some(&memory), 5_000);
        used.fill(7.0);
        drop(used);
        assert!(Buffer::zeros(Some(&memory), 5_000).iter().all(|&x| x == 0.0));
    }

    /// What an array held before must not show: every operation overwrites all that it asked for.
    #[test]
    fn a_computation_in_used_memory_gives_the_same_bits() {
        let compute = |memory: Option<&Memory<f64>>| {
            let context = AutogradContext::recording();
            let context = match memory {
                Some(memory) => context.with_memory(memory),
                None => context,
            };
            let heads = AttentionHeads { n_heads: 4, n_kv_heads: 2, head_dim: 16 };
            let [table, key, gain] = [wavy(&[9, 64], 0.1), wavy(&[64, 32], 0.2), wavy(&[64], 0.3)]
                .map(|tensor| context.variable(&tensor));
            let ids: Vec<u32> = (0..150).map(|t| t * 7 % 9).collect();
            let positions: Vec<usize> = (0..150).collect();
            let x = context.embedding(&table, &ids);
            let h = context.rms_norm(&x, &gain, 1e-6);
            let k = context.matmul(&h, &key);
            let q = context.rope(&h, &RopeTable::new(16, 100.0, 150), &positions);
            let y = context.attention(&q, &k, &k, heads, std::slice::from_ref(&(0..150)));
            let y = context.add(&context.swiglu(&x, &y), &context.scale(&context.mul(&x, &y), 0.5));
            let rows: Vec<usize> = (0..150).step_by(2).collect();
            let logits = context.matmul_transposed(&context.select_rows(&y, &rows), &table);
            let loss = context.cross_entropy(&logits, &ids[..75]);
            let total = context.add(&loss.sum, &context.sum(&context.add_row(&y, &gain)));
            let gradients = context.backward(&total).unwrap();
            [&table, &key, &gain].map(|variable| gradients.of(variable).unwrap().bits())
        };
        let memory = Memory::new();
        for _ in 0..40 {
            // Irregular sizes, so that arrays of every class come back full of NaN.
            for len in [4096, 4800, 9600, 9600, 9600, 12_000] {
                Buffer::any(Some(&memory), len).fill(f64::NAN);
            }
        }
        let held: Vec<_> = (0..12).map(|i| Buffer::any(Some(&memory), 9600 - 400 * i)).collect();
        held.into_iter().for_each(|mut buffer| buffer.fill(f64::NAN));
        let expected = compute(None);
        assert!(compute(Some(&memory)) == expected, "first use");
        assert!(compute(Some(&memory)) == expected, "second use");
    }

    #[test]
    fn a_small_array_and_one_without_a_memory_do_not_return() {
        let memory = Memory::<f32>::new();
        drop(Buffer::any(Some(&memory), LEAST_ELEMENTS - 1));
        drop(Buffer::<f32>::any(None, 10_000));
        assert!(memory.free.lock().unwrap().is_empty());
    }
}
