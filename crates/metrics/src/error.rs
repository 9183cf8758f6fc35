//! Everything that this crate refuses, in one place.

/// Why a number could not be turned into a metric.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MetricError {
    /// A mean over nothing has no value, and a made-up 0 would look like a perfect score.
    #[error(
        "no targets: a mean needs at least one scored target, check the loss mask and the data"
    )]
    NoTargets,

    /// The NLL of one target is NaN or below zero.
    #[error("nll {index} is {value}, expected 0 or more (nats): check the logits it came from")]
    InvalidNll {
        /// Place in the given slice, from 0.
        index: usize,
        /// The refused value, in nats.
        value: f64,
    },

    /// A log-probability is NaN or above zero, which would be a probability above one.
    #[error(
        "log-probability {index} is {value}, expected 0 or less (nats): use log-softmax outputs, \
         not logits"
    )]
    InvalidLogProbability {
        /// Place in the given slice, from 0.
        index: usize,
        /// The refused value, in nats.
        value: f64,
    },

    /// A probability is NaN, below zero or above one.
    #[error(
        "probability {index} is {value}, expected a value from 0 to 1: normalize the row first"
    )]
    InvalidProbability {
        /// Place in the given slice, from 0.
        index: usize,
        /// The refused value.
        value: f64,
    },

    /// Two target counts do not fit into one `usize`.
    #[error(
        "{left} and {right} targets exceed the largest count of {max}: merge fewer summaries",
        max = usize::MAX
    )]
    TargetCountOverflow {
        /// Targets of the summary that was merged into.
        left: usize,
        /// Targets of the summary that was merged.
        right: usize,
    },

    /// Statistics of an empty list were asked for.
    #[error("no values: a statistic needs at least one")]
    NoValues,

    /// A value is infinite or NaN, so the values have no mean and no order to trust.
    #[error("value {index} is {value}, expected a finite number: find where it came from")]
    NonFiniteValue {
        /// Place in the given slice, from 0.
        index: usize,
        /// The refused value.
        value: f64,
    },

    /// Finite values are so large that their sum or squared spread is beyond `f64`.
    #[error(
        "the statistics of {count} values exceed the range of f64: give values in a larger unit"
    )]
    StatisticOverflow {
        /// How many values were given.
        count: usize,
    },

    /// A number or a size that the formula is not defined for.
    #[error("{what} is {value}, expected {expected}")]
    OutOfRange {
        /// The name of the argument.
        what: &'static str,
        /// The refused value; sizes are given as `f64` too.
        value: f64,
        /// The values that are accepted, and what to do about it.
        expected: &'static str,
    },

    /// A bound needs losses from a known finite interval, and this loss has none.
    #[error("{loss} lies in no finite interval, so no bound can stand on it: {instead}")]
    UnboundedLoss {
        /// The loss that was offered.
        loss: &'static str,
        /// What to bound instead.
        instead: &'static str,
    },
}
