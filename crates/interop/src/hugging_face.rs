//! Hugging Face folders of the Llama family: `config.json`, `model.safetensors` (or shards with an
//! index), `tokenizer.json`.

mod config;
mod export;
mod export_tokenizer;
mod import;
mod shards;
mod tokenizer;
mod weights;

use std::path::Path;

use llm_archive::{PortableElement, PortableModel};
use llm_model::DecoderModel;
use llm_tokenizer::{TokenId, Tokenizer, TokenizerArtifact};

use crate::error::InteropError;
pub use crate::names::interleaved;
pub use config::{IGNORED_KEYS, READ_KEYS};

/// How a folder is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImportOptions {
    /// Whether the tokenizer is read too. Without it the model can still be scored on ids.
    pub tokenizer: bool,
}

impl Default for ImportOptions {
    fn default() -> Self {
        Self { tokenizer: true }
    }
}

/// A model that was read from a folder.
#[derive(Clone, Debug)]
pub struct Imported<E> {
    /// The decoder.
    pub model: DecoderModel<E>,
    /// Its tokenizer; `None` if it was not asked for.
    pub tokenizer: Option<Tokenizer>,
    /// How the folder frames a document.
    pub boundaries: Boundaries,
    /// What a user should know and what is no error, one sentence each: for stderr.
    pub notes: Vec<String>,
}

/// Which tokens stand at the ends of a document, as the folder says.
///
/// An imported tokenizer begins documents ([`Tokenizer::start_token`]) only where the folder's own
/// tokenizer does, and knows the end token wherever the folder names one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Boundaries {
    /// The token named as the beginning (`bos_token`).
    pub start: Option<TokenId>,
    /// The token named as the end (`eos_token`).
    pub end: Option<TokenId>,
    /// Whether the folder's tokenizer puts the start token before a text by itself.
    pub prepends_start: bool,
    /// Whether the folder's tokenizer puts the end token behind a text by itself.
    pub appends_end: bool,
}

impl<E: PortableElement> Imported<E> {
    /// The model as one file of ours. Without a tokenizer the file holds one that knows ids only and
    /// refuses every text; see [`TokenizerArtifact::ids_only`].
    ///
    /// # Errors
    /// [`InteropError::Archive`] for a parameter that is not finite, [`InteropError::Inexpressible`]
    /// for more ids than a vocabulary may have ([`llm_tokenizer::MAX_VOCAB_SIZE`]).
    pub fn portable(&self) -> Result<PortableModel<E>, InteropError> {
        let tokenizer = match &self.tokenizer {
            Some(tokenizer) => tokenizer.clone(),
            None => {
                let ids = self.model.config().vocab_size as u32; // at most 2^32 - 1
                Tokenizer::from_artifact(TokenizerArtifact::ids_only(ids))
                    .map_err(|error| InteropError::inexpressible(error.to_string()))?
            }
        };
        Ok(PortableModel::new(&self.model, &tokenizer)?)
    }
}

/// Reads the model in folder `dir`.
///
/// `E` is the element type to compute in. Weights of f16, bf16 and f32 fit both types exactly; f64
/// weights are read as `f64` only, since rounding them would make another model.
///
/// # Errors
/// Every variant of [`InteropError`] but `Inexpressible` and `Target`.
pub fn import<E: PortableElement>(
    dir: impl AsRef<Path>,
    options: &ImportOptions,
) -> Result<Imported<E>, InteropError> {
    import::import(dir.as_ref(), options)
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// What a user should know, one sentence each: where the written tokenizer differs from ours.
    pub notes: Vec<String>,
}

/// Writes `model` as a folder that `transformers` opens as a `LlamaForCausalLM`. Weights keep their
/// element type. A tokenizer that knows ids only is left out.
///
/// Each file appears completely or not at all, `config.json` last.
///
/// # Errors
/// [`InteropError::Target`] if `dir` is there and not empty, [`InteropError::Inexpressible`] for a
/// tokenizer that the format cannot hold, [`InteropError::Archive`] if writing fails.
pub fn export<E: PortableElement>(
    model: &DecoderModel<E>,
    tokenizer: Option<&Tokenizer>,
    dir: impl AsRef<Path>,
) -> Result<Exported, InteropError> {
    export::export(model, tokenizer, dir.as_ref())
}
