//! Where each parameter stands in the files of others: its name there and how its numbers lie.

/// How a parameter of ours lies in a file of others. They store a matrix as `[output, input]`, we as
/// `[input, output]`; a vector lies the same way in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The same order: the embedding, an untied head, gains.
    Same,
    /// A matrix with its axes exchanged, or a bias.
    Transposed,
    /// As `Transposed`, for queries and keys, whose features the rotary embedding turns in pairs:
    /// neighbours (2j, 2j + 1) here and in llama.cpp, the halves (j, j + head_dim / 2) in Hugging
    /// Face folders.
    Rotary,
}

/// The names of one parameter elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) hugging_face: String,
    pub(crate) gguf: String,
    pub(crate) layout: Layout,
}

/// Ours, in a Hugging Face folder, in a GGUF file: parameters of a block, without its number.
const OF_A_BLOCK: [(&str, &str, &str, Layout); 12] = [
    ("attention_norm.gain", "input_layernorm.weight", "attn_norm.weight", Layout::Same),
    ("attention.query.weight", "self_attn.q_proj.weight", "attn_q.weight", Layout::Rotary),
    ("attention.query.bias", "self_attn.q_proj.bias", "attn_q.bias", Layout::Rotary),
    ("attention.key.weight", "self_attn.k_proj.weight", "attn_k.weight", Layout::Rotary),
    ("attention.key.bias", "self_attn.k_proj.bias", "attn_k.bias", Layout::Rotary),
    ("attention.value.weight", "self_attn.v_proj.weight", "attn_v.weight", Layout::Transposed),
    ("attention.value.bias", "self_attn.v_proj.bias", "attn_v.bias", Layout::Transposed),
    (
        "attention.output.weight",
        "self_attn.o_proj.weight",
        "attn_output.weight",
        Layout::Transposed,
    ),
    ("ffn_norm.gain", "post_attention_layernorm.weight", "ffn_norm.weight", Layout::Same),
    ("ffn.gate.weight", "mlp.gate_proj.weight", "ffn_gate.weight", Layout::Transposed),
    ("ffn.up.weight", "mlp.up_proj.weight", "ffn_up.weight", Layout::Transposed),
    ("ffn.down.weight", "mlp.down_proj.weight", "ffn_down.weight", Layout::Transposed),
];

/// Ours, in a Hugging Face folder, in a GGUF file: parameters of the whole model.
const OF_THE_MODEL: [(&str, &str, &str); 3] = [
    ("token_embedding.weight", EMBEDDING, "token_embd.weight"),
    ("final_norm.gain", "model.norm.weight", "output_norm.weight"),
    ("output_head.weight", HEAD, "output.weight"),
];

/// The embedding in a Hugging Face folder.
pub(crate) const EMBEDDING: &str = "model.embed_tokens.weight";
/// The output head in a Hugging Face folder.
pub(crate) const HEAD: &str = "lm_head.weight";

/// Where a parameter of [`llm_model::parameter_specs`] stands elsewhere.
pub(crate) fn place(parameter: &str) -> Place {
    if let Some((block, part)) =
        parameter.strip_prefix("blocks.").and_then(|rest| rest.split_once('.'))
    {
        let found = OF_A_BLOCK.into_iter().find(|(ours, ..)| *ours == part);
        let (_, hugging_face, gguf, layout) = found.expect("every parameter of a block is listed");
        return Place {
            hugging_face: format!("model.layers.{block}.{hugging_face}"),
            gguf: format!("blk.{block}.{gguf}"),
            layout,
        };
    }
    let found = OF_THE_MODEL.into_iter().find(|(ours, ..)| *ours == parameter);
    let (_, hugging_face, gguf) = found.expect("every parameter of the model is listed");
    Place { hugging_face: hugging_face.into(), gguf: gguf.into(), layout: Layout::Same }
}

/// Which of our features row `row` of a Hugging Face query or key matrix is.
///
/// The rotary embedding turns features in pairs: the halves (j, j + head_dim / 2) of a head there, the
/// neighbours (2j, 2j + 1) here. The angles are the same, only the places differ, so attention does not
/// change: queries and keys are permuted alike and their products are sums over the same pairs.
///
/// # Example
/// ```
/// use llm_interop::hugging_face::interleaved;
/// let ours: Vec<usize> = (0..8).map(|row| interleaved(row, 4)).collect(); // two heads
/// assert_eq!(ours, [0, 2, 1, 3, 4, 6, 5, 7]);
/// ```
pub fn interleaved(row: usize, head_dim: usize) -> usize {
    let (head, feature, half) = (row / head_dim, row % head_dim, head_dim / 2);
    head * head_dim + 2 * (feature % half) + feature / half
}

#[cfg(test)]
mod tests {
    use llm_model::{DecoderConfig, parameter_specs};

    use super::*;

    #[test]
    fn every_parameter_has_a_place_of_its_own() {
        let mut config = DecoderConfig::reference(266, 8);
        (config.n_layers, config.attention_bias, config.tied_head) = (2, true, false);
        let specs = parameter_specs(&config.validate().unwrap());
        let places: Vec<Place> = specs.iter().map(|spec| place(&spec.name)).collect();
        for (at, one) in places.iter().enumerate() {
            for other in &places[..at] {
                assert!(one.hugging_face != other.hugging_face && one.gguf != other.gguf);
            }
        }
        assert_eq!(place("blocks.1.attention.key.bias").gguf, "blk.1.attn_k.bias");
    }
}
