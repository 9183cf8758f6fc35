//! The decoder as a language model.

use llm_autograd::{AutogradContext, Element, Kernels, Tensor};
use llm_corpus::TokenId;
use llm_model::{DecoderModel, KeyValueCache};
use sha2::{Digest, Sha256};

use crate::{LanguageModel, Place, Row, RowRequest, RowVisitor, ScoreError};

/// Rows of logits that exist at once. A row is as long as the vocabulary, so a whole window of them
/// would outweigh everything else in memory.
const LOGIT_ROWS: usize = 64;

/// Each request is read alone: first its context, of which only the last row is needed, then the
/// rest in pieces that continue the same cache. Reading in pieces gives the bits of reading at
/// once, because attention takes keys in position order. So no other request can touch a request's
/// bits, and a start shared with the request before it (the question before several answers) need
/// not be read again.
impl<E: Element> LanguageModel for DecoderModel<E> {
    fn vocab_size(&self) -> usize {
        self.config().vocab_size
    }

    fn max_context(&self) -> Option<usize> {
        Some(self.config().context_len)
    }

    /// `decoder-f32` or `decoder-f64`, then a SHA-256 of the configuration and all parameters.
    fn identity(&self) -> String {
        let mut hash = Sha256::new();
        // Debug prints every field by name, floats so that they read back to the same bits.
        hash.update(format!("decoder-{} {:?}", E::NAME, **self.config()));
        for parameter in self.parameters() {
            hash.update(format!("\n{} {:?}\n", parameter.name(), parameter.value().shape()));
            parameter.value().data().iter().for_each(|x| hash.update(x.bits().to_le_bytes()));
        }
        let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        format!("decoder-{} sha256:{digits}", E::NAME)
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        requests.iter().enumerate().try_for_each(|(i, request)| request.check(i, self))?;
        let kernels = Kernels::detect();
        let Some(longest) = requests.iter().map(|request| request.ids.len()).max() else {
            return Ok(());
        };
        let mut cache = KeyValueCache::new(self.config(), longest).map_err(ScoreError::model)?;
        let mut read: &[TokenId] = &[];
        for (index, request) in requests.iter().enumerate() {
            let (context, rest) = request.ids.split_at(request.first);
            let kept = shared_start(read, &context[..request.first - 1]);
            cache.truncate(kept);
            read = request.ids;

            let mut rows = Rows { request: index, position: request.first, visit: &mut *visit };
            let context = &context[kept..]; // not empty: its last row is the first wanted
            rows.visit(self.prefill(kernels, &mut cache, context).map_err(ScoreError::model)?)?;
            for ids in rest.chunks(LOGIT_ROWS) {
                rows.visit(self.extend(kernels, &mut cache, ids).map_err(ScoreError::model)?)?;
            }
        }
        Ok(())
    }
}

/// How many ids two lists begin with in common.
pub(crate) fn shared_start(one: &[TokenId], other: &[TokenId]) -> usize {
    one.iter().zip(other).take_while(|(a, b)| a == b).count()
}

/// Hands out the rows of one request, whatever pieces they come in.
struct Rows<'r, 'v> {
    request: usize,
    /// Of the next row.
    position: usize,
    visit: &'r mut RowVisitor<'v>,
}

impl Rows<'_, '_> {
    /// Hands out the log-softmax of each row of `logits: [rows, vocab_size]`.
    fn visit<E: Element>(&mut self, logits: Tensor<E>) -> Result<(), ScoreError> {
        let context = AutogradContext::<E>::no_grad();
        let rows = logits.shape()[0];
        let most_likely: Vec<u32> = (0..rows)
            .map(|row| self.most_likely(row, logits.row(row)))
            .collect::<Result<_, _>>()?;
        // The loss of a row's largest logit is the logarithm of its sum of exponentials. Taken from
        // the training loss, it gives scores with the bits of the losses.
        let log_sums = context.cross_entropy(&context.constant(&logits), &most_likely).token_nll;
        for (row, log_sum) in log_sums.into_iter().enumerate() {
            let logits = logits.row(row);
            let largest = logits[most_likely[row] as usize].to_f64();
            let log_probabilities: Vec<f64> =
                logits.iter().map(|logit| (logit.to_f64() - largest) - log_sum).collect();
            let (request, position) = (self.request, self.position);
            (self.visit)(Row { request, position, log_probabilities: &log_probabilities })?;
            self.position += 1;
        }
        Ok(())
    }

    /// The id with the largest logit; any logit that is not finite is an error.
    fn most_likely<E: Element>(&self, row: usize, logits: &[E]) -> Result<u32, ScoreError> {
        let mut best = 0;
        for (id, logit) in logits.iter().enumerate() {
            if !logit.is_finite() {
                let (request, position) = (self.request, self.position + row);
                let place = Place::Request { request, position };
                return Err(ScoreError::NonFinite { place, value: logit.to_f64() });
            }
            if *logit > logits[best] {
                best = id;
            }
        }
        Ok(best as u32)
    }
}
