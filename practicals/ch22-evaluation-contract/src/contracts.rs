//! Two models under one contract: results that carry their rules, and the difference.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::corpus::Partition;
use llm_from_scratch_practical::evaluation::{
    Comparison, EvaluationResult, Framing, Measure, compare,
};
use llm_from_scratch_practical::metrics::BootstrapPlan;
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

use crate::setup::{WINDOWS, fitted, held_out, score};

/// Two results and their difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContractReport {
    /// Of both results: the same conditions.
    pub conditions_sha256: String,
    /// A bigram of bytes.
    pub bigram: ResultReport,
    /// A trigram of bytes.
    pub trigram: ResultReport,
    /// Trigram minus bigram.
    pub comparison: ComparisonReport,
}

/// A result in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ResultReport {
    /// The contract in one line.
    pub signature: String,
    /// Nats over all targets, per target.
    #[serde(serialize_with = "six_decimals")]
    pub nats_per_token: f64,
    /// Bits over all bytes, the end tokens' included.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: f64,
    /// Scored targets.
    pub targets: u64,
}

/// A comparison in short.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparisonReport {
    /// Which number.
    pub measure: Measure,
    /// First minus second.
    #[serde(serialize_with = "six_decimals")]
    pub difference: f64,
    /// Standard error of the difference, documents being resampled.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: Option<f64>,
    /// 95 percent of the resampled differences lie between these.
    #[serde(serialize_with = "six_decimals")]
    pub interval: Vec<f64>,
    /// Documents in which the first is better.
    pub first_better_in: usize,
    /// Fields of the contracts that differ and do not matter.
    pub differing: Vec<String>,
    /// How many independent units there are.
    pub clusters: String,
    /// What else to know.
    pub caveats: Vec<String>,
}

/// Scores both models on the validation documents; also gives the trigram's whole result.
///
/// # Errors
/// None for these texts.
pub fn contracts(seed: u64) -> anyhow::Result<(ContractReport, EvaluationResult)> {
    let tokenizer = Tokenizer::of_bytes();
    let documents = held_out(Partition::Validation);
    let result = |order| {
        let model = fitted(&tokenizer, order)?;
        score(&model, &tokenizer, &documents, Framing::DOCUMENT, WINDOWS)
    };
    let (bigram, trigram) = (result(2)?, result(3)?);
    let comparison = compare(&trigram, &bigram, Measure::NatsPerToken, plan(seed))?;
    let report = ContractReport {
        conditions_sha256: trigram.contract().conditions_sha256(),
        bigram: ResultReport::new(&bigram)?,
        trigram: ResultReport::new(&trigram)?,
        comparison: ComparisonReport::new(comparison),
    };
    Ok((report, trigram))
}

/// Two thousand resamples.
pub(crate) fn plan(seed: u64) -> BootstrapPlan {
    BootstrapPlan { seed, resample_count: 2_000, confidence: 0.95 }
}

impl ResultReport {
    /// # Errors
    /// For a result without bytes.
    pub(crate) fn new(result: &EvaluationResult) -> anyhow::Result<Self> {
        Ok(Self {
            signature: result.contract().signature(),
            nats_per_token: result.number(Measure::NatsPerToken)?,
            bits_per_byte: result.number(Measure::BitsPerByte)?,
            targets: result.documents().iter().map(|document| document.targets).sum(),
        })
    }
}

impl ComparisonReport {
    pub(crate) fn new(comparison: Comparison) -> Self {
        let better = comparison.documents.iter().filter(|document| document.difference < 0.0);
        Self {
            measure: comparison.measure,
            difference: comparison.difference,
            standard_error: comparison.bootstrap.map(|spread| spread.standard_error),
            interval: comparison.bootstrap.iter().flat_map(|s| [s.lower, s.upper]).collect(),
            first_better_in: better.count(),
            differing: comparison.differing.into_iter().map(|d| d.field).collect(),
            clusters: comparison.clusters,
            caveats: comparison.caveats,
        }
    }
}
