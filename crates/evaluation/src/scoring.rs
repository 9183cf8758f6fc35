//! One pass of a model over documents, from windows to records.

use std::collections::HashSet;
use std::num::NonZeroUsize;

use llm_corpus::TokenId;
use serde::{Deserialize, Serialize};

use crate::windows::Window;
use crate::{
    FramedDocument, LanguageModel, Place, ScoreError, ScoreRequest, TargetRecord, WindowRule,
};

/// What a pass read and scored. The counts prove that nothing was lost or counted twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScoringCounts {
    /// Documents.
    pub documents: u64,
    /// Windows over all documents.
    pub windows: u64,
    /// Targets, each scored once.
    pub scored_tokens: u64,
    /// Ids that a window read without scoring them, start tokens included.
    pub context_only_tokens: u64,
    /// Tokens of the texts that have no score: first tokens without a start token before them.
    pub unscored_tokens: u64,
    /// Bytes of the scored tokens; absent if a document came without a tokenizer.
    pub scored_bytes: Option<u64>,
    /// Bytes of the unscored tokens. With `scored_bytes` they make up all bytes of the texts.
    pub unscored_bytes: Option<u64>,
}

/// Scores every target of every document once and hands out the records, documents in order and
/// positions ascending.
///
/// `batch` windows are given to the model at a time, of whichever documents come next; records
/// have the same bits for every `batch`. Memory: the ids and scores of one batch of windows.
///
/// # Errors
/// Before anything is scored: [`ScoreError::Window`] for a rule that loses targets,
/// [`ScoreError::Count`] for two documents with one id, [`ScoreError::Request`] for windows longer
/// than the model's context or that repeat a first id which is no start token. Then what the model refuses, with document and position, and what
/// `sink` returns. At last [`ScoreError::Count`] if a document's targets were not all scored once
/// or if scored and unscored bytes are not all its bytes.
pub fn score_documents(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    rule: WindowRule,
    batch: NonZeroUsize,
    mut sink: impl FnMut(TargetRecord) -> Result<(), ScoreError>,
) -> Result<ScoringCounts, ScoreError> {
    check_before_scoring(model, documents, rule)?;
    let mut pass = Pass { model, documents, tallies: vec![Tally::default(); documents.len()] };
    let mut counts = ScoringCounts::default();
    let mut pending = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        for window in rule.plan(document.ids().len())?.windows() {
            counts.windows += 1;
            counts.context_only_tokens += window.context_only_count() as u64;
            pending.push((index, window, window.ids(document.ids())));
            if pending.len() == batch.get() {
                pass.score(&pending, &mut sink)?;
                pending.clear();
            }
        }
    }
    pass.score(&pending, &mut sink)?;
    pass.finish(counts)
}

/// [`score_documents`] with all records in one list.
///
/// # Errors
/// As [`score_documents`].
///
/// # Example
/// A uniform model over 266 ids spends log2 266 bits on each of 4 targets, of which 3 have a byte:
/// ```
/// use std::num::NonZeroUsize;
/// use llm_baselines::NgramModel;
/// use llm_corpus::{Document, Partition};
/// use llm_evaluation::{FramedDocument, Framing, RecordSummary, WindowRule, collect_records};
///
/// let tokenizer = llm_tokenizer::chapter_four_tokenizer();
/// let text = Document::new("x", Partition::Test, "baa");
/// let documents = [FramedDocument::encode(&text, &tokenizer, Framing::DOCUMENT)?];
/// let model = NgramModel::uniform(tokenizer.vocab_size())?;
///
/// let rule = WindowRule { window: 3, stride: 1, bos_per_window: false };
/// let (records, counts) = collect_records(&model, &documents, rule, NonZeroUsize::MIN)?;
/// assert_eq!((counts.windows, counts.scored_tokens, counts.scored_bytes), (3, 4, Some(3)));
///
/// let summary = RecordSummary::from_records(records)?;
/// assert!((summary.bits_per_token()? - 266f64.log2()).abs() < 1e-12);
/// assert!((summary.bits_per_byte()?.unwrap() - 266f64.log2() * 4.0 / 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn collect_records(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    rule: WindowRule,
    batch: NonZeroUsize,
) -> Result<(Vec<TargetRecord>, ScoringCounts), ScoreError> {
    let mut records = Vec::new();
    let counts = score_documents(model, documents, rule, batch, |record| {
        records.push(record);
        Ok(())
    })?;
    Ok((records, counts))
}

/// What can be refused without reading a single row.
fn check_before_scoring(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    rule: WindowRule,
) -> Result<(), ScoreError> {
    let mut names = HashSet::with_capacity(documents.len());
    for document in documents {
        rule.plan(document.ids().len())?;
        if !names.insert(document.id()) {
            document.expect_count("documents with this id", 2, 1)?;
        }
        if rule.bos_per_window && document.begins_with_text() {
            return Err(ScoreError::Request {
                place: Place::Document { document: document.id().to_owned(), position: 0 },
                problem:
                    "each window would repeat the first id, which is text and no start token: \
                          choose a framing with one or bos_per_window false"
                        .to_owned(),
            });
        }
        let read = document.ids().len().min(rule.window) - 1;
        if let Some(most) = model.max_context().filter(|&most| read > most) {
            return Err(ScoreError::Request {
                place: Place::Document { document: document.id().to_owned(), position: most },
                problem: format!(
                    "windows of {} ids read {read}, the model's context holds {most}: choose \
                     windows of at most {}",
                    read + 1,
                    most + 1
                ),
            });
        }
    }
    Ok(())
}

/// A window waiting to be scored: number of its document, place, ids.
type PendingWindow = (usize, Window, Vec<TokenId>);

struct Pass<'a> {
    model: &'a dyn LanguageModel,
    documents: &'a [FramedDocument],
    tallies: Vec<Tally>,
}

/// What was handed out of one document.
#[derive(Clone, Copy, Default)]
struct Tally {
    tokens: u64,
    bytes: u64,
}

impl Pass<'_> {
    fn score(
        &mut self,
        pending: &[PendingWindow],
        sink: &mut impl FnMut(TargetRecord) -> Result<(), ScoreError>,
    ) -> Result<(), ScoreError> {
        let mut requests = Vec::with_capacity(pending.len());
        for (_, window, ids) in pending {
            // What is read only comes first, so its number is the place of the first target.
            requests.push(ScoreRequest { ids, first_target: window.context_only_count() });
        }
        let named = |error: ScoreError| error.relocate(|place| self.in_document(pending, place));
        let scores = self.model.score(&requests).map_err(named)?;
        for ((index, window, _), scores) in pending.iter().zip(scores) {
            let document = &self.documents[*index];
            let (given, expected) = (scores.len() as u64, window.target_count() as u64);
            document.expect_count("scores of one window", given, expected)?;
            for (position, score) in (window.first_target..window.end).zip(scores) {
                let token = document.ids()[position];
                let bytes = document.token_bytes(token);
                let tally = &mut self.tallies[*index];
                tally.tokens += 1;
                tally.bytes += bytes.unwrap_or(0);
                sink(TargetRecord {
                    document: document.id().to_owned(),
                    position,
                    token,
                    log_probability: score.log_probability,
                    bytes,
                    rank_best: score.rank_best,
                    rank_worst: score.rank_worst,
                })?;
            }
        }
        Ok(())
    }

    /// A place in the requests of this batch as its owner knows it.
    fn in_document(&self, pending: &[PendingWindow], place: Place) -> Place {
        match place {
            Place::Request { request, position } if request < pending.len() => {
                let (index, window, _) = &pending[request];
                let document = self.documents[*index].id().to_owned();
                Place::Document { document, position: window.document_position(position) }
            }
            other => other,
        }
    }

    /// Proves the counts document by document and adds them up.
    fn finish(self, mut counts: ScoringCounts) -> Result<ScoringCounts, ScoreError> {
        (counts.scored_bytes, counts.unscored_bytes) = (Some(0), Some(0));
        for (document, tally) in self.documents.iter().zip(self.tallies) {
            let targets = document.target_count() as u64;
            document.expect_count("scored targets", tally.tokens, targets)?;
            counts.documents += 1;
            counts.scored_tokens += tally.tokens;
            counts.unscored_tokens += u64::from(document.begins_with_text());
            let all_bytes = document.byte_count();
            let unscored = document.unscored_bytes();
            if let (Some(all), Some(unscored)) = (all_bytes, unscored) {
                document.expect_count("scored and unscored bytes", tally.bytes + unscored, all)?;
            }
            counts.scored_bytes = counts.scored_bytes.zip(all_bytes).map(|(n, _)| n + tally.bytes);
            counts.unscored_bytes = counts.unscored_bytes.zip(unscored).map(|(n, m)| n + m);
        }
        Ok(counts)
    }
}
