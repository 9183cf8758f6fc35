//! A model as a compressor: what bits per byte mean.
//!
//! Each target takes a share of an interval that is as wide as the model thinks it probable
//! ([`RowRequest`]), so a document costs the sum of its surprisals and at most two bits more.
//! Whoever has the same model can undo it: after each decoded target the next row is known, because
//! a row depends on nothing behind it, and on no batch.
//!
//! Shares are whole numbers: each token gets 1 and then its part of 2^48. A model that is very sure
//! is therefore charged what it deserves (a probability of 1 - 2^-40 is represented), and no token
//! is impossible: one below 2^-48 costs 48 bits at most, less than its surprisal.

use llm_corpus::TokenId;

use crate::range_coder::{Decoder, Encoder, MAX_TOTAL, Share};
use crate::windows::Window;
use crate::{LanguageModel, Place, Row, RowRequest, ScoreError, WindowRule};

/// Frequencies are parts of this.
const RESOLUTION: f64 = (1_u64 << 48) as f64;

/// A compressed document. Its size is [`bits`](Self::bits); the first id and the number of targets
/// are told to the reader as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompressedDocument {
    /// The document's first id, usually the start token.
    pub first: TokenId,
    /// Number of ids behind it.
    pub target_count: usize,
    /// The code. The last byte is filled with zeros.
    pub bytes: Vec<u8>,
    /// How many bits of the code count.
    pub bits: u64,
}

/// Compresses all ids but the first with a model's predictions in the windows of `rule`.
///
/// # Errors
/// As [`score_documents`](crate::score_documents); places are those of the document `name`.
///
/// # Example
/// ```
/// use llm_baselines::NgramModel;
/// use llm_evaluation::{WindowRule, compress, decompress};
///
/// let model = NgramModel::uniform(16)?; // 4 bits per target
/// let ids = [0, 5, 5, 9, 15, 1];
/// let code = compress(&model, "x", &ids, WindowRule::WHOLE)?;
/// assert!(code.bits <= 5 * 4 + 2);
/// assert_eq!(decompress(&model, "x", &code, WindowRule::WHOLE)?, ids);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn compress(
    model: &dyn LanguageModel,
    name: &str,
    ids: &[TokenId],
    rule: WindowRule,
) -> Result<CompressedDocument, ScoreError> {
    let Some(&first) = ids.first() else {
        return Err(ScoreError::Code { problem: "no ids, expected at least a first one".into() });
    };
    let mut encoder = Encoder::new();
    for window in rule.plan(ids.len())?.windows() {
        let window_ids = window.ids(ids);
        let request = RowRequest {
            ids: &window_ids[..window_ids.len() - 1],
            first: window.context_only_count(),
        };
        visit(model, name, &window, request, &mut |row| {
            let target = window_ids[row.position];
            let unknown = || ScoreError::Request {
                place: Place::Request { request: 0, position: row.position },
                problem: format!("token id {target} is outside the vocabulary"),
            };
            let shares = Shares::of(&row)?;
            encoder.encode(shares.share(target as usize).ok_or_else(unknown)?);
            Ok(())
        })?;
    }
    let (bytes, bits) = encoder.finish();
    Ok(CompressedDocument { first, target_count: ids.len() - 1, bytes, bits })
}

/// Gives back the ids that [`compress`] took, with the same model and rule.
///
/// One row is asked for at a time, so this reads each window anew for each of its targets.
///
/// # Errors
/// As [`compress`]. Another model or a changed code gives other ids, not an error: nothing in a
/// code without a checksum can tell.
pub fn decompress(
    model: &dyn LanguageModel,
    name: &str,
    code: &CompressedDocument,
    rule: WindowRule,
) -> Result<Vec<TokenId>, ScoreError> {
    let mut decoder = Decoder::new(&code.bytes);
    let mut ids = vec![code.first];
    let len = code.target_count.checked_add(1).ok_or_else(|| ScoreError::Code {
        problem: format!("{} targets, expected a document that fits memory", code.target_count),
    })?;
    for window in rule.plan(len)?.windows() {
        for end in window.first_target..window.end {
            let read = Window { end, ..window }.ids(&ids);
            visit(model, name, &window, RowRequest::next(&read), &mut |row| {
                let shares = Shares::of(&row)?;
                let id = shares.at(decoder.position(shares.total()));
                let share = shares.share(id).expect("`at` gives a token of the row");
                decoder.consume(share);
                ids.push(id as TokenId);
                Ok(())
            })?;
        }
    }
    Ok(ids)
}

/// One request, with errors that name the document.
fn visit(
    model: &dyn LanguageModel,
    name: &str,
    window: &Window,
    request: RowRequest<'_>,
    visitor: &mut crate::RowVisitor<'_>,
) -> Result<(), ScoreError> {
    let named = |place| match place {
        Place::Request { position, .. } => Place::Document {
            document: name.to_owned(),
            position: window.document_position(position),
        },
        other => other,
    };
    model.visit_rows(&[request], visitor).map_err(|error| error.relocate(named))
}

/// A row as whole numbers: token v owns `ends[v - 1] .. ends[v]`.
struct Shares {
    ends: Vec<u64>,
}

impl Shares {
    fn of(row: &Row<'_>) -> Result<Self, ScoreError> {
        let mut ends = Vec::with_capacity(row.log_probabilities.len());
        let mut total: u64 = 0;
        for &log_probability in row.log_probabilities {
            let probability = libm::exp(log_probability);
            if !(0.0..=1.0).contains(&probability) {
                let place = Place::Request { request: row.request, position: row.position };
                return Err(ScoreError::NonFinite { place, value: log_probability });
            }
            total = total.saturating_add(1 + (probability * RESOLUTION) as u64);
            ends.push(total);
        }
        if total > MAX_TOTAL {
            let problem = "the probabilities of a row sum to more than one".into();
            return Err(ScoreError::Code { problem });
        }
        Ok(Self { ends })
    }

    fn total(&self) -> u64 {
        self.ends.last().copied().unwrap_or(0)
    }

    fn share(&self, id: usize) -> Option<Share> {
        let high = *self.ends.get(id)?;
        let low = id.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(Share { low, high, total: self.total() })
    }

    /// The token that owns a position below the total.
    fn at(&self, position: u64) -> usize {
        self.ends.partition_point(|&end| end <= position)
    }
}
