//! Everything that this crate refuses, in one place.

use llm_corpus::Partition;
use llm_corpus::TokenId;
use llm_metrics::MetricError;

/// Why a baseline was not fitted or did not score something. Positions count from 0.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// A document that the model will be judged on, or that was not declared for fitting.
    #[error(
        "document `{document}` belongs to the {partition} partition, expected {expected}: fit a \
         baseline on training documents only",
        expected = Partition::Train
    )]
    NotForTraining {
        /// Name of the document.
        document: String,
        /// What it was declared for.
        partition: Partition,
    },

    /// Nothing to count: the model would be uniform, a baseline that is too easy to beat.
    #[error("no training documents, expected at least 1: check which partition was selected")]
    NoTrainingDocuments,

    /// A training document holds an id that the vocabulary does not have.
    #[error(
        "document `{document}` has token id {id} at position {position}, expected ids below \
         {vocab_size}: encode it with the tokenizer of this vocabulary"
    )]
    DocumentOutsideVocabulary {
        /// Name of the document.
        document: String,
        /// Where the id stands in the document.
        position: usize,
        /// The refused id.
        id: TokenId,
        /// Number of tokens in the vocabulary; ids are below it.
        vocab_size: usize,
    },

    /// The probability of a token that does not exist, or after one that does not, was asked for.
    #[error(
        "token id {id} is outside the vocabulary, expected ids below {vocab_size}: encode with \
         the tokenizer the model was fitted with"
    )]
    IdOutsideVocabulary {
        /// The refused id.
        id: TokenId,
        /// Number of tokens in the vocabulary; ids are below it.
        vocab_size: usize,
    },

    /// A size or a smoothing constant with which the rows would be no distributions.
    #[error("{setting} is {given}, expected {expected}")]
    Setting {
        /// What was set.
        setting: &'static str,
        /// To what.
        given: String,
        /// What would be right.
        expected: &'static str,
    },

    /// A grammar that cannot be drawn from, or whose documents cannot be read back.
    #[error("state {state} of the grammar {problem}")]
    Grammar {
        /// Number of the state, from 0.
        state: usize,
        /// What is wrong with it.
        problem: &'static str,
    },

    /// The transitions have no score, for instance because there are none.
    #[error("the transitions cannot be scored")]
    Metric(#[from] MetricError),
}
