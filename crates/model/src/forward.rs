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
        let config = self.config();
        let longest = ragged.segments.iter().max_by_key(|segment| segment.len);
        if let Some(segment) = longest.filter(|segment| segment.len > config.context_len) {
            let (ordinal, tokens) = (segment.ordinal, segment.len);
            let context_len = config.context_len;
            return Err(ModelError::ContextLength { ordinal, tokens, context_len });
        }
        let mut block = Block {
            context,
            model: self,
            rope: RopeTable::new(
                config.head_dim,
                config.rope_base,
                longest.map_or(0, |segment| segment.len),
            ),
            documents: ragged.segments.iter().map(|s| s.start..s.start + s.len).collect(),
            positions: &ragged.positions,
            dropout: Dropout { probability, mode, ragged },
            next: 0,
        };
        let table = block.next_parameter();
        let mut x = context.embedding(&table, &ragged.inputs); // [N, C]
        x = block.dropout.apply(context, x, 0);
        for layer in 0..config.n_layers {
            x = block.attention(x, layer); // [N, C]
            x = block.feed_forward(x, layer); // [N, C]
        }
        let gain = block.next_parameter();
        Ok(context.rms_norm(&x, &gain, E::from_f64(config.norm_eps)))
    }
}

/// What all blocks of one forward pass share. Parameters are taken in their declared order, which
/// is the order in which the formulas need them.
struct Block<'a, 'd, E> {
    context: &'a AutogradContext<E>,
    model: &'a DecoderModel<E>,
    rope: RopeTable<E>,
    documents: Vec<Range<usize>>,
    positions: &'a [usize],
    dropout: Dropout<'d, 'a>,
    next: usize,
}

impl<E: Element> Block<'_, '_, E> {
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
        let q = context.rope(&q, &self.rope, self.positions);
        let k = context.rope(&k, &self.rope, self.positions);
        let heads = AttentionHeads {
            n_heads: config.n_heads,
            n_kv_heads: config.n_kv_heads,
            head_dim: config.head_dim,
        };
        let mixed = context.attention(&q, &k, &v, heads, &self.documents); // [N, Q]
        let y = self.project(&mixed, false); // [N, C]
        let y = self.dropout.apply(context, y, 2 * layer as u64 + 1);
        context.add(&x, &y)
    }

    /// `x + (silu(norm(x) Wgate) * (norm(x) Wup)) Wdown`
    fn feed_forward(&mut self, x: TensorValue<E>, layer: usize) -> TensorValue<E> {
        let context = self.context;
        let h = self.norm(&x); // [N, C]
        let gate = self.project(&h, false); // [N, F]
        let up = self.project(&h, false); // [N, F]
        let y = self.project(&context.swiglu(&gate, &up), false); // [N, C]
        let y = self.dropout.apply(context, y, 2 * layer as u64 + 2);
        context.add(&x, &y)
    }
}
