//! A batch to the losses of its targets.

use llm_autograd::{AutogradContext, CrossEntropy, Element, TensorValue};
use llm_corpus::{BatchBinding, RaggedBatch, VariableBatch};

use crate::{DecoderModel, DropoutMode, DropoutProbability, ModelError};

/// Rows of logits that exist at once when nothing is recorded.
const LOGIT_ROWS: usize = 64;

/// The losses of one batch.
#[derive(Clone, Debug)]
pub struct BatchLoss<E> {
    sum: Option<TensorValue<E>>,
    token_nll: Vec<f64>,
}

impl<E: Element> BatchLoss<E> {
    /// The loss of every scored target in nats, in (document, position) order. Sums and means that
    /// must not depend on the cut into batches are made from these.
    pub fn token_nll(&self) -> &[f64] {
        &self.token_nll
    }

    /// Number of scored targets.
    pub fn count(&self) -> usize {
        self.token_nll.len()
    }

    /// Mean loss of this batch in nats per target, for looking at.
    pub fn mean(&self) -> f64 {
        self.token_nll.iter().sum::<f64>() / self.count() as f64
    }

    /// The sum of the losses, to walk back from; `None` if nothing was recorded.
    pub fn sum(&self) -> Option<&TensorValue<E>> {
        self.sum.as_ref()
    }

    /// Whether a gradient can flow back from it.
    pub fn tracks_gradient(&self) -> bool {
        self.sum.as_ref().is_some_and(TensorValue::tracks_gradient)
    }
}

impl<E: Element> DecoderModel<E> {
    /// The losses of a batch, without dropout.
    ///
    /// # Errors
    /// A batch of another binding, of another vocabulary than the model's, or with a document
    /// longer than the context.
    pub fn loss_padded_with_context(
        &self,
        context: &AutogradContext<E>,
        batch: &VariableBatch,
        binding: &BatchBinding,
    ) -> Result<BatchLoss<E>, ModelError> {
        self.loss_with_dropout(context, batch, binding, DropoutProbability::ZERO, DropoutMode::Eval)
    }

    /// The losses of a batch; in [`DropoutMode::Train`] features are dropped.
    ///
    /// # Errors
    /// As [`loss_padded_with_context`](Self::loss_padded_with_context).
    pub fn loss_with_dropout(
        &self,
        context: &AutogradContext<E>,
        batch: &VariableBatch,
        binding: &BatchBinding,
        probability: DropoutProbability,
        mode: DropoutMode<'_>,
    ) -> Result<BatchLoss<E>, ModelError> {
        self.check_batch(batch, binding)?;
        let ragged = batch.ragged();
        let hidden = self.hidden(context, ragged, probability, mode)?; // [N, C]
        if hidden.tracks_gradient() {
            let CrossEntropy { sum, token_nll } = self.recorded_loss(context, hidden, ragged);
            return Ok(BatchLoss { sum: Some(sum), token_nll });
        }
        let (scored, targets) = scored_targets(ragged);
        let head = self.head_leaf(context); // [V, C]
        // Packed once for all chunks; a single one packs as it goes.
        let packed = (scored.len() > LOGIT_ROWS).then(|| context.pack_transposed(&head));
        let mut token_nll = Vec::with_capacity(scored.len());
        for (rows, targets) in scored.chunks(LOGIT_ROWS).zip(targets.chunks(LOGIT_ROWS)) {
            let rows = context.select_rows(&hidden, rows);
            let logits = match &packed {
                Some(packed) => context.matmul_transposed_packed(&rows, packed),
                None => context.matmul_transposed(&rows, &head),
            };
            token_nll.extend(context.cross_entropy(&logits, targets).token_nll);
        }
        Ok(BatchLoss { sum: None, token_nll })
    }

    /// Refuses a batch of another binding or of another vocabulary.
    pub(crate) fn check_batch(
        &self,
        batch: &VariableBatch,
        binding: &BatchBinding,
    ) -> Result<(), ModelError> {
        batch.check(batch.partition(), binding)?;
        let (given, expected) = (binding.vocab_size, self.config().vocab_size);
        if given != expected {
            return Err(ModelError::Vocabulary { given, expected });
        }
        Ok(())
    }

    /// The losses behind hidden states `[N, C]` with their sum, to walk back from.
    pub(crate) fn recorded_loss(
        &self,
        context: &AutogradContext<E>,
        hidden: TensorValue<E>,
        ragged: &RaggedBatch,
    ) -> CrossEntropy<E> {
        let (scored, targets) = scored_targets(ragged);
        let head = self.head_leaf(context); // [V, C]
        let every_token = scored.len() == ragged.len();
        let rows = if every_token { hidden } else { context.select_rows(&hidden, &scored) };
        let logits = context.matmul_transposed(&rows, &head); // [S, V]
        context.cross_entropy(&logits, &targets)
    }
}

/// The rows whose targets are scored, and these targets.
fn scored_targets(ragged: &RaggedBatch) -> (Vec<usize>, Vec<u32>) {
    let rows = (0..ragged.len()).filter(|&row| ragged.scored[row]);
    rows.map(|row| (row, ragged.targets[row])).unzip()
}
