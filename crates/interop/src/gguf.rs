//! GGUF: one file for llama.cpp.
//!
//! ```text
//! "GGUF", version, number of tensors, number of keys
//! keys with typed values      sizes, tokenizer
//! one entry a tensor          name, sizes (innermost first), type, offset of its data
//! data                        every tensor at a multiple of 32 bytes
//! ```
//!
//! The architecture is `llama`, whose rotary pairs are neighbours as here, so queries and keys are only
//! transposed.
//!
//! Source: the format, <https://github.com/ggml-org/ggml/blob/master/docs/gguf.md>.

mod quantize;
mod tokenizer;
mod writer;

use std::io::{self, Write};
use std::path::Path;

use llm_archive::{PortableElement, write_atomically};
use llm_model::{DecoderModel, Parameter, ValidConfig};
use llm_tokenizer::Tokenizer;

use crate::error::InteropError;
use crate::names::{Layout, place};
use crate::rows;
use quantize::{BLOCK, Encoding};
use writer::{ALIGNMENT, Keys, aligned};

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
/// A tokenizer that llama.cpp cannot express is left out, and a note says why; the file can still be
/// used with ids.
///
/// # Errors
/// [`InteropError::Inexpressible`] for a weight that the stored type cannot hold, and for biases of
/// queries that are not as many as `d_model`; [`InteropError::Archive`] if writing fails.
///
/// # Example
/// ```
/// use llm_interop::gguf::{self, Quantization};
/// use llm_model::{DecoderConfig, DecoderModel};
///
/// let config = DecoderConfig::reference(266, 8).validate()?; // rows of 8 and 16 weights
/// let model = DecoderModel::<f32>::initialize(config, 1);
/// let folder = tempfile::tempdir()?;
/// let written = gguf::export(&model, None, folder.path().join("m.gguf"), Quantization::Q8_0)?;
/// assert_eq!(written.tensors_left_in_f32.len(), 8); // every matrix: 32 does not divide its rows
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn export<E: PortableElement>(
    model: &DecoderModel<E>,
    tokenizer: Option<&Tokenizer>,
    file: impl AsRef<Path>,
    quantization: Quantization,
) -> Result<Exported, InteropError> {
    demand_loadable(model.config())?;
    let tensors = model.parameters().iter().map(|parameter| Stored::new(parameter, quantization));
    let tensors = tensors.collect::<Result<Vec<_>, _>>()?;

    let mut exported = Exported::default();
    if quantization != Quantization::F32 {
        let left = tensors.iter().filter(|t| t.sizes.len() == 2 && t.encoding == Encoding::F32);
        exported.tensors_left_in_f32 = left.map(|tensor| tensor.name.clone()).collect();
    }
    if E::NAME == "f64" {
        exported.notes.push("the weights are f64 and were rounded to f32".to_owned());
    }
    let mut keys = config_keys(model.config(), quantization);
    match tokenizer::add_keys(&mut keys, tokenizer)? {
        None => exported.has_tokenizer = true,
        Some(reason) => exported.notes.push(reason),
    }
    let head = head(&keys, &tensors);
    write_atomically(file, |file| {
        file.write_all(&head)?;
        tensors.iter().try_for_each(|tensor| tensor.write(file))
    })?;
    Ok(exported)
}

/// llama.cpp expects as many biases of queries as a token has features.
fn demand_loadable(config: &ValidConfig) -> Result<(), InteropError> {
    let queries = config.n_heads * config.head_dim;
    if config.attention_bias && queries != config.d_model {
        return Err(InteropError::inexpressible(format!(
            "llama.cpp reads biases of queries only if they are as many as d_model {}, not {queries}",
            config.d_model
        )));
    }
    Ok(())
}

/// Sizes and formulas.
fn config_keys(config: &ValidConfig, quantization: Quantization) -> Keys {
    let mut keys = Keys::default();
    keys.text("general.architecture", "llama");
    keys.number("general.alignment", ALIGNMENT);
    keys.number(
        "general.file_type",
        match quantization {
            Quantization::F32 => 0,
            Quantization::Q4_0 => 2,
            Quantization::Q8_0 => 7,
        },
    );
    keys.number("general.quantization_version", 2);
    keys.number("llama.vocab_size", config.vocab_size);
    keys.number("llama.context_length", config.context_len);
    keys.number("llama.embedding_length", config.d_model);
    keys.number("llama.block_count", config.n_layers);
    keys.number("llama.feed_forward_length", config.d_ff);
    keys.number("llama.attention.head_count", config.n_heads);
    keys.number("llama.attention.head_count_kv", config.n_kv_heads);
    keys.number("llama.attention.key_length", config.head_dim);
    keys.number("llama.attention.value_length", config.head_dim);
    keys.number("llama.rope.dimension_count", config.head_dim);
    keys.float("llama.rope.freq_base", config.rope_base as f32);
    keys.float("llama.attention.layer_norm_rms_epsilon", config.norm_eps as f32);
    keys
}

/// Everything before the data.
fn head<E: PortableElement>(keys: &Keys, tensors: &[Stored<'_, E>]) -> Vec<u8> {
    let mut head = keys.to_bytes(tensors.len());
    let mut offset = 0;
    for tensor in tensors {
        writer::put_text(&mut head, &tensor.name);
        head.extend((tensor.sizes.len() as u32).to_le_bytes());
        for &size in tensor.sizes.iter().rev() {
            head.extend((size as u64).to_le_bytes());
        }
        head.extend(tensor.encoding.number().to_le_bytes());
        head.extend((offset as u64).to_le_bytes());
        offset = aligned(offset + tensor.byte_len());
    }
    head.resize(aligned(head.len()), 0);
    head
}

/// One tensor as the file has it.
struct Stored<'a, E> {
    name: String,
    parameter: &'a Parameter<E>,
    layout: Layout,
    /// `[outputs, inputs]` of a matrix.
    sizes: Vec<usize>,
    encoding: Encoding,
}

impl<'a, E: PortableElement> Stored<'a, E> {
    /// Chooses the encoding, and refuses a weight that it cannot hold.
    fn new(parameter: &'a Parameter<E>, quantization: Quantization) -> Result<Self, InteropError> {
        let place = place(parameter.name());
        let sizes = rows::shape(parameter.value().shape(), place.layout);
        let encoding = match (quantization, &sizes[..]) {
            (Quantization::Q8_0, [_, inputs]) if inputs.is_multiple_of(BLOCK) => Encoding::Q8_0,
            (Quantization::Q4_0, [_, inputs]) if inputs.is_multiple_of(BLOCK) => Encoding::Q4_0,
            _ => Encoding::F32,
        };
        let too_large =
            |weight: &&E| !weight.is_finite() || weight.to_f64().abs() > encoding.largest();
        if let Some(weight) = parameter.value().data().iter().find(too_large) {
            return Err(InteropError::inexpressible(format!(
                "parameter `{}` has a weight of {weight}, the largest that can be stored is {:e}",
                parameter.name(),
                encoding.largest()
            )));
        }
        Ok(Self { name: place.gguf, parameter, layout: place.layout, sizes, encoding })
    }

    /// Size of its data, without what is added up to the alignment.
    fn byte_len(&self) -> usize {
        self.encoding.byte_len(self.sizes.iter().product())
    }

    fn write(&self, file: &mut dyn Write) -> io::Result<()> {
        let mut row_f32 = Vec::new();
        let mut bytes = Vec::new();
        // Our pairs are those of llama.cpp: no row changes its place.
        rows::for_each_row(
            self.parameter.value(),
            self.layout,
            |row| row,
            |row| {
                row_f32.clear();
                row_f32.extend(row.iter().map(|weight| weight.to_f64() as f32));
                bytes.clear();
                self.encoding.encode(&row_f32, &mut bytes);
                file.write_all(&bytes)
            },
        )?;
        let len = self.byte_len();
        file.write_all(&[0; ALIGNMENT][..aligned(len) - len])
    }
}
