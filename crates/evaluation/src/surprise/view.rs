//! Records of a pass beside the bytes of their tokens, in reading order.

use std::collections::BTreeMap;

use llm_corpus::TokenId;
use llm_metrics::{ExactSum, nats_to_bits};
use llm_tokenizer::Tokenizer;

use super::{Piece, visible_pieces};
use crate::{RecordSummary, ScoreError, TargetRecord};

/// Every target of some documents with its surprise, ready to be shown.
///
/// A first token without a start token before it has no record and is not shown.
///
/// # Example
/// ```
/// use std::num::NonZeroUsize;
/// use llm_baselines::NgramModel;
/// use llm_corpus::{Document, Partition};
/// use llm_evaluation::{FramedDocument, Framing, SurpriseView, WindowRule, collect_records};
///
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let text = Document::new("x", Partition::Test, "b\na");
/// let documents = [FramedDocument::encode(&text, &tokenizer, Framing::DOCUMENT)?];
/// let model = NgramModel::uniform(tokenizer.vocab_size())?;
/// let rule = WindowRule { window: 8, stride: 1, bos_per_window: false };
/// let (records, _) = collect_records(&model, &documents, rule, NonZeroUsize::MIN)?;
///
/// let view = SurpriseView::new(&records, &tokenizer)?;
/// let shown: Vec<String> = view.documents()[0].targets.iter().map(|t| t.text()).collect();
/// assert_eq!(shown, ["b", "↵", "a", "⟨end⟩"]);
/// assert!(view.to_terminal(false).contains("8.06")); // log2 266 bits each
/// assert!(view.to_html("Uniform").starts_with("<!DOCTYPE html>"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct SurpriseView {
    documents: Vec<SurpriseDocument>,
    summary: RecordSummary,
}

/// One document's targets in order.
#[derive(Clone, Debug, PartialEq)]
pub struct SurpriseDocument {
    /// Its name, as in the records.
    pub id: String,
    /// At least one.
    pub targets: Vec<SurpriseTarget>,
}

/// One target.
#[derive(Clone, Debug, PartialEq)]
pub struct SurpriseTarget {
    /// Position in the document's ids.
    pub position: usize,
    /// Its surprise in bits.
    pub bits: f64,
    /// 1 + the number of tokens that were more probable.
    pub rank: u64,
    /// Its bytes, or what kind of control token it is.
    pub shown: Vec<Piece>,
    /// Targets between the one before and this one that have no record.
    pub missing_before: usize,
}

impl SurpriseDocument {
    /// Bits per target.
    pub fn mean_bits(&self) -> f64 {
        let total: ExactSum = self.targets.iter().map(|target| target.bits).collect();
        total.value() / self.targets.len() as f64
    }
}

impl SurpriseTarget {
    /// Text and marks in one.
    pub fn text(&self) -> String {
        self.shown.iter().map(Piece::as_str).collect()
    }
}

impl SurpriseView {
    /// Puts records beside the bytes that `tokenizer` gives their tokens. Documents stand in the
    /// order of their first records, targets in the order of their positions.
    ///
    /// # Errors
    /// As [`RecordSummary::add`]; [`ScoreError::Metric`] without records; [`ScoreError::Count`] for
    /// a token whose bytes are not as many as its record says: another tokenizer made it.
    pub fn new(records: &[TargetRecord], tokenizer: &Tokenizer) -> Result<Self, ScoreError> {
        let summary = RecordSummary::from_records(records.iter().cloned())?;
        summary.metrics()?;
        let mut order: BTreeMap<&str, usize> = BTreeMap::new();
        let mut documents: Vec<SurpriseDocument> = Vec::new();
        for record in records {
            let next = documents.len();
            let place = *order.entry(&record.document).or_insert(next);
            if place == next {
                let id = record.document.clone();
                documents.push(SurpriseDocument { id, targets: Vec::new() });
            }
            check_bytes(record, tokenizer)?;
            documents[place].targets.push(SurpriseTarget {
                position: record.position,
                bits: nats_to_bits(0.0 - record.log_probability),
                rank: record.rank_best,
                shown: shown(record.token, tokenizer),
                missing_before: 0,
            });
        }
        for document in &mut documents {
            document.targets.sort_by_key(|target| target.position);
            let mut expected = 1;
            for target in &mut document.targets {
                target.missing_before = target.position - expected;
                expected = target.position + 1;
            }
        }
        Ok(Self { documents, summary })
    }

    /// The documents, at least one.
    pub fn documents(&self) -> &[SurpriseDocument] {
        &self.documents
    }

    /// The pooled numbers of all records.
    pub fn summary(&self) -> &RecordSummary {
        &self.summary
    }
}

/// Refuses a token that the tokenizer knows with another number of bytes.
fn check_bytes(record: &TargetRecord, tokenizer: &Tokenizer) -> Result<(), ScoreError> {
    let Some(given) = record.bytes else { return Ok(()) };
    let expected = tokenizer.token_bytes(record.token).map_or(0, |bytes| bytes.len() as u64);
    if given == expected {
        return Ok(());
    }
    let (document, what) = (record.document.clone(), "bytes of a token by its record");
    Err(ScoreError::Count { document, what, given, expected })
}

fn shown(token: TokenId, tokenizer: &Tokenizer) -> Vec<Piece> {
    let mark = |text: String| vec![Piece::Mark(text)];
    match tokenizer.token_bytes(token) {
        _ if Some(token) == tokenizer.start_token() => mark("⟨start⟩".into()),
        _ if Some(token) == tokenizer.end_token() => mark("⟨end⟩".into()),
        None => mark(format!("⟨unknown {token}⟩")),
        Some([]) => mark(format!("⟨control {token}⟩")),
        Some(bytes) => visible_pieces(bytes),
    }
}
