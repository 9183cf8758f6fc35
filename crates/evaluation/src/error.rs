//! Everything that this crate refuses.

use std::fmt;

use llm_baselines::BaselineError;
use llm_corpus::{CorpusError, Partition};
use llm_metrics::MetricError;
use llm_model::ModelError;

/// Why batches have no score. Batches are numbered from 0 in the order given.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// No batch, so no target: a mean of nothing is no score.
    #[error("no batches for {role}, expected at least 1: check which documents were selected")]
    EmptyEpoch {
        /// What the score was wanted for.
        role: EvaluationRole,
    },
    /// A batch of another partition, or built for another tokenizer or other sizes.
    #[error("batch {batch} cannot be scored")]
    Batch {
        /// Number of the batch.
        batch: usize,
        /// What differs.
        source: CorpusError,
    },
    /// The model cannot read a batch.
    #[error("the model cannot read batch {batch}")]
    Model {
        /// Number of the batch.
        batch: usize,
        /// Why not.
        source: ModelError,
    },
    /// A count model over another number of ids than the batches.
    #[error(
        "the count model has {given} ids, the batches have {expected}: fit it with the vocabulary \
         of their tokenizer"
    )]
    Vocabulary {
        /// Ids of the count model.
        given: usize,
        /// Ids of the batches.
        expected: usize,
    },
    /// The count model cannot score a batch.
    #[error("the count model cannot score batch {batch}")]
    Baseline {
        /// Number of the batch.
        batch: usize,
        /// Why not.
        source: BaselineError,
    },
    /// A loss through which a gradient could flow: scoring was about to cost the memory of
    /// training and to invite a backward pass.
    #[error(
        "the loss of {partition} batch {batch} was recorded, expected no graph: compute it with \
         the context that is passed in"
    )]
    ValidationRecordedGraph {
        /// The partition being scored.
        partition: Partition,
        /// Number of the batch.
        batch: usize,
    },
    /// A gradient is not what it was before.
    #[error("a gradient changed while the {partition} batches were scored: scoring must not train")]
    ValidationChangedGradient {
        /// The partition being scored.
        partition: Partition,
    },
    /// A loss for some targets only, or for more than there are.
    #[error("batch {batch} has {expected} scored targets, the loss has {given}: give one for each")]
    LossCount {
        /// Number of the batch.
        batch: usize,
        /// Losses computed.
        given: usize,
        /// Targets that the batch scores.
        expected: usize,
    },
    /// A loss is infinite or NaN, or so are all of them together.
    #[error(
        "{} on the {partition} partition is {value}, expected a finite number: the model has \
         diverged",
        .target.as_ref().map_or("the mean loss".to_owned(), |target| format!("the loss of {target}"))
    )]
    NonFiniteLoss {
        /// The partition being scored.
        partition: Partition,
        /// The loss, in nats.
        value: f64,
        /// The target with that loss; `None` if every loss is finite but their sum is not.
        target: Option<ScoredTarget>,
    },
    /// The losses are no losses, or too many to count.
    #[error("the losses cannot be summed")]
    Metric(#[from] MetricError),
}

/// One target among those of an evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScoredTarget {
    /// Number of the batch.
    pub batch: usize,
    /// The document's place in the order of the run.
    pub ordinal: u64,
    /// Where the target stands in the document's ids, at least 1.
    pub position: usize,
}

impl fmt::Display for ScoredTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { batch, ordinal, position } = self;
        write!(f, "position {position} of document {ordinal} (batch {batch})")
    }
}

/// What a score is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EvaluationRole {
    /// To choose: when to stop, which settings. Scores of the validation partition.
    ValidationSelection,
    /// To see how well training data is fitted, with the weights frozen.
    TrainEvaluation,
    /// To report, once, after every choice. Scores of the test partition.
    FinalTest,
}

impl From<Partition> for EvaluationRole {
    fn from(partition: Partition) -> Self {
        match partition {
            Partition::Train => Self::TrainEvaluation,
            Partition::Validation => Self::ValidationSelection,
            Partition::Test => Self::FinalTest,
        }
    }
}

impl fmt::Display for EvaluationRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ValidationSelection => "validation selection",
            Self::TrainEvaluation => "train evaluation",
            Self::FinalTest => "the final test",
        })
    }
}
