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
        let DecoderConfig {
            vocab_size,
            d_model,
            n_layers,
            n_heads,
            n_kv_heads,
            head_dim,
            d_ff,
            context_len,
            rope_base,
            norm_eps,
            tied_head,
            attention_bias,
        } = *config;
        Self {
            vocab_size,
            d_model,
            n_layers,
            n_heads,
            n_kv_heads,
            head_dim,
            d_ff,
            context_len,
            rope_base,
            norm_eps,
            tied_head,
            attention_bias,
            dtype: dtype.to_owned(),
        }
    }
}

impl From<&StoredConfig> for DecoderConfig {
    fn from(stored: &StoredConfig) -> Self {
        let &StoredConfig {
            vocab_size,
            d_model,
            n_layers,
            n_heads,
            n_kv_heads,
            head_dim,
            d_ff,
            context_len,
            rope_base,
            norm_eps,
            tied_head,
            attention_bias,
            dtype: _,
        } = stored;
        Self {
            vocab_size,
            d_model,
            n_layers,
            n_heads,
            n_kv_heads,
            head_dim,
            d_ff,
            context_len,
            rope_base,
            norm_eps,
            tied_head,
            attention_bias,
        }
    }
}
