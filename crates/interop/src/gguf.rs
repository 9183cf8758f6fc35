//! GGUF: one file for llama.cpp.

use std::path::Path;

use llm_archive::PortableElement;
use llm_model::DecoderModel;
use llm_tokenizer::Tokenizer;

use crate::error::InteropError;

/// How matrices are stored. Gains and biases are always f32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quantization {
    /// 32-bit floats.
    #[default]
    F32,
    /// Blocks of 32 codes of 8 bits with one f16 scale: 8.5 bits a weight.
    Q8_0,
    /// Blocks of 32 codes of 4 bits with one f16 scale: 4.5 bits a weight.
    Q4_0,
}

/// What an export wrote.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Matrices that stay f32 in a quantized file because the length of their rows is not divisible
    /// by the block size, by their name in the file.
    pub tensors_left_in_f32: Vec<String>,
    /// Whether llama.cpp can encode text with this file.
    pub has_tokenizer: bool,
    /// What a user should know, one sentence each: for stderr.
    pub notes: Vec<String>,
}

/// Writes `model` as the GGUF file `file`, completely or not at all.
///
/// # Errors
/// [`InteropError::Archive`] if writing fails.
pub fn export<E: PortableElement>(
    model: &DecoderModel<E>,
    tokenizer: Option<&Tokenizer>,
    file: impl AsRef<Path>,
    quantization: Quantization,
) -> Result<Exported, InteropError> {
    let _ = (model, tokenizer, file.as_ref(), quantization);
    Err(InteropError::inexpressible("export is being written"))
}
