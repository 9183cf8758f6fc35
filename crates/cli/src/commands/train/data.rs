//! From files to windows of ids: who is held out, what the sides share, how text becomes ids.

use std::fmt::Write;

use anyhow::{bail, ensure};
use practical::corpus::{
    BatchBinding, ContaminationReport, ContaminationScan, CorpusManifest, Document,
    EncodedDocument, Partition, windows,
};
use practical::tokenizer::{self, Tokenizer, TrainingConfig, WeightedDocument};
use serde::Serialize;

use super::documents::{self, ReadRecord};
use super::plan::{DataPlan, Plan, TokenizerPlan};
use super::settings::Overlap;
use crate::commands::tokenizer::read_artifact;
use crate::output::Console;

/// Documents for training and validation that may be used together.
pub(super) struct Corpus {
    /// First those for training, then those for validation.
    pub(super) documents: Vec<Document>,
    /// What both sides share, if there is anything held out.
    pub(super) overlap: Option<ContaminationReport>,
    /// Validation documents that were left out because they stand in training.
    dropped: usize,
    read: ReadRecord,
}

impl Corpus {
    /// Reads the documents, splits them, and compares the sides.
    pub(super) fn read(plan: &Plan, console: &Console) -> anyhow::Result<Self> {
        let plan = &plan.data;
        let spinner = console.spinner("reading documents");
        let (mut documents, read) = documents::read(plan)?;
        documents.sort_by_key(|document| document.partition); // stable
        let mut corpus = Self { documents, overlap: None, dropped: 0, read };
        corpus.demand_both_sides(plan)?;
        spinner.set_message("looking for validation documents in training");
        corpus.compare_sides(plan)?;
        Ok(corpus)
    }

    /// The documents for training and those for validation.
    fn sides(&self) -> (&[Document], &[Document]) {
        let training = |document: &Document| document.partition == Partition::Train;
        self.documents.split_at(self.documents.partition_point(training))
    }

    fn demand_both_sides(&self, plan: &DataPlan) -> anyhow::Result<()> {
        let (train, validation) = self.sides();
        let (train, validation) = (train.len(), validation.len());
        ensure!(train + validation > 0, "no documents to learn from: {}", self.read);
        let advice = "cut the files into more documents (`documents`), or choose another split_seed or \
                      validation_share";
        ensure!(train > 0, "all {validation} document(s) are held out for validation: {advice}");
        ensure!(
            validation > 0 || plan.validation_share == 0.0,
            "none of {train} document(s) is held out for validation: {advice} (0 for no validation)"
        );
        Ok(())
    }

    /// Looks for held-out text in training, and does with it what the plan says.
    fn compare_sides(&mut self, plan: &DataPlan) -> anyhow::Result<()> {
        let (train, validation) = self.sides();
        if validation.is_empty() {
            return Ok(());
        }
        let report = ContaminationScan::default().run(validation, train)?;
        let flagged = report.flagged.len();
        match plan.overlap {
            Overlap::Refuse if flagged > 0 => bail!("{}", refusal(&report)),
            Overlap::Drop => {
                ensure!(flagged < validation.len(), "{}", refusal(&report));
                self.documents.retain(|document| {
                    let held_out = document.partition == Partition::Validation;
                    !(held_out && report.flagged.binary_search(&document.id).is_ok())
                });
                self.dropped = flagged;
            }
            Overlap::Refuse | Overlap::Report => {}
        }
        self.overlap = Some(report);
        Ok(())
    }
}

/// Which held-out documents stand in training, with an example, and what can be done.
fn refusal(report: &ContaminationReport) -> String {
    let ContaminationReport { flagged, duplicates, near, shared, .. } = report;
    let (count, all) = (flagged.len(), report.evaluation.documents);
    let mut text = format!("{count} of {all} validation document(s) stand in training, or nearly");
    let shared = shared.iter().flat_map(|length| &length.documents);
    let partners = (duplicates.iter().map(|found| (&found.document, &found.earlier)))
        .chain(near.iter().map(|found| (&found.document, &found.training)))
        .chain(shared.map(|found| (&found.document, &found.example_in)));
    if let Some((held_out, trained)) = partners.into_iter().find(|(id, _)| flagged.contains(id)) {
        let _ = write!(text, ", for example `{held_out}` in `{trained}`");
    }
    text + ": their score would measure memory; remove them, or say overlap `drop` to leave them out \
            of the validation, or `report` to go on all the same"
}

/// What is learned from and what is looked at.
pub(super) struct Data {
    pub(super) tokenizer: Tokenizer,
    pub(super) manifest: CorpusManifest,
    pub(super) overlap: Option<ContaminationReport>,
    pub(super) binding: BatchBinding,
    pub(super) train: Vec<EncodedDocument>,
    pub(super) validation: Vec<EncodedDocument>,
    /// The validation documents as JSON Lines, to score them again; `None` if one of them is no UTF-8.
    pub(super) validation_lines: Option<String>,
    pub(super) record: DataRecord,
}

/// How much there is of everything.
#[derive(Clone, Debug, Serialize)]
pub(super) struct DataRecord {
    #[serde(flatten)]
    pub(super) read: ReadRecord,
    /// Digest of the list of documents.
    pub(super) corpus_sha256: String,
    pub(super) tokenizer_sha256: String,
    pub(super) vocab_size: usize,
    pub(super) train: SideRecord,
    pub(super) validation: SideRecord,
    /// Validation documents that were left out because the scan found them in training.
    pub(super) overlapping_documents_dropped: usize,
    /// Validation documents that it found there and that are used all the same.
    pub(super) overlapping_documents: usize,
}

/// The documents of one side.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct SideRecord {
    pub(super) documents: usize,
    pub(super) bytes: u64,
    pub(super) windows: usize,
    pub(super) targets: usize,
}

impl Data {
    /// Trains or reads the tokenizer, and makes windows of every document.
    pub(super) fn new(corpus: Corpus, plan: &Plan, console: &Console) -> anyhow::Result<Self> {
        let spinner = console.spinner("training the tokenizer");
        let tokenizer = make_tokenizer(&corpus, &plan.tokenizer)?;
        spinner.set_message("encoding documents");
        let context_len = plan.model.context_len;
        let side = |documents: &[Document]| {
            let (mut record, mut cut) = (SideRecord::default(), Vec::new());
            for document in documents {
                let encoded = EncodedDocument::encode(document, &tokenizer)?;
                record.documents += 1;
                record.bytes += document.text.len() as u64;
                record.targets += encoded.target_count();
                cut.extend(windows(&encoded, context_len)?);
            }
            record.windows = cut.len();
            anyhow::Ok((record, cut))
        };
        let (train, validation) = corpus.sides();
        let (train_record, train) = side(train)?;
        let (validation_record, validation) = side(validation)?;
        let validation_lines = lines(corpus.sides().1);
        let manifest = CorpusManifest::new(&corpus.documents);
        let flagged = corpus.overlap.as_ref().map_or(0, |report| report.flagged.len());
        let record = DataRecord {
            read: corpus.read,
            corpus_sha256: manifest.sha256(),
            tokenizer_sha256: tokenizer.sha256().to_owned(),
            vocab_size: tokenizer.vocab_size(),
            train: train_record,
            validation: validation_record,
            overlapping_documents_dropped: corpus.dropped,
            overlapping_documents: flagged - corpus.dropped,
        };
        let binding = BatchBinding::new(&tokenizer, context_len);
        let overlap = corpus.overlap;
        Ok(Self {
            tokenizer,
            manifest,
            overlap,
            binding,
            train,
            validation,
            validation_lines,
            record,
        })
    }
}

/// Documents as `llm evaluate` reads them; `None` without any, or if JSON cannot hold one of them.
fn lines(documents: &[Document]) -> Option<String> {
    let line = |document: &Document| {
        let Document { id, partition, text } = document;
        let text = std::str::from_utf8(text).ok()?;
        Some(format!("{}\n", serde_json::json!({ "id": id, "text": text, "split": partition })))
    };
    documents.iter().map(line).collect::<Option<String>>().filter(|lines| !lines.is_empty())
}

/// Fewest times that a pair must stand in the training documents to be merged: what is there once
/// teaches nothing about other text.
const MINIMUM_COUNT: u64 = 2;

/// The tokenizer. If it is trained, then on the training documents only.
fn make_tokenizer(corpus: &Corpus, plan: &TokenizerPlan) -> anyhow::Result<Tokenizer> {
    match plan {
        TokenizerPlan::Artifact(path) => read_artifact(path),
        &TokenizerPlan::Train { merges, pretokenizer } => {
            let (train, _) = corpus.sides();
            let documents: Vec<_> =
                train.iter().map(|document| WeightedDocument::once(&document.text)).collect();
            let config = TrainingConfig { merges, minimum_count: MINIMUM_COUNT, pretokenizer };
            let learned = tokenizer::train(&documents, &config)?;
            Ok(Tokenizer::from_training(&learned, pretokenizer)?)
        }
    }
}

#[cfg(test)]
mod tests;
