//! What is in a folder.

use anyhow::Context;
use llm_from_scratch_practical::interop::hugging_face::Imported;
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer};
use serde::Serialize;

/// The sizes of a model, as this course calls them, and its identity as an archive.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelReport {
    /// Rows of the embedding.
    pub vocab_size: usize,
    /// Rows that no token has: the table is padded.
    pub padding_rows: usize,
    /// Features of a token between the blocks.
    pub d_model: usize,
    /// Blocks.
    pub n_layers: usize,
    /// Query heads.
    pub n_heads: usize,
    /// Key and value heads.
    pub n_kv_heads: usize,
    /// Features of a head.
    pub head_dim: usize,
    /// Hidden features of the feed-forward layer.
    pub d_ff: usize,
    /// Most tokens of a document.
    pub context_len: usize,
    /// Whether the output head is the embedding.
    pub tied_head: bool,
    /// Number of weights.
    pub parameters: usize,
    /// Identity of model and tokenizer in one file of ours.
    pub model_sha256: String,
}

/// A text in tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TextReport {
    /// The text.
    pub text: String,
    /// Its tokens as people write them, framed as a document.
    pub tokens: Vec<String>,
    /// Their ids.
    pub ids: Vec<TokenId>,
    /// How many tokens the text of the end token has, when it is text.
    pub end_token_as_text: usize,
}

impl ModelReport {
    pub(crate) fn new(imported: &Imported<f64>) -> anyhow::Result<Self> {
        let config = imported.model.config();
        let tokenizer = tokenizer(imported)?;
        let ids = 0..config.vocab_size as TokenId;
        Ok(Self {
            vocab_size: config.vocab_size,
            padding_rows: ids.filter(|&id| tokenizer.token_bytes(id).is_none()).count(),
            d_model: config.d_model,
            n_layers: config.n_layers,
            n_heads: config.n_heads,
            n_kv_heads: config.n_kv_heads,
            head_dim: config.head_dim,
            d_ff: config.d_ff,
            context_len: config.context_len,
            tied_head: config.tied_head,
            parameters: config.parameter_count(),
            model_sha256: imported.portable()?.model_id().to_owned(),
        })
    }
}

impl TextReport {
    pub(crate) fn new(imported: &Imported<f64>, text: &str) -> anyhow::Result<Self> {
        let tokenizer = tokenizer(imported)?;
        let ids = tokenizer.encode_document(text.as_bytes())?;
        let end = tokenizer.end_token().map_or(String::new(), |id| tokenizer.spelling(id));
        Ok(Self {
            text: text.to_owned(),
            tokens: ids.iter().map(|&id| tokenizer.spelling(id)).collect(),
            ids,
            end_token_as_text: tokenizer.encode(end.as_bytes())?.len(),
        })
    }
}

/// The tokenizer, which is there since it was asked for.
pub(crate) fn tokenizer(imported: &Imported<f64>) -> anyhow::Result<&Tokenizer> {
    imported.tokenizer.as_ref().context("the folder has no tokenizer")
}
