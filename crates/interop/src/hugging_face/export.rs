//! A decoder and its tokenizer as a folder.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use llm_archive::{PortableElement, write_atomically};
use llm_model::{DecoderModel, ValidConfig};
use llm_tokenizer::{ControlRole, TokenId, Tokenizer};
use safetensors::Dtype;
use safetensors::tensor::{Metadata, TensorInfo};
use serde_json::{Value, json};

use super::{Exported, export_tokenizer};
use crate::error::InteropError;
use crate::names::{interleaved, place};
use crate::rows;
use crate::spelling::{start_token, with_role};

/// See [`super::export`].
pub(super) fn export<E: PortableElement>(
    model: &DecoderModel<E>,
    tokenizer: Option<&Tokenizer>,
    dir: &Path,
) -> Result<Exported, InteropError> {
    demand_loadable(model.config())?;
    demand_empty(dir)?;
    let tokenizer = tokenizer.filter(|tokenizer| tokenizer.knows_text());
    let mut exported = Exported::default();
    if let Some(tokenizer) = tokenizer {
        let written = export_tokenizer::tokenizer_json(tokenizer)?; // before anything is on disk
        write_json(&dir.join("tokenizer.json"), &written.json)?;
        let settings = settings(tokenizer, model.config().context_len);
        write_json(&dir.join("tokenizer_config.json"), &settings)?;
        exported.notes = written.notes;
    }
    write_weights(model, &dir.join("model.safetensors"))?;
    // Last: without it nobody takes the folder for a model.
    write_json(&dir.join("config.json"), &config_json::<E>(model.config(), tokenizer))?;
    Ok(exported)
}

/// `transformers` refuses a `LlamaConfig` whose width is not a multiple of its heads, even where the
/// heads have a width of their own.
fn demand_loadable(config: &ValidConfig) -> Result<(), InteropError> {
    if config.d_model.is_multiple_of(config.n_heads) {
        return Ok(());
    }
    Err(InteropError::inexpressible(format!(
        "transformers opens no model of d_model {} with {} heads, expected a multiple",
        config.d_model, config.n_heads
    )))
}

/// A folder that is not there yet, or is empty: other files in it would be taken for parts of the
/// model.
fn demand_empty(dir: &Path) -> Result<(), InteropError> {
    let problem = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => "is a file, not a folder",
        Err(error) => return Err(InteropError::reading(dir, error)),
        Ok(mut entries) => match entries.next() {
            None => return Ok(()),
            Some(_) => "is not empty; give the name of a new folder",
        },
    };
    Err(InteropError::Target { path: dir.to_path_buf(), problem })
}

fn write_json(path: &Path, value: &Value) -> Result<(), InteropError> {
    let mut text = serde_json::to_vec_pretty(value).expect("a JSON value has a text");
    text.push(b'\n');
    Ok(write_atomically(path, |file| file.write_all(&text))?)
}

/// Keys as `transformers` 4 and 5 read them; those that 5 has renamed are there twice.
fn config_json<E: PortableElement>(config: &ValidConfig, tokenizer: Option<&Tokenizer>) -> Value {
    let dtype = if E::NAME == "f64" { "float64" } else { "float32" };
    let (start, end) = tokenizer.map_or((None, None), |t| (start_token(t), t.end_token()));
    json!({
        "architectures": ["LlamaForCausalLM"],
        "attention_bias": config.attention_bias,
        "bos_token_id": start,
        "dtype": dtype,
        "eos_token_id": end,
        "head_dim": config.head_dim,
        "hidden_act": "silu",
        "hidden_size": config.d_model,
        "intermediate_size": config.d_ff,
        "max_position_embeddings": config.context_len,
        "mlp_bias": false,
        "model_type": "llama",
        "num_attention_heads": config.n_heads,
        "num_hidden_layers": config.n_layers,
        "num_key_value_heads": config.n_kv_heads,
        "rms_norm_eps": config.norm_eps,
        "rope_parameters": {"rope_theta": config.rope_base, "rope_type": "default"},
        "rope_theta": config.rope_base,
        "tie_word_embeddings": config.tied_head,
        "torch_dtype": dtype,
        "vocab_size": config.vocab_size,
    })
}

/// `tokenizer_config.json`. Whether a text begins with the start token is left to the template of
/// `tokenizer.json`.
fn settings(tokenizer: &Tokenizer, context_len: usize) -> Value {
    let text = |id: TokenId| Value::from(tokenizer.spelling(id));
    let mut settings = json!({
        "clean_up_tokenization_spaces": false,
        "model_max_length": context_len,
        "tokenizer_class": "PreTrainedTokenizerFast",
    });
    for (key, id) in [
        ("bos_token", start_token(tokenizer)),
        ("eos_token", tokenizer.end_token()),
        ("pad_token", with_role(tokenizer, ControlRole::Padding)),
        ("unk_token", with_role(tokenizer, ControlRole::Unknown)),
    ] {
        if let Some(id) = id {
            settings[key] = text(id);
        }
    }
    settings
}

/// Writes all parameters, a row at a time, in the element type they have.
fn write_weights<E: PortableElement>(
    model: &DecoderModel<E>,
    path: &Path,
) -> Result<(), InteropError> {
    let config = model.config();
    let output_biases = if config.attention_bias { config.n_layers } else { 0 };
    let header = header::<E>(model, output_biases);
    let padding = header.len().next_multiple_of(8) - header.len(); // data begins at a multiple of 8
    Ok(write_atomically(path, |file| {
        file.write_all(&((header.len() + padding) as u64).to_le_bytes())?;
        file.write_all(header.as_bytes())?;
        file.write_all(&b"        "[..padding])?;
        for parameter in model.parameters() {
            let layout = place(parameter.name()).layout;
            let ours = |row| interleaved(row, config.head_dim);
            rows::for_each_row(parameter.value(), layout, ours, |row| write_elements(file, row))?;
        }
        (0..output_biases).try_for_each(|_| write_elements(file, &vec![E::ZERO; config.d_model]))
    })?)
}

fn write_elements<E: PortableElement>(file: &mut dyn Write, elements: &[E]) -> io::Result<()> {
    elements.iter().try_for_each(|element| {
        let bits = element.bits().to_le_bytes(); // of an f32, the upper half is zero
        file.write_all(&bits[..size_of::<E>()])
    })
}

/// The header: all parameters in order, then the output biases of zeros that a Llama with biases has.
fn header<E: PortableElement>(model: &DecoderModel<E>, output_biases: usize) -> String {
    let parameters = model.parameters().iter().map(|parameter| {
        let place = place(parameter.name());
        (place.hugging_face, rows::shape(parameter.value().shape(), place.layout))
    });
    let biases = (0..output_biases).map(|layer| {
        let name = format!("model.layers.{layer}.self_attn.o_proj.bias");
        (name, vec![model.config().d_model])
    });
    let dtype = if E::NAME == "f64" { Dtype::F64 } else { Dtype::F32 };
    let mut end = 0;
    let tensors = parameters.chain(biases).map(|(name, shape)| {
        let start = end;
        end += shape.iter().product::<usize>() * size_of::<E>();
        (name, TensorInfo { dtype, shape, data_offsets: (start, end) })
    });
    // Without this entry, older versions of transformers do not open the file.
    let format = HashMap::from([("format".to_owned(), "pt".to_owned())]);
    let metadata = Metadata::new(Some(format), tensors.collect())
        .expect("running sums leave no holes and the shapes are those of a model in memory");
    serde_json::to_string(&metadata).expect("a header has a text")
}
