//! The portable model: a decoder and its tokenizer in one file, enough to score text anywhere.
//!
//! A container of kind [`MODEL_KIND`]. Its tensors are the parameters, in the decoder's own order;
//! its metadata is the complete configuration with the element type, the tokenizer's artifact, and for a
//! model that was chosen among others how. Nothing else of training is in it: no gradients, no
//! optimizer, no data.

mod config;
mod description;
mod element;
mod selection;

use std::path::Path;

use llm_autograd::Tensor;
use llm_model::{DecoderModel, ValidConfig, parameter_specs};
use llm_tokenizer::Tokenizer;

use crate::container::Container;
use crate::error::ArchiveError;
use crate::sequence::{TensorSequence, demand_finite};
use crate::tensor::TensorData;
pub use description::ModelDescription;
pub use element::PortableElement;
pub use selection::Selection;

/// The kind of an archive that holds a decoder and its tokenizer.
pub const MODEL_KIND: &str = "model";

/// A model and its tokenizer that fit each other, with the identity of both together.
///
/// `E` is the element type, `f64` or `f32`; a file of one is refused as the other.
///
/// # Example
/// ```
/// use llm_archive::PortableModel;
/// use llm_model::{DecoderConfig, DecoderModel};
///
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let config = DecoderConfig::reference(tokenizer.vocab_size(), 8).validate()?;
/// let saved = PortableModel::new(&DecoderModel::<f64>::initialize(config, 39), &tokenizer)?;
///
/// let loaded = PortableModel::<f64>::from_bytes(&saved.to_bytes())?;
/// assert_eq!(loaded.model_id(), saved.model_id());
/// let (model, tokenizer) = loaded.restore_text();
/// assert_eq!(model.config().vocab_size, tokenizer.vocab_size());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PortableModel<E> {
    model: DecoderModel<E>,
    tokenizer: Tokenizer,
    selection: Option<Selection>,
    model_id: String,
}

impl<E: PortableElement> PortableModel<E> {
    /// Takes the values of `model` (shared, not copied) and computes the identity.
    ///
    /// Gradients and revisions stay behind; training `model` on does not change this one.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if the vocabularies differ in size, [`ArchiveError::Table`] for a
    /// parameter that is not finite everywhere.
    pub fn new(model: &DecoderModel<E>, tokenizer: &Tokenizer) -> Result<Self, ArchiveError> {
        for parameter in model.parameters() {
            demand_finite(parameter.name(), parameter.value())?;
        }
        let values = model.parameters().iter().map(|parameter| parameter.value().clone()).collect();
        let model = build(*model.config(), values)?;
        Self::identified(model, tokenizer.clone(), None)
    }

    /// The same model with a label that says how it was chosen. The label is part of the identity.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] for a loss that is not finite.
    pub fn selected(self, selection: Selection) -> Result<Self, ArchiveError> {
        Self::identified(self.model, self.tokenizer, Some(selection))
    }

    fn identified(
        model: DecoderModel<E>,
        tokenizer: Tokenizer,
        selection: Option<Selection>,
    ) -> Result<Self, ArchiveError> {
        let container = container(&model, &tokenizer, selection.as_ref())?;
        let model_id = container.content_sha256().to_owned();
        Ok(Self { model, tokenizer, selection, model_id })
    }

    /// How the model was chosen, if the file says so.
    pub fn selection(&self) -> Option<&Selection> {
        self.selection.as_ref()
    }

    /// The identity of model and tokenizer: 64 lower-case hexadecimal digits.
    ///
    /// The container's digest, so equal for every save of equal content, in a file or in memory.
    pub fn model_id(&self) -> &str {
        &self.model_id
    }

    /// The model and the tokenizer for its text, ready to use. The values are shared, not copied.
    pub fn restore_text(&self) -> (DecoderModel<E>, Tokenizer) {
        (self.model.clone(), self.tokenizer.clone())
    }

    /// The bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.container().to_bytes()
    }

    /// Saves as the file `path`, completely or not at all; see [`crate::write_atomically`].
    ///
    /// # Errors
    /// [`ArchiveError::Io`]; a file that was there before is then still there.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), ArchiveError> {
        self.container().save(path)
    }

    /// Reads a model from the bytes of a file.
    ///
    /// # Errors
    /// As [`PortableModel::load`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ArchiveError> {
        Self::from_container(Container::from_bytes(bytes, MODEL_KIND)?)
    }

    /// Reads the model at `path`. Everything is checked here, nothing can fail later.
    ///
    /// Memory: the parameters once.
    ///
    /// # Errors
    /// As [`Container::load`]; [`ArchiveError::Content`] for a configuration or a tokenizer that
    /// cannot be, or do not fit each other; [`ArchiveError::Table`] for a parameter that is
    /// missing, unknown, out of order, of another shape or type, or not finite.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ArchiveError> {
        Self::from_container(Container::load(path, MODEL_KIND)?)
    }

    fn from_container(container: Container<'static>) -> Result<Self, ArchiveError> {
        let model_id = container.content_sha256().to_owned();
        let description: ModelDescription = container.header().exact_metadata()?;
        let (config, tokenizer, selection) = description.restore::<E>(container.tensors().len())?;
        let model = build(config, parameters(&config, container)?)?;
        Ok(Self { model, tokenizer, selection, model_id })
    }

    fn container(&self) -> Container<'_> {
        container(&self.model, &self.tokenizer, self.selection())
            .expect("`new` has made the same container before")
    }
}

/// Model and tokenizer as a container that borrows the values.
fn container<'a, E: PortableElement>(
    model: &'a DecoderModel<E>,
    tokenizer: &Tokenizer,
    selection: Option<&Selection>,
) -> Result<Container<'a>, ArchiveError> {
    let description = ModelDescription::new::<E>(model.config(), tokenizer, selection)?;
    let tensors = model.parameters().iter().map(|parameter| {
        let value = parameter.value();
        TensorData::new(parameter.name(), value.shape().to_vec(), E::values(value.data()))
    });
    Container::new(MODEL_KIND, &description, tensors.collect())
}

/// Takes the tensors of a file as the parameters that `config` asks for, without copying them.
fn parameters<E: PortableElement>(
    config: &ValidConfig,
    container: Container<'static>,
) -> Result<Vec<Tensor<E>>, ArchiveError> {
    let mut tensors = TensorSequence::new(container);
    let specs = parameter_specs(config);
    let parameters = specs.iter().map(|spec| tensors.parameter(&spec.name, &spec.shape));
    let parameters = parameters.collect::<Result<_, _>>()?;
    tensors.finish()?;
    Ok(parameters)
}

fn build<E: PortableElement>(
    config: ValidConfig,
    values: Vec<Tensor<E>>,
) -> Result<DecoderModel<E>, ArchiveError> {
    DecoderModel::from_parameters(config, values)
        .map_err(|error| ArchiveError::content(error.to_string()))
}
