//! A folder as a decoder and its tokenizer.

use std::path::Path;

use llm_archive::PortableElement;
use llm_autograd::Tensor;
use llm_model::{DecoderConfig, DecoderModel, parameter_specs};

use super::config::{self, FolderConfig};
use super::shards::Shards;
use super::{Boundaries, ImportOptions, Imported, tokenizer, weights};
use crate::error::InteropError;
use crate::names::{EMBEDDING, HEAD};

/// See [`super::import`].
pub(super) fn import<E: PortableElement>(
    dir: &Path,
    options: &ImportOptions,
) -> Result<Imported<E>, InteropError> {
    let config_path = dir.join("config.json");
    let FolderConfig { mut decoder, output_bias, start, end } = config::read(&config_path)?;
    let mut shards = Shards::open(dir)?;
    let mut notes = Vec::new();

    // Old files carry the rotary angles, which the configuration gives too.
    shards.forget(|name| name.ends_with(".self_attn.rotary_emb.inv_freq"));
    demand_enough_tensors(&config_path, &decoder, &shards)?;
    decoder.tied_head = head_is_tied::<E>(&mut shards, &decoder, &mut notes)?;
    let config = decoder
        .validate()
        .map_err(|source| InteropError::Model { path: config_path.clone(), source })?;

    // The tokenizer first: it fails fast, the weights take time.
    let named = Boundaries { start, end, ..Boundaries::default() };
    let (tokenizer, boundaries) = match options.tokenizer {
        true => {
            let (tokenizer, boundaries) = tokenizer::read(dir, config.vocab_size, named)?;
            (Some(tokenizer), boundaries)
        }
        false => (None, named),
    };
    let specs = parameter_specs(&config);
    let parameters: Vec<Tensor<E>> = specs
        .iter()
        .map(|spec| weights::read_parameter(&mut shards, spec, &config))
        .collect::<Result<_, _>>()?;
    if output_bias {
        (0..config.n_layers)
            .try_for_each(|layer| demand_no_output_bias::<E>(&mut shards, layer, config.d_model))?;
    }
    shards.finish()?;
    let model = DecoderModel::from_parameters(config, parameters)
        .expect("the parameters were read in the order and shapes of their specifications");
    Ok(Imported { model, tokenizer, boundaries, notes })
}

/// Refuses more blocks than there can be tensors for, before a list of their parameters is made.
fn demand_enough_tensors(
    config: &Path,
    decoder: &DecoderConfig,
    shards: &Shards,
) -> Result<(), InteropError> {
    if decoder.n_layers > shards.len() {
        let given = decoder.n_layers.to_string();
        let supported = format!("fewer than the {} tensors that are there", shards.len());
        return Err(InteropError::unsupported(config, "`num_hidden_layers`", given, supported));
    }
    Ok(())
}

/// Whether the head is the embedding.
///
/// A folder that ties them may carry `lm_head` too. If it is the same, nothing is lost; if not, the
/// declaration is wrong about the weights that are there, and both are used, as `transformers` 5 does.
fn head_is_tied<E: PortableElement>(
    shards: &mut Shards,
    decoder: &DecoderConfig,
    notes: &mut Vec<String>,
) -> Result<bool, InteropError> {
    if !decoder.tied_head || !shards.contains(HEAD) {
        return Ok(decoder.tied_head);
    }
    let shape = [decoder.vocab_size, decoder.d_model];
    let embedding: Vec<E> = weights::elements(shards.tensor(EMBEDDING, &shape)?)?;
    let head: Vec<E> = weights::elements(shards.tensor(HEAD, &shape)?)?;
    let same = embedding == head;
    if !same {
        let note = "tie_word_embeddings is true, but lm_head.weight differs from the embedding: \
                    both are used";
        notes.push(note.to_owned());
    }
    Ok(same)
}

/// Llama with `attention_bias` has a bias behind the attention's output, which this decoder has not:
/// only one of zeros changes nothing.
fn demand_no_output_bias<E: PortableElement>(
    shards: &mut Shards,
    layer: usize,
    d_model: usize,
) -> Result<(), InteropError> {
    let name = format!("model.layers.{layer}.self_attn.o_proj.bias");
    let stored = shards.tensor(&name, &[d_model])?;
    let refused =
        stored.refuse("is not zero; supported is a bias of queries, keys and values only");
    let bias: Vec<E> = weights::elements(stored)?;
    if bias.iter().all(|&x| x == E::ZERO) { Ok(()) } else { Err(refused) }
}
