//! Several continuations of one document, read at once.
//!
//! The options of a question, the candidates of a search: what stands before them is the same and
//! was read once. Their tokens become the rows of one list, so every weight is fetched once for all
//! of them; only attention runs branch by branch, each over the shared keys and then its own. A
//! row of a matrix product does not depend on the other rows, so the logits are the same bits as
//! if each branch were read alone.
//!
//! Comments give shapes: N tokens of all branches, C = d_model, Q = n_heads * head_dim,
//! K = n_kv_heads * head_dim, V = vocab_size.

use llm_autograd::{AttentionHeads, AutogradContext, Element, Kernels, Tensor, TensorValue};
use llm_corpus::TokenId;

use super::KeyValueCache;
use super::cache::BlockCache;
use super::extend::check_ids;
use crate::forward::{Pass, Reading};
use crate::{DecoderModel, ModelError};

impl<E: Element> DecoderModel<E> {
    /// Reads each branch as if it came next in the cache's document, and leaves the cache as it is.
    /// For each branch the logits behind its tokens, `[branch.len(), vocab_size]`: the same bits as
    /// from [`extend`](Self::extend) with this branch alone. An empty branch has no rows.
    ///
    /// Memory: the logits of all branches, and a copy of one block's keys and values.
    ///
    /// # Errors
    /// [`ModelError::ChunkLength`] for the first branch that is longer than the cache has room
    /// for, [`ModelError::Token`] for an id outside the vocabulary.
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
    /// let mut cache = KeyValueCache::new(&config, 8)?;
    /// model.prefill(kernels, &mut cache, &[0, 5])?;
    ///
    /// let branches = model.extend_branches(kernels, &cache, &[&[6, 7], &[8]])?;
    /// assert_eq!((branches[0].shape(), cache.len()), (&[2, 10][..], 2));
    /// let alone = model.extend(kernels, &mut cache, &[8])?;
    /// assert_eq!(branches[1], alone);
    /// # Ok::<(), llm_model::ModelError>(())
    /// ```
    pub fn extend_branches(
        &self,
        kernels: Kernels,
        cache: &KeyValueCache<E>,
        branches: &[&[TokenId]],
    ) -> Result<Vec<Tensor<E>>, ModelError> {
        assert!(**self.config() == *cache.config(), "a cache of another configuration");
        let (used, capacity) = (cache.len(), cache.capacity());
        let lengths: Vec<usize> = branches.iter().map(|branch| branch.len()).collect();
        if let Some(&given) = lengths.iter().find(|&&len| len > capacity - used) {
            return Err(ModelError::ChunkLength { given, used, capacity });
        }
        let ids = branches.concat();
        check_ids(&ids, self.config().vocab_size)?;

        let positions: Vec<usize> = lengths.iter().flat_map(|len| used..used + len).collect();
        let reading = Branches { blocks: &cache.blocks, lengths: &lengths };
        Ok(self.on_pool(kernels, ids.len(), |context| {
            let pass = Pass::new(context, self, &cache.rope, &positions, reading);
            let hidden = pass.hidden(&ids); // [N, C]
            let logits = context.matmul_transposed(&hidden, &self.head_leaf(context)); // [N, V]
            cut_rows(logits.tensor(), &lengths)
        }))
    }
}

/// Cuts a matrix into matrices of so many rows each.
fn cut_rows<E: Element>(matrix: &Tensor<E>, row_counts: &[usize]) -> Vec<Tensor<E>> {
    let width = matrix.shape()[1];
    let mut rest = matrix.data();
    let mut parts = Vec::with_capacity(row_counts.len());
    for &rows in row_counts {
        let (part, behind) = rest.split_at(rows * width);
        parts.push(Tensor::new(&[rows, width], part.to_vec()));
        rest = behind;
    }
    parts
}

/// The next tokens of several documents that begin alike.
struct Branches<'a, E> {
    /// Keys and values of the shared beginning.
    blocks: &'a [BlockCache<E>],
    /// Tokens of each branch.
    lengths: &'a [usize],
}

impl<E: Element> Reading<E> for Branches<'_, E> {
    fn attend(
        &mut self,
        context: &AutogradContext<E>,
        layer: usize,
        [queries, keys, values]: [&TensorValue<E>; 3],
        heads: AttentionHeads,
    ) -> TensorValue<E> {
        // Copied once for all branches: each appends its own and is cut off again.
        let BlockCache { keys: mut all_keys, values: mut all_values } = self.blocks[layer].clone();
        let shared = all_keys.len();
        let cut = |x: &TensorValue<E>| cut_rows(x.tensor(), self.lengths);
        let mut mixed = Vec::with_capacity(queries.data().len()); // [N, Q]
        for ((queries, keys), values) in cut(queries).iter().zip(cut(keys)).zip(cut(values)) {
            all_keys.truncate(shared);
            all_keys.extend_from_slice(keys.data());
            all_values.truncate(shared);
            all_values.extend_from_slice(values.data());
            let queries = context.constant(queries);
            let branch = context.cached_attention(&queries, &all_keys, &all_values, heads);
            mixed.extend_from_slice(branch.data());
        }
        context.constant(&Tensor::new(queries.shape(), mixed))
    }
}
