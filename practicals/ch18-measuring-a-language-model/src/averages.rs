//! Two averages of the same scores: every document equal, or every token equal.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    DatasetAverages, MetricError, SyntheticCorpus, seed_summary,
};
use serde::Serialize;

/// Both averages in bits per token, and what links them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AveragesReport {
    /// Mean over documents.
    #[serde(serialize_with = "six_decimals")]
    pub document_level: f64,
    /// Mean over tokens.
    #[serde(serialize_with = "six_decimals")]
    pub token_level: f64,
    /// The second minus the first.
    #[serde(serialize_with = "six_decimals")]
    pub difference: f64,
    /// Covariance of length and score, divisor m.
    #[serde(serialize_with = "six_decimals")]
    pub covariance: f64,
    /// Tokens per document.
    #[serde(serialize_with = "six_decimals")]
    pub mean_length: f64,
    /// Covariance over mean length: the same difference, computed on another way.
    #[serde(serialize_with = "six_decimals")]
    pub predicted_difference: f64,
}

impl From<DatasetAverages> for AveragesReport {
    fn from(averages: DatasetAverages) -> Self {
        Self {
            document_level: averages.document_level,
            token_level: averages.token_level,
            difference: averages.difference(),
            covariance: averages.covariance,
            mean_length: averages.mean_length(),
            predicted_difference: averages.predicted_difference(),
        }
    }
}

/// A hard document of 2 tokens at 12 bits each and an easy one of 200 tokens at 3 bits each.
///
/// # Errors
/// None that the constants can cause.
pub fn two_documents() -> Result<AveragesReport, MetricError> {
    Ok(DatasetAverages::from_scores(&[12.0, 3.0], &[2, 200])?.into())
}

/// The invented corpus.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CorpusReport {
    /// How many documents.
    pub documents: usize,
    /// Tokens of the shortest.
    pub shortest: usize,
    /// Half of the documents have no more tokens.
    pub median_length: usize,
    /// Tokens of the longest.
    pub longest: usize,
    /// Standard error of the document-level average, in bits: how far another seed's would be.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
    /// Long documents are cheaper per token.
    pub longer_is_easier: AveragesReport,
    /// Scores of the same distribution that have nothing to do with the length.
    pub length_does_not_matter: AveragesReport,
}

impl CorpusReport {
    /// Describes a corpus.
    ///
    /// # Errors
    /// As [`seed_summary`] and [`DatasetAverages::from_scores`].
    pub fn of(corpus: &SyntheticCorpus) -> Result<Self, MetricError> {
        let mut lengths = corpus.lengths.clone();
        lengths.sort_unstable();
        let documents = lengths.len();
        let at = |place: usize| lengths.get(place).copied().unwrap_or(0);
        let spread = seed_summary(&corpus.falling_bits)?.sample_standard_deviation;
        Ok(Self {
            documents,
            shortest: at(0),
            median_length: at((documents - 1) / 2),
            longest: at(documents - 1),
            standard_error: spread.unwrap_or(0.0) / (documents as f64).sqrt(),
            longer_is_easier: corpus.falling_averages()?.into(),
            length_does_not_matter: corpus.unrelated_averages()?.into(),
        })
    }
}
