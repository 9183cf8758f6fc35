//! The element types of a model, as the container holds them.

use llm_autograd::Element;

use crate::sequence::StoredElement;
use crate::tensor::Values;

/// An element type that a model can be saved in: `f64` or `f32`.
pub trait PortableElement: Element + StoredElement {
    /// The elements as stored values, borrowed.
    fn values(elements: &[Self]) -> Values<'_>;
}

impl PortableElement for f64 {
    fn values(elements: &[Self]) -> Values<'_> {
        elements.into()
    }
}

impl PortableElement for f32 {
    fn values(elements: &[Self]) -> Values<'_> {
        elements.into()
    }
}
