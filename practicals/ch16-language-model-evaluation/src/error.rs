//! What can go wrong in this chapter.

use std::path::PathBuf;

use llm_from_scratch_practical::archive::ArchiveError;
use llm_from_scratch_practical::baselines::BaselineError;
use llm_from_scratch_practical::corpus::CorpusError;
use llm_from_scratch_practical::evaluation::EvaluationError;
use llm_from_scratch_practical::metrics::MetricError;
use llm_from_scratch_practical::model::ModelError;
use llm_from_scratch_practical::trainer::TrainError;

/// A refusal of the chapter or of a crate that it uses.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChapterError {
    /// A seed list without a seed.
    #[error("no seed given, expected at least one")]
    NoSeeds,
    /// A seed list with a seed twice.
    #[error("seed {seed} is listed twice, expected different seeds")]
    RepeatedSeed {
        /// The repeated seed.
        seed: u64,
    },
    /// Something that is no seed.
    #[error("`{given}` is no seed, expected a whole number from 0 to 18446744073709551615")]
    InvalidSeed {
        /// What was given.
        given: String,
    },
    /// Storage changed a score.
    #[error("layouts differ by {difference} nats per target, expected at most {tolerance}")]
    LayoutsDisagree {
        /// The largest difference of two means.
        difference: f64,
        /// What was allowed.
        tolerance: f64,
    },
    /// A file that is there but is no model of 64-bit weights, or not any more.
    #[error("{path} is no usable model", path = path.display())]
    SavedModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ArchiveError,
    },
    /// Refused by `metrics`.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// Refused by `corpus`.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// Refused by `model`.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// Refused by `baselines`.
    #[error(transparent)]
    Baseline(#[from] BaselineError),
    /// Refused by `trainer`.
    #[error(transparent)]
    Train(#[from] TrainError),
    /// Refused by `evaluation`.
    #[error(transparent)]
    Evaluation(#[from] EvaluationError),
    /// Refused by `archive`.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}
