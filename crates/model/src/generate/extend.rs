//! The forward pass of the next tokens of a document, on top of a cache.
//!
//! The pass is that of `forward.rs`; only attention differs, which reads the keys and values of
//! earlier tokens instead of computing them. Every number is the same chain of operations as in
//! the pass over the whole document, so the logits are the same bits.
//!
//! Comments give shapes: N new tokens, T tokens so far with them, C = d_model,
//! K = n_kv_heads * head_dim, V = vocab_size.

use llm_autograd::{AttentionHeads, AutogradContext, Element, Kernels, Tensor, TensorValue};
use llm_corpus::TokenId;

use super::KeyValueCache;
use super::cache::BlockCache;
use crate::forward::{Pass, Reading};
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
        self.on_pool(kernels, ids.len(), |context| {
            let hidden = self.extend_hidden(context, cache, ids)?; // [N, C]
            let logits = context.matmul_transposed(&hidden, &self.head_leaf(context)); // [N, V]
            Ok(logits.tensor().clone())
        })
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
        self.on_pool(kernels, ids.len(), |context| {
            let hidden = self.extend_hidden(context, cache, ids)?; // [N, C]
            let last = context.select_rows(&hidden, &[ids.len() - 1]); // [1, C]
            let logits = context.matmul_transposed(&last, &self.head_leaf(context)); // [1, V]
            Ok(logits.tensor().clone())
        })
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

    /// Runs a forward pass of so many tokens that nobody records, on the thread pool if it is large.
    pub(super) fn on_pool<R: Send>(
        &self,
        kernels: Kernels,
        tokens: usize,
        pass: impl FnOnce(&AutogradContext<E>) -> R + Send,
    ) -> R {
        let multiply_adds = self.config().multiply_adds(tokens);
        kernels.on_pool(multiply_adds, || pass(&AutogradContext::no_grad_with(kernels)))
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
        let reading = NextTokens { blocks: &mut cache.blocks };
        let hidden = Pass::new(context, self, &cache.rope, &positions, reading).hidden(ids);
        cache.grow(ids.len());
        Ok(hidden)
    }
}

/// Every id must be one of the model's.
pub(super) fn check_ids(ids: &[TokenId], vocab_size: usize) -> Result<(), ModelError> {
    match ids.iter().find(|&&id| id as usize >= vocab_size) {
        Some(&id) => Err(ModelError::Token { id, vocab_size }),
        None => Ok(()),
    }
}

/// The next tokens of one document: their keys and values join those of the tokens before.
struct NextTokens<'a, E> {
    blocks: &'a mut [BlockCache<E>],
}

impl<E: Element> Reading<E> for NextTokens<'_, E> {
    fn attend(
        &mut self,
        context: &AutogradContext<E>,
        layer: usize,
        [queries, keys, values]: [&TensorValue<E>; 3],
        heads: AttentionHeads,
    ) -> TensorValue<E> {
        let block = &mut self.blocks[layer];
        block.keys.extend_from_slice(keys.data()); // [T, K]
        block.values.extend_from_slice(values.data()); // [T, K]
        context.cached_attention(queries, &block.keys, &block.values, heads)
    }
}
