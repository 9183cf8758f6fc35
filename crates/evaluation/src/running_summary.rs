//! The numbers of a pass while it runs, in memory for documents and not for targets.
//!
//! A [`RecordSummary`](crate::RecordSummary) takes records in any order and keeps them all; a
//! megabyte of text is a million of them. Records of one pass come document after document, so
//! sums are enough here.

use llm_metrics::{
    DatasetAverages, ExactSum, MeanEstimate, MetricSummary, Ranks, TopKCounter, TopKError,
    nats_to_bits, pooled_mean,
};

use crate::json_lines::JsonRecord;
use crate::{DocumentResult, ScoreError, TargetRecord};

/// Sums over the records of one pass, which must come document after document.
///
/// # Example
/// ```
/// use llm_evaluation::{RunningSummary, TargetRecord};
/// let record = |document: &str, position, log_probability| TargetRecord {
///     document: document.into(),
///     position,
///     token: 100,
///     log_probability,
///     bytes: Some(1),
///     rank_best: 2,
///     rank_worst: 2,
/// };
/// let mut summary = RunningSummary::new(&[1, 2], 266)?;
/// for record in [record("x", 1, -1.0), record("x", 2, -2.0), record("y", 1, -6.0)] {
///     summary.add(&record)?;
/// }
/// let totals = summary.finish()?;
/// assert_eq!(totals.metrics.mean_nll(), 3.0); // 9 nats over 3 targets
/// assert_eq!(totals.averages()?.document_level, 3.75); // (3/2 + 6) / 2
/// assert_eq!(totals.top_k_errors[0].optimistic(), 1.0); // never the first guess, always the second
/// assert_eq!(totals.top_k_errors[1].optimistic(), 0.0);
/// # Ok::<(), llm_evaluation::ScoreError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunningSummary {
    closed: Vec<DocumentResult>,
    open: Option<OpenDocument>,
    nats: ExactSum,
    text_nats: ExactSum,
    top_k: TopKCounter,
    record_count: usize,
}

/// The document whose records are coming in.
#[derive(Clone, Debug)]
struct OpenDocument {
    id: String,
    last_position: usize,
    targets: u64,
    nats: ExactSum,
    text_nats: ExactSum,
    bytes: Option<u64>,
}

/// What a [`RunningSummary`] adds up to.
#[derive(Clone, Debug)]
pub struct PassTotals {
    /// The totals of each document, in the order of the records.
    pub documents: Vec<DocumentResult>,
    /// All of them pooled, exactly.
    pub metrics: MetricSummary,
    /// Bytes of all targets; `None` if they are unknown of any.
    pub bytes: Option<u64>,
    /// Nats of the targets that stand for bytes.
    pub text_nats: f64,
    /// One for each k, in the given order.
    pub top_k_errors: Vec<TopKError>,
}

impl RunningSummary {
    /// A summary of nothing yet, which counts top-k errors for each of `ks`.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without a k, or for one of 0 or above `vocab_size`.
    pub fn new(ks: &[usize], vocab_size: usize) -> Result<Self, ScoreError> {
        Ok(Self {
            closed: Vec::new(),
            open: None,
            nats: ExactSum::new(),
            text_nats: ExactSum::new(),
            top_k: TopKCounter::new(ks, vocab_size)?,
            record_count: 0,
        })
    }

    /// Takes the next record.
    ///
    /// # Errors
    /// [`ScoreError::Record`] for values that no model can have given, and for a position that does
    /// not follow the last one of its document: a record is missing or out of order.
    pub fn add(&mut self, record: &TargetRecord) -> Result<(), ScoreError> {
        self.record_count += 1;
        record.check_at(self.record_count)?;
        if self.open.as_ref().is_none_or(|open| open.id != record.document) {
            self.close();
            self.open = Some(OpenDocument::new(&record.document));
        }
        let open = self.open.as_mut().expect("opened above");
        open.last_position += 1;
        if record.position != open.last_position {
            let (document, expected) = (&record.document, open.last_position);
            let found = record.position;
            let problem =
                format!("document `{document}` has position {found}, expected {expected}");
            return Err(ScoreError::Record { line: self.record_count, problem });
        }
        let nats = 0.0 - record.log_probability; // +0 for a certain target
        open.targets += 1;
        open.nats.add(nats);
        self.nats.add(nats);
        if record.bytes != Some(0) {
            open.text_nats.add(nats);
            self.text_nats.add(nats);
        }
        open.bytes = open.bytes.zip(record.bytes).map(|(sum, bytes)| sum + bytes);
        let rank = |rank: u64| usize::try_from(rank).unwrap_or(usize::MAX);
        let ranks = Ranks::from_bounds(rank(record.rank_best), rank(record.rank_worst))?;
        Ok(self.top_k.add(ranks)?)
    }

    fn close(&mut self) {
        self.closed.extend(self.open.take().map(|open| DocumentResult {
            id: open.id,
            targets: open.targets,
            nats: open.nats.value(),
            bytes: open.bytes,
            text_nats: open.bytes.map(|_| open.text_nats.value()),
        }));
    }

    /// The sums.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] without records.
    pub fn finish(mut self) -> Result<PassTotals, ScoreError> {
        self.close();
        Ok(PassTotals {
            metrics: MetricSummary::from_exact_total(self.nats, self.record_count)?,
            bytes: self.closed.iter().map(|document| document.bytes).sum(),
            text_nats: self.text_nats.value(),
            top_k_errors: self.top_k.errors()?.to_vec(),
            documents: self.closed,
        })
    }
}

impl OpenDocument {
    fn new(id: &str) -> Self {
        let (nats, text_nats) = (ExactSum::new(), ExactSum::new());
        Self { id: id.to_owned(), last_position: 0, targets: 0, nats, text_nats, bytes: Some(0) }
    }
}

impl PassTotals {
    /// Bits of all targets over their bytes: a code length, the end token included. `None` without
    /// bytes.
    pub fn bits_per_byte(&self) -> Option<f64> {
        self.per_byte(nats_to_bits(self.metrics.total_nll()))
    }

    /// Bits of the targets that stand for bytes, over these bytes. `None` without bytes.
    pub fn bits_per_byte_text_only(&self) -> Option<f64> {
        self.per_byte(nats_to_bits(self.text_nats))
    }

    /// Targets per byte. `None` without bytes.
    pub fn tokens_per_byte(&self) -> Option<f64> {
        self.per_byte(self.metrics.target_count() as f64)
    }

    fn per_byte(&self, value: f64) -> Option<f64> {
        self.bytes.filter(|&bytes| bytes > 0).map(|bytes| value / bytes as f64)
    }

    /// The mean over documents beside the mean over targets, in nats per token.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] if a sum is beyond `f64`.
    pub fn averages(&self) -> Result<DatasetAverages, ScoreError> {
        let scores: Vec<f64> = self.documents.iter().map(|d| d.nats / d.targets as f64).collect();
        Ok(DatasetAverages::from_scores(&scores, &self.lengths())?)
    }

    /// Nats per token with its standard error, documents being the independent units; no error bar
    /// for a single document.
    ///
    /// # Errors
    /// [`ScoreError::Metric`] if a square is beyond `f64`.
    pub fn estimate(&self) -> Result<MeanEstimate, ScoreError> {
        let totals: Vec<f64> = self.documents.iter().map(|document| document.nats).collect();
        Ok(pooled_mean(&totals, &self.lengths())?)
    }

    fn lengths(&self) -> Vec<usize> {
        self.documents.iter().map(|document| document.targets as usize).collect()
    }
}
