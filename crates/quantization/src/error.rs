//! Everything that quantizing and comparing refuse. Files have their own
//! [`ArchiveError`](llm_archive::ArchiveError).

use llm_evaluation::ScoreError;
use llm_metrics::MetricError;

/// A weight that has no code.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "channel {channel}, input {input}: weight {value:?} has no code, expected a finite number of at \
     most 2^127 in size"
)]
pub struct WeightError {
    /// Output channel, from 0.
    pub channel: usize,
    /// Input feature, from 0.
    pub input: usize,
    /// The weight.
    pub value: f64,
}

/// Why a model was not quantized, or two were not compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QuantizationError {
    /// A matrix with a weight that has no code.
    #[error("parameter `{name}`")]
    Parameter {
        /// The parameter.
        name: String,
        /// The first such weight.
        source: WeightError,
    },
    /// A gain or bias, which is stored as it is, with an element that is not finite.
    #[error("parameter `{name}`: element {element} is {value}, expected a finite number")]
    NonFinite {
        /// The parameter.
        name: String,
        /// Index of the element.
        element: usize,
        /// The element.
        value: f64,
    },
    /// Two models that are not one model in two forms.
    #[error("the models differ in {what}: {reference} in the reference, {other} in the other")]
    DifferentModels {
        /// What was compared.
        what: &'static str,
        /// Of the reference.
        reference: String,
        /// Of the other.
        other: String,
    },
    /// A comparison without a target.
    #[error("nothing to compare: give at least one document with a scored target")]
    NoTargets,
    /// A document that one of the models cannot read, or a distribution that is none.
    #[error("document `{document}`")]
    Document {
        /// Its name.
        document: String,
        /// What the model says.
        source: ScoreError,
    },
    /// A divergence that cannot be computed.
    #[error(transparent)]
    Metric(#[from] MetricError),
}
