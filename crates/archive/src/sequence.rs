//! The tensors of a loaded file, taken in the order in which its kind says that they stand.

use llm_autograd::Tensor;

use crate::container::Container;
use crate::error::{ArchiveError, excerpt};
use crate::portable::PortableElement;
use crate::tensor::{Dtype, TensorData, Values};

/// An element type that an archive holds as it is.
pub trait StoredElement: Sized {
    /// Its name in the file.
    const DTYPE: Dtype;

    /// The elements of stored values, if they are of this type. Owned ones are not copied.
    fn take(values: Values<'_>) -> Option<Vec<Self>>;
}

macro_rules! stored {
    ($($element:ty => $variant:ident),*) => {$(
        impl StoredElement for $element {
            const DTYPE: Dtype = Dtype::$variant;

            fn take(values: Values<'_>) -> Option<Vec<Self>> {
                match values {
                    Values::$variant(elements) => Some(elements.into_owned()),
                    _ => None,
                }
            }
        }
    )*};
}
stored!(f64 => F64, f32 => F32, i8 => I8, u8 => U8);

/// What remains of a file's tensors.
///
/// The digest says that they are those that were saved; that they are what the reader needs, in the
/// reader's order, is checked here.
///
/// # Example
/// ```
/// use llm_archive::{Container, TensorData, TensorSequence};
///
/// let tensors = vec![TensorData::new("gain", vec![2], vec![1.0_f64, 0.5])];
/// let mut tensors = TensorSequence::new(Container::new("example", &serde_json::json!({}), tensors)?);
/// assert_eq!(tensors.take::<f64>("gain", &[2])?, [1.0, 0.5]);
/// tensors.finish()?;
/// # Ok::<(), llm_archive::ArchiveError>(())
/// ```
#[derive(Debug)]
pub struct TensorSequence {
    tensors: std::vec::IntoIter<TensorData<'static>>,
}

impl TensorSequence {
    /// All tensors of a container.
    pub fn new(container: Container<'static>) -> Self {
        Self { tensors: container.into_tensors().into_iter() }
    }

    /// The elements of the next tensor, which must have this name, shape and element type.
    ///
    /// # Errors
    /// [`ArchiveError::Table`] if it has not, or if there is no tensor left.
    pub fn take<T: StoredElement>(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Vec<T>, ArchiveError> {
        let Some(tensor) = self.tensors.next() else {
            return Err(ArchiveError::table(name, "is missing"));
        };
        let found = tensor.values.dtype().name();
        let problem = if tensor.name != name {
            format!("the tensor in this place must be {name:?}")
        } else if tensor.shape != shape {
            let found = excerpt(&format!("{:?}", tensor.shape));
            format!("has shape {found}, the configuration asks for {shape:?}")
        } else if let Some(elements) = T::take(tensor.values) {
            return Ok(elements);
        } else {
            format!("has elements of type {found}, expected {}", T::DTYPE.name())
        };
        Err(ArchiveError::table(&tensor.name, problem))
    }

    /// The next tensor as a parameter of a model: as [`take`](Self::take), and finite everywhere.
    ///
    /// # Errors
    /// [`ArchiveError::Table`].
    pub fn parameter<E: PortableElement>(
        &mut self,
        name: &str,
        shape: &[usize],
    ) -> Result<Tensor<E>, ArchiveError> {
        let value = Tensor::new(shape, self.take(name, shape)?);
        demand_finite(name, &value)?;
        Ok(value)
    }

    /// Demands that nothing is left.
    ///
    /// # Errors
    /// [`ArchiveError::Table`] with the name of the first tensor that nobody asked for.
    pub fn finish(mut self) -> Result<(), ArchiveError> {
        match self.tensors.next() {
            Some(extra) => Err(ArchiveError::table(&extra.name, "nobody asks for this tensor")),
            None => Ok(()),
        }
    }
}

/// # Errors
/// [`ArchiveError::Table`] with the first element that is infinite or NaN.
pub(crate) fn demand_finite<E: PortableElement>(
    name: &str,
    value: &Tensor<E>,
) -> Result<(), ArchiveError> {
    match value.data().iter().position(|element| !element.is_finite()) {
        Some(i) => {
            let problem = format!("element {i} is {}, a parameter must be finite", value.data()[i]);
            Err(ArchiveError::table(name, problem))
        }
        None => Ok(()),
    }
}
