//! Everything that training refuses.

use llm_archive::ArchiveError;
use llm_autograd::AutogradError;
use llm_corpus::CorpusError;
use llm_metrics::MetricError;
use llm_model::ModelError;

/// Why an update or a checkpoint was not made. The model, the optimizer, the count of updates and the
/// file of the checkpoint before are then as they were.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A number of the configuration.
    #[error("training configuration: {field} is {given}, expected {expected}")]
    InvalidConfig {
        /// The field.
        field: &'static str,
        /// Its value.
        given: f64,
        /// What would be right.
        expected: &'static str,
    },
    /// An update of nothing.
    #[error("nothing to learn from: give at least one document or microbatch")]
    EmptyUpdate,
    /// A batch of another partition or binding.
    #[error("microbatch {microbatch} cannot be learned from")]
    Batch {
        /// Its index in the update.
        microbatch: usize,
        /// What is wrong with it.
        source: CorpusError,
    },
    /// Gradients are chains over the documents in order, so microbatches must keep the order.
    #[error(
        "microbatch {microbatch} begins with document {ordinal} after document {previous}: cut the \
         documents of an update into microbatches in ascending order"
    )]
    DocumentOrder {
        /// Its index in the update.
        microbatch: usize,
        /// Its first document.
        ordinal: u64,
        /// The last document before it.
        previous: u64,
    },
    /// Documents that cannot be encoded or put into batches.
    #[error(transparent)]
    Documents(#[from] CorpusError),
    /// The model does not take a batch.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The tape does not give a gradient.
    #[error(transparent)]
    Autograd(#[from] AutogradError),
    /// A loss is infinite or not a number, or there are too many to count.
    #[error("update {update} has no usable loss")]
    Loss {
        /// Index of the update, from 0.
        update: u64,
        /// What is wrong with it.
        source: MetricError,
    },
    /// Training has diverged, or the data are broken.
    #[error("after {update} updates a loss or gradient is not finite: lower the learning rate")]
    NonFinite {
        /// Index of the update, from 0.
        update: u64,
    },
    /// A step has made weights or moments that nothing can be learned with.
    #[error(
        "after {updates} updates `{parameter}` or its moments are not finite: lower the learning rate"
    )]
    Diverged {
        /// The first such parameter.
        parameter: String,
        /// Updates made.
        updates: u64,
    },
    /// A checkpoint of another run.
    #[error(
        "the checkpoint belongs to another run: {field} is {stored} there and {expected} here; \
         continue it with its own settings and data, or start this run under another name"
    )]
    Checkpoint {
        /// What is not the same, for example `schedule.constant.rate`.
        field: String,
        /// Its value in the file, as JSON.
        stored: String,
        /// Its value in the run that was to go on, as JSON.
        expected: String,
    },
    /// A checkpoint cannot be written, or is not a whole one.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}
