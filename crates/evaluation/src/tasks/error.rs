//! Everything that multiple choice refuses.

use llm_metrics::MetricError;

use super::OptionRule;
use crate::{ContractError, Refusal, ScoreError};

/// Why items cannot be read, asked or counted. Items and options are numbered from 0, lines from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TaskError {
    /// A line of a file that is no item.
    #[error("line {line}: {problem}")]
    Line {
        /// Number of the line.
        line: u64,
        /// What is wrong.
        problem: String,
    },
    /// Context, options and answer that make no item.
    #[error("{problem}")]
    Item {
        /// What is wrong.
        problem: String,
    },
    /// An option that cannot be asked about.
    #[error("item {item}, option {option}: {problem}")]
    Option {
        /// Number of the item.
        item: usize,
        /// Number of the option.
        option: usize,
        /// What is wrong.
        problem: String,
    },
    /// A template from which no prompt can be made.
    #[error("prompt template: {problem}")]
    Template {
        /// What is wrong.
        problem: String,
    },
    /// Too few examples, the item itself not counted.
    #[error(
        "{wanted} examples wanted for the item {context:?}, the pool has {available} that are not \
         the item itself: use a larger pool or fewer examples"
    )]
    Pool {
        /// Beginning of the item's context.
        context: String,
        /// Different examples that could be shown.
        available: usize,
        /// Examples asked for.
        wanted: usize,
    },
    /// No rule of this name.
    #[error("rule {given:?} is unknown, expected one of {}", super::rule::names())]
    Rule {
        /// What was given.
        given: String,
    },
    /// Records that make no result, or results that make no comparison.
    #[error("item {item}: {problem}")]
    Records {
        /// Number of the item.
        item: usize,
        /// What is wrong.
        problem: String,
    },
    /// Two results that do not compare.
    #[error("accuracy by {0}")]
    NotComparable(Box<Refusal<OptionRule>>),
    /// What contracts refuse.
    #[error(transparent)]
    Contract(#[from] ContractError),
    /// What scoring refuses, and records that cannot be read.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A statistic that does not exist, for instance because there are no items.
    #[error(transparent)]
    Metric(#[from] MetricError),
}
