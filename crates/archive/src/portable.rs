//! The portable model: a decoder and its tokenizer in one file, enough to score text anywhere.
//!
//! A container of kind [`MODEL_KIND`]. Its tensors are the parameters, in the decoder's own order;
//! its metadata is the complete configuration with the element type, and the tokenizer's artifact. Nothing
//! of training is in it: no gradients, no optimizer, no data.

mod config;
mod element;

use std::borrow::Cow;
use std::path::Path;

use llm_autograd::Tensor;
use llm_model::{DecoderConfig, DecoderModel, ParameterSpec, ValidConfig, parameter_specs};
use llm_tokenizer::{Tokenizer, TokenizerArtifact};
use serde::{Deserialize, Serialize};

use crate::container::Container;
use crate::error::{ArchiveError, excerpt};
use crate::tensor::TensorData;
use config::StoredConfig;
pub use element::PortableElement;

/// The kind of an archive that holds a decoder and its tokenizer.
pub const MODEL_KIND: &str = "model";

/// What a model's archive says beside its tensors.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ModelMetadata<'a> {
    config: StoredConfig,
    tokenizer: Cow<'a, TokenizerArtifact>,
}

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
        demand_same_vocabulary(model.config(), tokenizer)?;
        for parameter in model.parameters() {
            demand_finite(parameter.name(), parameter.value())?;
        }
        let values = model.parameters().iter().map(|parameter| parameter.value().clone()).collect();
        let model = build(*model.config(), values)?;
        let model_id = container(&model, tokenizer)?.content_sha256().to_owned();
        Ok(Self { model, tokenizer: tokenizer.clone(), model_id })
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
        let metadata: ModelMetadata<'_> = container.header().metadata()?;
        if metadata.config.dtype != E::NAME {
            let (found, expected) = (excerpt(&metadata.config.dtype), E::NAME);
            let reason = format!("the model is of type {found:?}, opened as {expected:?}");
            return Err(ArchiveError::content(reason));
        }
        let config = DecoderConfig::from(&metadata.config);
        let config = config.validate().map_err(|error| ArchiveError::content(error.to_string()))?;
        let tokenizer = Tokenizer::from_artifact(metadata.tokenizer.into_owned())
            .map_err(|error| ArchiveError::content(format!("tokenizer: {error}")))?;
        demand_same_vocabulary(&config, &tokenizer)?;
        let model = build(config, parameters(&config, container.into_tensors())?)?;
        Ok(Self { model, tokenizer, model_id })
    }

    fn container(&self) -> Container<'_> {
        container(&self.model, &self.tokenizer).expect("`new` has made the same container before")
    }
}

/// Model and tokenizer as a container that borrows the values.
fn container<'a, E: PortableElement>(
    model: &'a DecoderModel<E>,
    tokenizer: &Tokenizer,
) -> Result<Container<'a>, ArchiveError> {
    let metadata = ModelMetadata {
        config: StoredConfig::new(model.config(), E::NAME),
        tokenizer: Cow::Borrowed(tokenizer.artifact()),
    };
    let tensors = model.parameters().iter().map(|parameter| {
        let value = parameter.value();
        TensorData::new(parameter.name(), value.shape().to_vec(), E::values(value.data()))
    });
    Container::new(MODEL_KIND, &metadata, tensors.collect())
}

/// Takes the tensors of a file as the parameters that `config` asks for, without copying them.
fn parameters<E: PortableElement>(
    config: &ValidConfig,
    tensors: Vec<TensorData<'static>>,
) -> Result<Vec<Tensor<E>>, ArchiveError> {
    // Every block has several parameters. Asked first, since a list of parameters for the
    // million blocks that a hostile file may claim would not fit memory.
    if config.n_layers > tensors.len() {
        let (layers, found) = (config.n_layers, tensors.len());
        let reason = format!("{found} tensors cannot be the parameters of {layers} blocks");
        return Err(ArchiveError::content(reason));
    }
    let specs = parameter_specs(config);
    if let Some(extra) = tensors.get(specs.len()) {
        return Err(ArchiveError::table(&extra.name, "this configuration has no such parameter"));
    }
    let mut tensors = tensors.into_iter();
    specs
        .iter()
        .map(|spec| match tensors.next() {
            Some(tensor) => parameter(spec, tensor),
            None => Err(ArchiveError::table(&spec.name, "this parameter is missing")),
        })
        .collect()
}

fn parameter<E: PortableElement>(
    spec: &ParameterSpec,
    tensor: TensorData<'static>,
) -> Result<Tensor<E>, ArchiveError> {
    let TensorData { name, shape, values } = tensor;
    let problem = if name != spec.name {
        format!("the parameter in this place must be {:?}", spec.name)
    } else if shape != spec.shape {
        let found = excerpt(&format!("{shape:?}"));
        format!("has shape {found}, the configuration asks for {:?}", spec.shape)
    } else {
        let found = values.dtype().name();
        match E::take(values) {
            Some(elements) => {
                let value = Tensor::new(&shape, elements);
                demand_finite(&name, &value)?;
                return Ok(value);
            }
            None => format!("has elements of type {found}, the model is of type {}", E::NAME),
        }
    };
    Err(ArchiveError::table(&name, problem))
}

fn build<E: PortableElement>(
    config: ValidConfig,
    values: Vec<Tensor<E>>,
) -> Result<DecoderModel<E>, ArchiveError> {
    DecoderModel::from_parameters(config, values)
        .map_err(|error| ArchiveError::content(error.to_string()))
}

/// A model that learned ids of another vocabulary would score nonsense, without any error.
fn demand_same_vocabulary(config: &ValidConfig, tokenizer: &Tokenizer) -> Result<(), ArchiveError> {
    let (model, text) = (config.vocab_size, tokenizer.vocab_size());
    if model != text {
        let reason = format!("the model has a vocabulary of {model} ids, the tokenizer of {text}");
        return Err(ArchiveError::content(reason));
    }
    Ok(())
}

fn demand_finite<E: PortableElement>(name: &str, value: &Tensor<E>) -> Result<(), ArchiveError> {
    match value.data().iter().position(|element| !element.is_finite()) {
        Some(i) => {
            let problem = format!("element {i} is {}, a parameter must be finite", value.data()[i]);
            Err(ArchiveError::table(name, problem))
        }
        None => Ok(()),
    }
}
