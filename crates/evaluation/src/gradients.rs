//! What must be the same before and after scoring.

use llm_autograd::Element;
use llm_model::DecoderModel;

/// A model whose accumulated gradients can be compared bit by bit.
///
/// Scoring borrows a [`DecoderModel`] without the right to change it, so for that type the
/// compiler has already proved what this checks. A model with interior mutability has no such
/// proof.
pub trait GradientBits {
    /// All gradients as one list of numbers, equal for two states exactly if every gradient is
    /// absent in both or has the same bits in both.
    ///
    /// Scoring keeps one copy: 8 bytes per gradient element. Without gradients that is next to
    /// nothing, so clear them before scoring a large model.
    fn gradient_bits(&self) -> impl Iterator<Item = u64>;
}

impl<E: Element> GradientBits for DecoderModel<E> {
    fn gradient_bits(&self) -> impl Iterator<Item = u64> {
        let gradients = self.parameters().iter().flat_map(|p| [p.gradient(), p.head_gradient()]);
        gradients.flat_map(|gradient| {
            // The length in front keeps "none" and "zeros" apart, and where one gradient ends.
            let length = gradient.map_or(u64::MAX, |elements| elements.len() as u64);
            let elements = gradient.unwrap_or_default().iter().map(|x| x.bits());
            std::iter::once(length).chain(elements)
        })
    }
}
