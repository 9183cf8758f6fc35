//! Everything that scoring through a [`LanguageModel`](crate::LanguageModel) refuses.

use std::error::Error;
use std::fmt;

use llm_corpus::CorpusError;
use llm_metrics::MetricError;
use llm_model::ModelError;

/// Why something has no score. Positions count from 0.
///
/// Apart from [`EvaluationError`](crate::EvaluationError), which is about batches: here there are
/// requests, documents and records.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScoreError {
    /// Ids that the model cannot be asked about.
    #[error("{place}: {problem}")]
    Request {
        /// Where.
        place: Place,
        /// What was given, what was expected, what to do.
        problem: String,
    },
    /// The model failed for a reason of its own.
    #[error("the model cannot score")]
    Model(#[source] Box<dyn Error + Send + Sync>),
    /// A logit or a log-probability is infinite or NaN: never a winner, never skipped.
    #[error("{place}: the model gives {value}, expected a finite number: it has diverged")]
    NonFinite {
        /// Where.
        place: Place,
        /// The value.
        value: f64,
    },
    /// Windows that would leave targets out, or never move.
    #[error(
        "window {window} with stride {stride}: expected a window of at least 2 and a stride from 1 \
         to window - 1, so that every target has a token before it"
    )]
    Window {
        /// The window's length in ids.
        window: usize,
        /// The stride in ids.
        stride: usize,
    },
    /// A frame that the tokenizer does not have.
    #[error("the tokenizer has no {missing} token: choose a framing without it")]
    Framing {
        /// `"start"` or `"end"`.
        missing: &'static str,
    },
    /// A document that cannot be encoded or has no target.
    #[error(transparent)]
    Document(#[from] CorpusError),
    /// Two ways of counting disagree, so a ratio made of them would be wrong.
    #[error("document `{document}`: {given} {what}, expected {expected}")]
    Count {
        /// Id of the document.
        document: String,
        /// What was counted.
        what: &'static str,
        /// As it was found.
        given: u64,
        /// As it must be.
        expected: u64,
    },
    /// A record that could not be read or written, or that no model can have made.
    #[error("record {line}: {problem}")]
    Record {
        /// Which one, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// The records have no summary, for instance because there are none.
    #[error("the records cannot be summed")]
    Metric(#[from] MetricError),
    /// A text that could not be generated, for instance with a filter that cannot be.
    #[error(transparent)]
    Generation(#[from] ModelError),
    /// A writer and a judge that do not share their tokens.
    #[error(
        "the writer has a vocabulary of {writer} tokens and the judge one of {judge}: score the \
         text under each with its own tokenizer and compare bits per byte"
    )]
    Vocabularies {
        /// Tokens of the model that wrote.
        writer: usize,
        /// Tokens of the model that judges.
        judge: usize,
    },
    /// A compressed document that this model did not write.
    #[error("compressed document: {problem}")]
    Code {
        /// What is wrong.
        problem: String,
    },
}

impl ScoreError {
    /// Wraps what a model's own crate says.
    pub fn model(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Model(Box::new(error))
    }

    /// The same error with another place, if it has one.
    pub(crate) fn relocate(self, relocate: impl FnOnce(Place) -> Place) -> Self {
        match self {
            Self::Request { place, problem } => Self::Request { place: relocate(place), problem },
            Self::NonFinite { place, value } => Self::NonFinite { place: relocate(place), value },
            other => other,
        }
    }
}

/// One id among those that a model was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// As a model knows it.
    Request {
        /// Number of the request in its list.
        request: usize,
        /// Position in the request's ids.
        position: usize,
    },
    /// As its owner knows it.
    Document {
        /// Id of the document.
        document: String,
        /// Position in the document's ids.
        position: usize,
    },
    /// As the owner of multiple-choice items knows it.
    Option {
        /// Number of the item.
        item: usize,
        /// Number of the option, from 0.
        option: usize,
        /// Position in the ids of start token, prompt and option.
        position: usize,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { request, position } => {
                write!(f, "request {request}, position {position}")
            }
            Self::Document { document, position } => {
                write!(f, "document `{document}`, position {position}")
            }
            Self::Option { item, option, position } => {
                write!(f, "item {item}, option {option}, position {position}")
            }
        }
    }
}
