//! What every file of a decoder says beside its tensors, whatever form the weights have.

use llm_model::{DecoderConfig, ValidConfig};
use llm_tokenizer::{Tokenizer, TokenizerArtifact};
use serde::{Deserialize, Serialize};

use super::config::StoredConfig;
use super::{PortableElement, Selection};
use crate::error::{ArchiveError, excerpt};

/// The complete configuration with the element type, the tokenizer's artifact, and how the model was
/// chosen, if it was: metadata of a decoder's archive.
///
/// It is the whole metadata of a [`PortableModel`](crate::PortableModel); other forms of the weights
/// (quantized ones) store it beside what they need to say themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelDescription {
    config: StoredConfig,
    tokenizer: TokenizerArtifact,
    /// Absent in the file of a model that nobody chose among others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    selection: Option<Selection>,
}

impl ModelDescription {
    /// Describes a model of elements `E`, its tokenizer, and how it was chosen.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] if the vocabularies differ in size, and for a selection by a loss that
    /// is not finite.
    pub fn new<E: PortableElement>(
        config: &ValidConfig,
        tokenizer: &Tokenizer,
        selection: Option<&Selection>,
    ) -> Result<Self, ArchiveError> {
        demand_same_vocabulary(config, tokenizer)?;
        if let Some(nats) = selection.map(|s| s.nats_per_token).filter(|nats| !nats.is_finite()) {
            return Err(ArchiveError::content(format!("selected at {nats} nats per token")));
        }
        let config = StoredConfig::new(config, E::NAME);
        let (tokenizer, selection) = (tokenizer.artifact().clone(), selection.cloned());
        Ok(Self { config, tokenizer, selection })
    }

    /// Checks what a file says, and makes a configuration, a tokenizer and a label of it.
    ///
    /// `tensors` is the number of tensors in the file. Every block has several; asked first, since a
    /// list of parameters for the million blocks that a hostile file may claim would not fit memory.
    ///
    /// # Errors
    /// [`ArchiveError::Content`] for elements of another type than `E`, a configuration or a tokenizer
    /// that cannot be, two that do not fit each other, and more blocks than tensors.
    pub fn restore<E: PortableElement>(
        self,
        tensors: usize,
    ) -> Result<(ValidConfig, Tokenizer, Option<Selection>), ArchiveError> {
        if self.config.dtype != E::NAME {
            let (found, expected) = (excerpt(&self.config.dtype), E::NAME);
            let reason = format!("the model is of type {found:?}, opened as {expected:?}");
            return Err(ArchiveError::content(reason));
        }
        let config = DecoderConfig::from(&self.config);
        let config = config.validate().map_err(|error| ArchiveError::content(error.to_string()))?;
        let tokenizer = Tokenizer::from_artifact(self.tokenizer)
            .map_err(|error| ArchiveError::content(format!("tokenizer: {error}")))?;
        demand_same_vocabulary(&config, &tokenizer)?;
        if config.n_layers > tensors {
            let layers = config.n_layers;
            let reason = format!("{tensors} tensors cannot be the parameters of {layers} blocks");
            return Err(ArchiveError::content(reason));
        }
        Ok((config, tokenizer, self.selection))
    }
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
