//! The model before: chapter 16's, from its file or trained again to the same bits.

use std::path::Path;

use llm_chapter_kit::MetricRecord;
use llm_from_scratch_practical::{archive, corpus, evaluation, model, trainer};
use serde::Serialize;

use archive::{ArchiveError, PortableModel};
use corpus::{Layout, Partition};
use evaluation::evaluate;
use model::DecoderModel;
use trainer::ReferenceExperiment;

/// A decoder with the documents that it is scored on.
#[derive(Clone, Debug)]
pub struct Scored {
    /// Documents and tokenizer of the reference experiment.
    pub experiment: ReferenceExperiment,
    /// The decoder.
    pub model: DecoderModel<f64>,
}

/// The model before it is rounded.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OriginalReport {
    /// The identity that chapter 16 prints.
    pub model_sha256: String,
    /// Of all weights.
    pub bytes: u64,
    /// Losses of the documents that it was trained on.
    pub train: MetricRecord,
    /// Losses of the held-out ones.
    pub validation: MetricRecord,
}

impl Scored {
    /// The model that chapter 16 saves: its first seed after its last update.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn trained() -> anyhow::Result<Self> {
        let experiment = ReferenceExperiment::new()?;
        let seed = ReferenceExperiment::SEEDS[0];
        let model = experiment.trained_model(seed, Layout::SEPARATE)?;
        Ok(Self { experiment, model })
    }

    /// The model of a file, with the documents in its own tokenizer.
    ///
    /// # Errors
    /// A file that is missing, damaged or no model of 64-bit weights.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let portable = PortableModel::load(path).map_err(|error| unusable(path, "model", error))?;
        let (model, tokenizer) = portable.restore_text();
        let capacity = model.config().context_len;
        Ok(Self { experiment: ReferenceExperiment::encoded_with(tokenizer, capacity)?, model })
    }

    /// Chapter 16's evaluator on one split.
    ///
    /// # Errors
    /// A context shorter than a document; a loss that is not finite.
    pub fn score(&self, partition: Partition) -> anyhow::Result<MetricRecord> {
        let batches = self.experiment.batches(partition, Layout::SEPARATE)?;
        let score = evaluate(&self.model, partition, &self.experiment.binding, &batches)?;
        Ok((&score.metrics).into())
    }

    /// Identity, size and losses.
    ///
    /// # Errors
    /// As [`score`](Self::score).
    pub fn report(&self) -> anyhow::Result<OriginalReport> {
        let portable = PortableModel::new(&self.model, &self.experiment.tokenizer)?;
        let weights = self.model.parameters().iter().map(|p| size_of_val(p.value().data()) as u64);
        Ok(OriginalReport {
            model_sha256: portable.model_id().to_owned(),
            bytes: weights.sum(),
            train: self.score(Partition::Train)?,
            validation: self.score(Partition::Validation)?,
        })
    }
}

/// What is wrong with the file of a model.
pub(crate) fn unusable(path: &Path, what: &str, error: ArchiveError) -> anyhow::Error {
    match error {
        ArchiveError::Io { .. } => error.into(), // names the path itself
        _ => anyhow::Error::new(error).context(format!("{} is no usable {what}", path.display())),
    }
}
