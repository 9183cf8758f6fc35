//! What a generator keeps of the tokens it has read.

use llm_autograd::{Element, RopeTable};

use crate::{DecoderConfig, ModelError, ValidConfig};

/// The turned keys and the values of one document's tokens, for every block.
///
/// Attention is causal: what a token adds to later ones, its key and its value, does not depend on
/// them, so nothing of a read token is ever computed again. Memory: `2 * n_layers * n_kv_heads *
/// head_dim` elements per token, taken as tokens come, and the rotary table for all of `capacity`.
///
/// [`DecoderModel::extend`](crate::DecoderModel::extend) shows it in use.
#[derive(Clone, Debug)]
pub struct KeyValueCache<E> {
    config: ValidConfig,
    capacity: usize,
    len: usize,
    /// Computed once, for every position that the cache can hold.
    pub(super) rope: RopeTable<E>,
    pub(super) blocks: Vec<BlockCache<E>>,
}

/// Keys and values of one block, `[tokens, n_kv_heads * head_dim]` each, row-major. Vectors and not
/// tensors, because they grow.
#[derive(Clone, Debug)]
pub(super) struct BlockCache<E> {
    pub(super) keys: Vec<E>,
    pub(super) values: Vec<E>,
}

impl<E: Element> KeyValueCache<E> {
    /// An empty cache for one document of at most `capacity` tokens.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] if the capacity is 0 or larger than the context.
    pub fn new(config: &ValidConfig, capacity: usize) -> Result<Self, ModelError> {
        if capacity == 0 || capacity > config.context_len {
            let given = format!("{capacity} with context_len {}", config.context_len);
            let expected = "at least 1 and at most context_len";
            return Err(ModelError::InvalidConfig { field: "capacity", given, expected });
        }
        let empty = BlockCache { keys: Vec::new(), values: Vec::new() };
        Ok(Self {
            config: *config,
            capacity,
            len: 0,
            rope: RopeTable::new(config.head_dim, config.rope_base, capacity),
            blocks: vec![empty; config.n_layers],
        })
    }

    /// Number of tokens read so far.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no token was read yet.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Most tokens that it can hold.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Forgets all tokens but the first `len`, to continue from there in another way. Does nothing
    /// if there are not more.
    ///
    /// Two answers to one question share the question this way.
    pub fn truncate(&mut self, len: usize) {
        self.len = self.len.min(len);
        let elements = self.len * self.config.n_kv_heads * self.config.head_dim;
        for block in &mut self.blocks {
            block.keys.truncate(elements);
            block.values.truncate(elements);
        }
    }

    /// Counts tokens whose keys and values are now in every block.
    pub(super) fn grow(&mut self, tokens: usize) {
        self.len += tokens;
    }

    /// The configuration of the models whose tokens it can hold.
    pub(super) fn config(&self) -> &DecoderConfig {
        &self.config
    }
}
