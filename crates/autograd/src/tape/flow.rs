//! Gradients on their way back over the tape.

use super::Place;
use crate::kernels::{CopyInto, Start};
use crate::memory::Buffer;
use crate::{Element, Kernels, Memory};

/// What an operation's backward pass writes to.
pub(crate) struct GradientFlow<'a, E> {
    pub(crate) kernels: Kernels,
    pub(super) memory: Option<&'a Memory<E>>,
    pub(super) gradients: &'a mut [Option<Buffer<E>>],
}

impl<E: Element> GradientFlow<'_, E> {
    /// An array of any contents, to be overwritten.
    pub(crate) fn buffer(&self, len: usize) -> Buffer<E> {
        Buffer::any(self.memory, len)
    }

    /// An array of zeros.
    pub(crate) fn zeros(&self, len: usize) -> Buffer<E> {
        Buffer::zeros(self.memory, len)
    }

    /// An array with the elements of another.
    pub(crate) fn copy(&self, elements: &[E]) -> Buffer<E> {
        copy(self.kernels, self.memory, elements)
    }

    /// Adds a finished contribution to a parent's gradient; nothing if the parent has none.
    pub(crate) fn add(&mut self, parent: Option<Place>, contribution: Buffer<E>) {
        let Some(place) = parent else { return };
        match &mut self.gradients[place.node] {
            Some(sum) => self.kernels.add(sum, &contribution),
            empty => *empty = Some(contribution),
        }
    }

    /// Lets `add` continue a parent's gradient of `len` elements in place, from zeros if there is
    /// none yet; `add` is not called if the parent has no gradient.
    pub(crate) fn accumulate(
        &mut self,
        parent: Option<Place>,
        len: usize,
        add: impl FnOnce(Kernels, &mut [E]),
    ) {
        self.continue_chains(parent, len, |kernels, gradient, start| {
            if start == Start::Zero {
                gradient.fill(E::ZERO);
            }
            add(kernels, gradient);
        });
    }

    /// Like [`accumulate`](Self::accumulate), for a computation that can begin its chains itself:
    /// with [`Start::Zero`] the array may hold anything.
    pub(crate) fn continue_chains(
        &mut self,
        parent: Option<Place>,
        len: usize,
        add: impl FnOnce(Kernels, &mut [E], Start),
    ) {
        let Some(place) = parent else { return };
        let (mut gradient, start) = match self.gradients[place.node].take() {
            Some(gradient) => (gradient, Start::Stored),
            None => (self.buffer(len), Start::Zero),
        };
        add(self.kernels, &mut gradient, start);
        self.gradients[place.node] = Some(gradient);
    }
}

pub(super) fn copy<E: Element>(
    kernels: Kernels,
    memory: Option<&Memory<E>>,
    elements: &[E],
) -> Buffer<E> {
    let mut copy = Buffer::any(memory, elements.len());
    CopyInto { to: &mut copy, from: elements }.run(kernels);
    copy
}
