//! The forward pass of the next tokens of a document, on top of a cache.
//!
//! The formulas are those of `forward.rs`; only attention differs, which reads the keys and values
//! of earlier tokens instead of computing them. Every number is the same chain of operations as in
//! the pass over the whole document, so the logits are the same bits.
//!
//! Comments give shapes: N new tokens, T tokens so far with them, C = d_model,
//! Q = n_heads * head_dim, K = n_kv_heads * head_dim, F = d_ff, V = vocab_size.

use llm_autograd::{
    AttentionHeads, AutogradContext, Element, Kernels, RopeTable, Tensor, TensorValue,
};
use llm_corpus::TokenId;

use super::KeyValueCache;
use super::cache::BlockCache;
use crate::{DecoderModel, ModelError};

impl<E: Element> DecoderModel<E> {
    /// Reads the next tokens of the cache's document and gives the logits behind each of them:
    /// `[ids.len(), vocab_size]`, row i for the token after `ids[i]`.
    ///
    /// The same bits as the rows of [`logits`](Self::logits) over the whole document, however it is
    /// cut into calls.
    ///
    /// # Errors
    /// [`ModelError::ChunkLength`] for no token or more than the cache has room for,
    /// [`ModelError::Token`] for an id outside the vocabulary. The cache is then unchanged.
    ///
    /// # Panics
    /// If the cache was made for another configuration.
    ///
    /// # Example
    /// ```
    /// use llm_autograd::Kernels;
    /// use llm_model::{DecoderConfig, DecoderModel, KeyValueCache};
    /// let config = DecoderConfig::reference(10, 8).validate()?;
    /// let model = DecoderModel::<f64>::initialize(config, 39);
    /// let kernels = Kernels::detect();
    ///
    /// let mut cache = KeyValueCache::new(&config, 8)?;
    /// let whole = model.extend(kernels, &mut cache, &[0, 5, 6])?;
    /// cache.truncate(1); // keep the first token, read the others again, one by one
    /// model.step(kernels, &mut cache, 5)?;
    /// let last = model.step(kernels, &mut cache, 6)?;
    /// assert_eq!(whole.row(2), last.row(0));
    /// # Ok::<(), llm_model::ModelError>(())
    /// ```
    pub fn extend(
        &self,
        kernels: Kernels,
        cache: &mut KeyValueCache<E>,
        ids: &[TokenId],
    ) -> Result<Tensor<E>, ModelError> {
        let context = AutogradContext::no_grad_with(kernels);
        let hidden = self.extend_hidden(&context, cache, ids)?; // [N, C]
        let logits = context.matmul_transposed(&hidden, &self.head_leaf(&context)); // [N, V]
        Ok(logits.tensor().clone())
    }

    /// Reads a prompt and gives the logits behind its last token only, `[1, vocab_size]`: a long
    /// prompt with a large vocabulary would make many that nobody needs.
    ///
    /// # Errors
    /// As [`extend`](Self::extend).
    ///
    /// # Panics
    /// If the cache was made for another configuration.
    pub fn prefill(
        &self,
        kernels: Kernels,
        cache: &mut KeyValueCache<E>,
        ids: &[TokenId],
    ) -> Result<Tensor<E>, ModelError> {
        let context = AutogradContext::no_grad_with(kernels);
        let hidden = self.extend_hidden(&context, cache, ids)?; // [N, C]
        let last = context.select_rows(&hidden, &[ids.len() - 1]); // [1, C]
        let logits = context.matmul_transposed(&last, &self.head_leaf(&context)); // [1, V]
        Ok(logits.tensor().clone())
    }

    /// Reads one more token and gives the logits behind it, `[1, vocab_size]`.
    ///
    /// # Errors
    /// As [`extend`](Self::extend).
    ///
    /// # Panics
    /// If the cache was made for another configuration.
    pub fn step(
        &self,
        kernels: Kernels,
        cache: &mut KeyValueCache<E>,
        id: TokenId,
    ) -> Result<Tensor<E>, ModelError> {
        self.extend(kernels, cache, &[id])
    }

    /// Normalised hidden states of the new tokens, `[ids.len(), d_model]`.
    fn extend_hidden(
        &self,
        context: &AutogradContext<E>,
        cache: &mut KeyValueCache<E>,
        ids: &[TokenId],
    ) -> Result<TensorValue<E>, ModelError> {
        assert!(**self.config() == *cache.config(), "a cache of another configuration");
        let (used, capacity) = (cache.len(), cache.capacity());
        if ids.is_empty() || ids.len() > capacity - used {
            return Err(ModelError::ChunkLength { given: ids.len(), used, capacity });
        }
        check_ids(ids, self.config().vocab_size)?;

        let positions: Vec<usize> = (used..used + ids.len()).collect();
        let mut pass = Pass { context, model: self, positions: &positions, next: 0 };
        let table = pass.next_parameter();
        let mut x = context.embedding(&table, ids); // [N, C]
        let KeyValueCache { rope, blocks, .. } = cache;
        for block in blocks {
            x = pass.attention(x, rope, block); // [N, C]
            x = pass.feed_forward(x); // [N, C]
        }
        cache.grow(ids.len());
        Ok(pass.norm(&x))
    }
}

/// Every id must be one of the model's.
pub(super) fn check_ids(ids: &[TokenId], vocab_size: usize) -> Result<(), ModelError> {
    match ids.iter().find(|&&id| id as usize >= vocab_size) {
        Some(&id) => Err(ModelError::Token { id, vocab_size }),
        None => Ok(()),
    }
}

/// One pass over new tokens. Parameters are taken in their declared order, which is the order in
/// which the formulas need them.
struct Pass<'a, E> {
    context: &'a AutogradContext<E>,
    model: &'a DecoderModel<E>,
    positions: &'a [usize],
    next: usize,
}

impl<E: Element> Pass<'_, E> {
    fn next_parameter(&mut self) -> TensorValue<E> {
        self.next += 1;
        self.model.leaf(self.context, self.next - 1)
    }

    fn norm(&mut self, x: &TensorValue<E>) -> TensorValue<E> {
        let gain = self.next_parameter();
        self.context.rms_norm(x, &gain, E::from_f64(self.model.config().norm_eps))
    }

    /// `x W`, plus the bias where the configuration has one.
    fn project(&mut self, x: &TensorValue<E>, bias: bool) -> TensorValue<E> {
        let weight = self.next_parameter();
        let y = self.context.matmul(x, &weight);
        if !bias {
            return y;
        }
        let bias = self.next_parameter();
        self.context.add_row(&y, &bias)
    }

    /// `x + attention(norm(x)) Wo`, where the keys and values of the new tokens join the cache.
    fn attention(
        &mut self,
        x: TensorValue<E>,
        rope: &RopeTable<E>,
        cache: &mut BlockCache<E>,
    ) -> TensorValue<E> {
        let (context, config) = (self.context, self.model.config());
        let h = self.norm(&x); // [N, C]
        let q = self.project(&h, config.attention_bias); // [N, Q]
        let k = self.project(&h, config.attention_bias); // [N, K]
        let v = self.project(&h, config.attention_bias); // [N, K]
        let q = context.rope(&q, rope, self.positions);
        let k = context.rope(&k, rope, self.positions);
        cache.keys.extend_from_slice(k.data()); // [T, K]
        cache.values.extend_from_slice(v.data()); // [T, K]
        let heads = AttentionHeads {
            n_heads: config.n_heads,
            n_kv_heads: config.n_kv_heads,
            head_dim: config.head_dim,
        };
        let mixed = context.cached_attention(&q, &cache.keys, &cache.values, heads); // [N, Q]
        context.add(&x, &self.project(&mixed, false)) // [N, C]
    }

    /// `x + (silu(norm(x) Wgate) * (norm(x) Wup)) Wdown`
    fn feed_forward(&mut self, x: TensorValue<E>) -> TensorValue<E> {
        let context = self.context;
        let h = self.norm(&x); // [N, C]
        let gate = self.project(&h, false); // [N, F]
        let up = self.project(&h, false); // [N, F]
        context.add(&x, &self.project(&context.swiglu(&gate, &up), false)) // [N, C]
    }
}
