//! The configuration as a model file spells it.

use llm_model::DecoderConfig;
use serde::{Deserialize, Serialize};

/// Every field of [`DecoderConfig`], and the element type, which a `DecoderModel` carries as its type
/// parameter. Spelled out, so that a field that is added to the decoder cannot change the format
/// without somebody noticing here.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StoredConfig {
    vocab_size: usize,
    d_model: usize,
    n_layers: usize,
    n_heads: usize,
    n_kv_heads: usize,
    head_dim: usize,
    d_ff: usize,
    context_len: usize,
    rope_base: f64,
    norm_eps: f64,
    tied_head: bool,
    attention_bias: bool,
    /// `"f64"` or `"f32"`.
    pub(super) dtype: String,
}

impl StoredConfig {
    pub(super) fn new(config: &DecoderConfig, dtype: &str) -> Self {
        Self {
            vocab_size: config.vocab_size,
            d_model: config.d_model,
            n_layers: config.n_layers,
            n_heads: config.n_heads,
            n_kv_heads: config.n_kv_heads,
            head_dim: config.head_dim,
            d_ff: config.d_ff,
            context_len: config.context_len,
            rope_base: config.rope_base,
            norm_eps: config.norm_eps,
            tied_head: config.tied_head,
            attention_bias: config.attention_bias,
            dtype: dtype.to_owned(),
        }
    }
}

impl From<&StoredConfig> for DecoderConfig {
    fn from(stored: &StoredConfig) -> Self {
        Self {
            vocab_size: stored.vocab_size,
            d_model: stored.d_model,
            n_layers: stored.n_layers,
            n_heads: stored.n_heads,
            n_kv_heads: stored.n_kv_heads,
            head_dim: stored.head_dim,
            d_ff: stored.d_ff,
            context_len: stored.context_len,
            rope_base: stored.rope_base,
            norm_eps: stored.norm_eps,
            tied_head: stored.tied_head,
            attention_bias: stored.attention_bias,
        }
    }
}
