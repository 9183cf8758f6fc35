//! The element types of a model, as the container holds them.

use llm_autograd::Element;

use crate::tensor::Values;

/// An element type that a model can be saved in: `f64` or `f32`.
pub trait PortableElement: Element {
    /// The elements as stored values, borrowed.
    fn values(elements: &[Self]) -> Values<'_>;

    /// The elements of stored values, if they are of this type. Owned ones are not copied.
    fn take(values: Values<'_>) -> Option<Vec<Self>>;
}

impl PortableElement for f64 {
    fn values(elements: &[Self]) -> Values<'_> {
        elements.into()
    }

    fn take(values: Values<'_>) -> Option<Vec<Self>> {
        match values {
            Values::F64(elements) => Some(elements.into_owned()),
            _ => None,
        }
    }
}

impl PortableElement for f32 {
    fn values(elements: &[Self]) -> Values<'_> {
        elements.into()
    }

    fn take(values: Values<'_>) -> Option<Vec<Self>> {
        match values {
            Values::F32(elements) => Some(elements.into_owned()),
            _ => None,
        }
    }
}
