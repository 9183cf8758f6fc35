//! The decoder as a language model.

use llm_autograd::{AutogradContext, Element, Kernels, Tensor};
use llm_corpus::TokenId;
use llm_model::{DecoderModel, KeyValueCache};
use sha2::{Digest, Sha256};

use crate::{LanguageModel, Place, Row, RowRequest, RowVisitor, ScoreError, sha256};

/// Rows of logits that exist at once. A row is as long as the vocabulary, so a whole window of them
/// would outweigh everything else in memory.
const LOGIT_ROWS: usize = 64;

/// A request is read in two parts: first its context, of which only the last row is needed, then
/// the rest in pieces that continue the same cache. Reading in pieces gives the bits of reading at
/// once, because attention takes keys in position order.
///
/// Neighbours with the same context, as the options of a question are, share it: it is read once,
/// and then all rests at once, as branches of one document. Nor is a start read again that the ids
/// read just before have too. Neither touches a bit, so no request depends on another.
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
        format!("decoder-{} sha256:{}", E::NAME, sha256::digits(hash))
    }

    fn visit_rows(
        &self,
        requests: &[RowRequest<'_>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        requests.iter().enumerate().try_for_each(|(i, request)| request.check(i, self))?;
        let Some(longest) = requests.iter().map(|request| request.ids.len()).max() else {
            return Ok(());
        };
        let cache = KeyValueCache::new(self.config(), longest).map_err(ScoreError::model)?;
        let kernels = Kernels::detect();
        let mut reader = Reader { model: self, kernels, cache, read: &[] };
        let mut first = 0;
        while first < requests.len() {
            let group = behind_one_context(&requests[first..]);
            reader.visit(first, group, visit)?;
            first += group.len();
        }
        Ok(())
    }
}

/// The first request and those after it with the same context, as long as the rows behind it are
/// few.
fn behind_one_context<'r, 'a>(requests: &'r [RowRequest<'a>]) -> &'r [RowRequest<'a>] {
    let context = |request: &RowRequest<'a>| &request.ids[..request.first];
    let mut rows = 0;
    let mut count = 0;
    for request in requests {
        rows += request.ids.len() - request.first;
        if rows > LOGIT_ROWS || context(request) != context(&requests[0]) {
            break;
        }
        count += 1;
    }
    &requests[..count.max(1)]
}

/// Reads requests one after the other with one cache.
struct Reader<'m, 'a, E> {
    model: &'m DecoderModel<E>,
    kernels: Kernels,
    cache: KeyValueCache<E>,
    /// The ids in the cache.
    read: &'a [TokenId],
}

impl<'a, E: Element> Reader<'_, 'a, E> {
    /// Hands out the rows of requests behind one context, of which the first has number `first`.
    fn visit(
        &mut self,
        first: usize,
        group: &[RowRequest<'a>],
        visit: &mut RowVisitor<'_>,
    ) -> Result<(), ScoreError> {
        let (context, rest) = group[0].ids.split_at(group[0].first);
        let next = self.read_context(context)?;
        let mut rows = Rows { request: first, position: context.len(), visit };
        if group.len() == 1 {
            rows.visit(&next)?;
            for ids in rest.chunks(LOGIT_ROWS) {
                let logits = self.model.extend(self.kernels, &mut self.cache, ids);
                rows.visit(&logits.map_err(ScoreError::model)?)?;
            }
            self.read = group[0].ids;
            return Ok(());
        }
        let branches: Vec<_> = group.iter().map(|request| &request.ids[context.len()..]).collect();
        let logits = self.model.extend_branches(self.kernels, &self.cache, &branches);
        for (request, logits) in (first..).zip(logits.map_err(ScoreError::model)?) {
            (rows.request, rows.position) = (request, context.len());
            rows.visit(&next)?; // the same for all of them
            rows.visit(&logits)?;
        }
        Ok(())
    }

    /// Makes the cache that of a context, and gives the logits behind its last id, `[1,
    /// vocab_size]`.
    fn read_context(&mut self, context: &'a [TokenId]) -> Result<Tensor<E>, ScoreError> {
        // The last id is read in any case: the row behind it is wanted.
        let kept = shared_start(self.read, &context[..context.len() - 1]);
        self.cache.truncate(kept);
        let next = self.model.prefill(self.kernels, &mut self.cache, &context[kept..]);
        self.read = context;
        next.map_err(ScoreError::model)
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
    fn visit<E: Element>(&mut self, logits: &Tensor<E>) -> Result<(), ScoreError> {
        let context = AutogradContext::<E>::no_grad();
        let rows = logits.shape()[0];
        let most_likely: Vec<u32> = (0..rows)
            .map(|row| self.most_likely(row, logits.row(row)))
            .collect::<Result<_, _>>()?;
        // The loss of a row's largest logit is the logarithm of its sum of exponentials. Taken from
        // the training loss, it gives scores with the bits of the losses.
        let log_sums = context.cross_entropy(&context.constant(logits), &most_likely).token_nll;
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
