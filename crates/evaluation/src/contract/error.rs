//! Everything that contracts refuse.

use std::path::PathBuf;

use llm_corpus::Partition;
use llm_metrics::MetricError;

use super::{Measure, Refusal};
use crate::ScoreError;

/// Why there is no contract, no result or no comparison.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ContractError {
    /// A field that no evaluation can have had.
    #[error("contract: {field} {problem}")]
    Invalid {
        /// Its path in the JSON.
        field: String,
        /// What was given and what was expected.
        problem: String,
    },
    /// Records that were not made under the contract they are given with.
    #[error("document `{document}` does not fit its contract: {problem}")]
    Records {
        /// Id of the document.
        document: String,
        /// What was found and what the contract says.
        problem: String,
    },
    /// A result whose printed numbers do not follow from its totals.
    #[error("result: {field} is {given}, but the rest of the file gives {expected}")]
    Tampered {
        /// The number.
        field: String,
        /// As the file has it.
        given: String,
        /// As it follows.
        expected: String,
    },
    /// Two results that do not compare.
    #[error("{0}")]
    NotComparable(Box<Refusal>),
    /// A number that needs bytes, of a result without a tokenizer.
    #[error("no bits per byte: the documents came without a tokenizer, so their bytes are unknown")]
    NoBytes,
    /// A document of zero bytes, under a number that is per byte.
    #[error(
        "{measure} does not compare: document `{document}` has no byte, so it has no such number of \
         its own; leave it out"
    )]
    EmptyDocument {
        /// Its id.
        document: String,
        /// The number.
        measure: Measure,
    },
    /// A held-out document that the model was trained on.
    #[error(
        "document `{document}` ({split}) has the text of the training document `{training}`: a \
         score of it measures memory, leave it out"
    )]
    TrainingDocument {
        /// Id of the document to be scored.
        document: String,
        /// Its split.
        split: Partition,
        /// Id of the training document.
        training: String,
    },
    /// The final split was scored before.
    #[error(
        "the final split was scored {times} time(s) before, first by {first_by:?}: another look \
         makes it a development split; allow it explicitly and it is recorded as such"
    )]
    FinalSplit {
        /// How often.
        times: usize,
        /// Who was the first.
        first_by: String,
    },
    /// A ledger or cache file that is there and cannot be used.
    #[error("{path}: {problem}", path = path.display())]
    File {
        /// Where.
        path: PathBuf,
        /// What is wrong with it, with the number of the line.
        problem: String,
    },
    /// The records themselves are refused.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// The numbers cannot be summed or resampled.
    #[error("the comparison cannot be computed")]
    Metric(#[from] MetricError),
}

impl ContractError {
    pub(crate) fn invalid(field: &str, problem: impl Into<String>) -> Self {
        Self::Invalid { field: field.to_owned(), problem: problem.into() }
    }

    pub(super) fn file(path: &std::path::Path, problem: impl ToString) -> Self {
        Self::File { path: path.to_owned(), problem: problem.to_string() }
    }
}
