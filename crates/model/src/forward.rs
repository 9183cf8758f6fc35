//! Tokens to hidden states to logits.
//!
//! Comments give shapes: N tokens of all documents, C = d_model, Q = n_heads * head_dim,
//! K = n_kv_heads * head_dim, F = d_ff, V = vocab_size.

use std::ops::Range;

use llm_autograd::{AttentionHeads, AutogradContext, Element, RopeTable, TensorValue};
use llm_corpus::RaggedBatch;

use crate::dropout::Dropout;
use crate::{DecoderModel, DropoutMode, DropoutProbability, ModelError};

impl<E: Element> DecoderModel<E> {
    /// Logits of every token of a ragged list: `[tokens, vocab_size]`, row t for the token after t.
    ///
    /// # Errors
    /// An id outside the vocabulary cannot be in a batch; a document longer than the context can.
    pub fn logits(
        &self,
        context: &AutogradContext<E>,
        ragged: &RaggedBatch,
    ) -> Result<TensorValue<E>, ModelError> {
        let hidden = self.hidden(context, ragged, DropoutProbability::ZERO, DropoutMode::Eval)?;
        Ok(context.matmul_transposed(&hidden, &self.head_leaf(context))) // [N, V]
    }

    /// Normalised hidden states behind the last block, `[tokens, d_model]`.
    pub(crate) fn hidden(
        &self,
        context: &AutogradContext<E>,
        ragged: &RaggedBatch,
        probability: DropoutProbability,
        mode: DropoutMode<'_>,
    ) -> Result<TensorValue<E>, ModelError> {
        let dropout = Dropout { probability, mode, ragged };
        self.read(context, ragged, WholeDocuments { documents: document_ranges(ragged), dropout })
    }

    /// The same, read in any way.
    pub(crate) fn read(
        &self,
        context: &AutogradContext<E>,
        ragged: &RaggedBatch,
        reading: impl Reading<E>,
    ) -> Result<TensorValue<E>, ModelError> {
        let config = self.config();
        let longest = ragged.segments.iter().max_by_key(|segment| segment.len);
        if let Some(segment) = longest.filter(|segment| segment.len > config.context_len) {
            let (ordinal, tokens) = (segment.ordinal, segment.len);
            let context_len = config.context_len;
            return Err(ModelError::ContextLength { ordinal, tokens, context_len });
        }
        let positions_used = longest.map_or(0, |segment| segment.len);
        let rope = RopeTable::new(config.head_dim, config.rope_base, positions_used);
        Ok(Pass::new(context, self, &rope, &ragged.positions, reading).hidden(&ragged.inputs))
    }
}

/// The rows of each document.
pub(crate) fn document_ranges(ragged: &RaggedBatch) -> Vec<Range<usize>> {
    ragged.segments.iter().map(|s| s.start..s.start + s.len).collect()
}

/// What a pass over whole documents and a pass over the next tokens of one do differently.
pub(crate) trait Reading<E> {
    /// The values that each query of block `layer` sees, mixed: `[N, Q]`.
    fn attend(
        &mut self,
        context: &AutogradContext<E>,
        layer: usize,
        queries_keys_values: [&TensorValue<E>; 3],
        heads: AttentionHeads,
    ) -> TensorValue<E>;

    /// Drops features at a site; see [`Dropout::apply`]. A reading without dropout keeps them all.
    fn drop_features(
        &mut self,
        _context: &AutogradContext<E>,
        x: TensorValue<E>,
        _site: u64,
    ) -> TensorValue<E> {
        x
    }
}

/// All tokens of some documents: every key is computed here.
struct WholeDocuments<'d, 'b> {
    documents: Vec<Range<usize>>,
    dropout: Dropout<'d, 'b>,
}

impl<E: Element> Reading<E> for WholeDocuments<'_, '_> {
    fn attend(
        &mut self,
        context: &AutogradContext<E>,
        _layer: usize,
        [queries, keys, values]: [&TensorValue<E>; 3],
        heads: AttentionHeads,
    ) -> TensorValue<E> {
        context.attention(queries, keys, values, heads, &self.documents)
    }

    fn drop_features(
        &mut self,
        context: &AutogradContext<E>,
        x: TensorValue<E>,
        site: u64,
    ) -> TensorValue<E> {
        self.dropout.apply(context, x, site)
    }
}

/// One forward pass. Parameters are taken in their declared order, which is the order in which the
/// formulas need them.
pub(crate) struct Pass<'a, E, R> {
    context: &'a AutogradContext<E>,
    model: &'a DecoderModel<E>,
    rope: &'a RopeTable<E>,
    positions: &'a [usize],
    reading: R,
    /// Index of the next parameter.
    next: usize,
}

impl<'a, E: Element, R: Reading<E>> Pass<'a, E, R> {
    /// A pass over tokens that stand at these positions of their documents.
    pub(crate) fn new(
        context: &'a AutogradContext<E>,
        model: &'a DecoderModel<E>,
        rope: &'a RopeTable<E>,
        positions: &'a [usize],
        reading: R,
    ) -> Self {
        Self { context, model, rope, positions, reading, next: 0 }
    }

    /// Normalised hidden states behind the last block, `[ids.len(), d_model]`.
    pub(crate) fn hidden(mut self, ids: &[u32]) -> TensorValue<E> {
        let table = self.next_parameter();
        let x = self.context.embedding(&table, ids); // [N, C]
        let mut x = self.reading.drop_features(self.context, x, 0);
        for layer in 0..self.model.config().n_layers {
            x = self.attention(x, layer); // [N, C]
            x = self.feed_forward(x, layer); // [N, C]
        }
        self.norm(&x)
    }

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

    /// `x + attention(norm(x)) Wo`
    fn attention(&mut self, x: TensorValue<E>, layer: usize) -> TensorValue<E> {
        let (context, config) = (self.context, self.model.config());
        let h = self.norm(&x); // [N, C]
        let q = self.project(&h, config.attention_bias); // [N, Q]
        let k = self.project(&h, config.attention_bias); // [N, K]
        let v = self.project(&h, config.attention_bias); // [N, K]
        let q = context.rope(&q, self.rope, self.positions);
        let k = context.rope(&k, self.rope, self.positions);
        let heads = AttentionHeads {
            n_heads: config.n_heads,
            n_kv_heads: config.n_kv_heads,
            head_dim: config.head_dim,
        };
        let mixed = self.reading.attend(context, layer, [&q, &k, &v], heads); // [N, Q]
        let y = self.project(&mixed, false); // [N, C]
        let y = self.reading.drop_features(context, y, 2 * layer as u64 + 1);
        context.add(&x, &y)
    }

    /// `x + (silu(norm(x) Wgate) * (norm(x) Wup)) Wdown`
    fn feed_forward(&mut self, x: TensorValue<E>, layer: usize) -> TensorValue<E> {
        let context = self.context;
        let h = self.norm(&x); // [N, C]
        let gate = self.project(&h, false); // [N, F]
        let up = self.project(&h, false); // [N, F]
        let y = self.project(&context.swiglu(&gate, &up), false); // [N, C]
        let y = self.reading.drop_features(context, y, 2 * layer as u64 + 2);
        context.add(&x, &y)
    }
}
