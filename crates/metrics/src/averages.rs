//! The two averages over a data set: every document equal, or every token equal.
//!
//! For m documents with `L_j` tokens and a per-token score `b_j` each:
//!
//! ```text
//! document-level   (b_1 + .. + b_m) / m
//! token-level      (L_1 b_1 + .. + L_m b_m) / (L_1 + .. + L_m)
//! ```
//!
//! They answer different questions and can differ by any factor. By how much is known:
//!
//! ```text
//! token-level - document-level = Cov(L, b) / mean(L)          (covariance with divisor m)
//! ```
//!
//! Long documents are usually easier per token, so the covariance is negative and the token-level
//! number is the smaller one. A statement about *documents*, such as a bound that treats them as
//! independent samples, needs the document-level average; the token-level one is a ratio of two
//! sums and no mean of per-document losses. Nor is there a third average: the mean of per-document
//! perplexities exponentiates too early and is dominated by the worst document.

use crate::{ExactSum, MetricError, MetricSummary, perplexity_from_nats};

/// Both averages of one data set and what links them, in the unit of the scores.
///
/// # Example
/// ```
/// use llm_metrics::DatasetAverages;
///
/// // 2 tokens at 12 bits each, and 200 tokens at 3 bits each.
/// let averages = DatasetAverages::from_scores(&[12.0, 3.0], &[2, 200])?;
/// assert_eq!(averages.document_level, 7.5);
/// assert_eq!(format!("{:.4}", averages.token_level), "3.0891"); // 624 / 202
/// assert_eq!(averages.covariance, -445.5); // (-99 * 4.5 + 99 * -4.5) / 2
/// assert!((averages.difference() - averages.predicted_difference()).abs() < 1e-14);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatasetAverages {
    /// Documents m, at least 1.
    pub document_count: usize,
    /// Tokens of all documents.
    pub token_count: usize,
    /// Mean of the documents' scores, weight 1 each.
    pub document_level: f64,
    /// Mean of the documents' scores, weight `L_j` each.
    pub token_level: f64,
    /// Covariance of length and score with divisor m, computed on its own from deviations.
    pub covariance: f64,
}

impl DatasetAverages {
    /// From one per-token score (bits, nats, an error rate) and one length per document.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without documents, [`MetricError::NonFiniteValue`] for a score
    /// that is infinite or NaN, [`MetricError::OutOfRange`] for a length of 0 or another number of
    /// lengths than of scores.
    pub fn from_scores(scores: &[f64], lengths: &[usize]) -> Result<Self, MetricError> {
        check_documents(scores, lengths)?;
        let weighted = scores.iter().zip(lengths).map(|(score, &length)| score * length as f64);
        let total: ExactSum = weighted.collect();
        Self::from_parts(scores, lengths, &total)
    }

    /// From one summary per document, in nats per target. Totals are pooled exactly.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without documents, [`MetricError::NonFiniteValue`] with the index
    /// of a document whose loss is infinite.
    pub fn from_documents(documents: &[MetricSummary]) -> Result<Self, MetricError> {
        let scores: Vec<f64> = documents.iter().map(MetricSummary::mean_nll).collect();
        let lengths: Vec<usize> = documents.iter().map(MetricSummary::target_count).collect();
        check_documents(&scores, &lengths)?;
        let mut total = ExactSum::new();
        for document in documents {
            total.merge(document.exact_total_nll());
        }
        Self::from_parts(&scores, &lengths, &total)
    }

    fn from_parts(
        scores: &[f64],
        lengths: &[usize],
        total: &ExactSum,
    ) -> Result<Self, MetricError> {
        let token_count = total_length(lengths)?;
        let documents = scores.len() as f64;
        let document_level = mean(scores.iter().copied());
        let mean_length = token_count as f64 / documents;
        let products = scores
            .iter()
            .zip(lengths)
            .map(|(score, &length)| (length as f64 - mean_length) * (score - document_level));
        Ok(Self {
            document_count: scores.len(),
            token_count,
            document_level,
            token_level: total.value() / token_count as f64,
            covariance: mean(products),
        })
    }

    /// Tokens per document.
    pub fn mean_length(&self) -> f64 {
        self.token_count as f64 / self.document_count as f64
    }

    /// Token-level minus document-level.
    pub fn difference(&self) -> f64 {
        self.token_level - self.document_level
    }

    /// The same difference as the identity predicts it: covariance over mean length.
    pub fn predicted_difference(&self) -> f64 {
        self.covariance / self.mean_length()
    }
}

/// Three numbers that all get called "the perplexity" of a set of documents.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DatasetPerplexities {
    /// `exp` of the token-level NLL: the one to report.
    pub token_level: f64,
    /// `exp` of the document-level NLL.
    pub document_level: f64,
    /// The arithmetic mean of the documents' perplexities: shown to be recognized, never to be
    /// reported, because one hard document outweighs all others.
    pub mean_of_perplexities: f64,
}

impl DatasetPerplexities {
    /// All three, from one summary per document.
    ///
    /// # Errors
    /// As [`DatasetAverages::from_documents`].
    pub fn from_documents(documents: &[MetricSummary]) -> Result<Self, MetricError> {
        let averages = DatasetAverages::from_documents(documents)?;
        Ok(Self {
            token_level: perplexity_from_nats(averages.token_level),
            document_level: perplexity_from_nats(averages.document_level),
            mean_of_perplexities: mean(documents.iter().map(MetricSummary::perplexity)),
        })
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len() as f64;
    values.collect::<ExactSum>().value() / count
}

fn total_length(lengths: &[usize]) -> Result<usize, MetricError> {
    let mut total = 0_usize;
    for &length in lengths {
        let sum = total.checked_add(length);
        total = sum.ok_or(MetricError::TargetCountOverflow { left: total, right: length })?;
    }
    Ok(total)
}

fn check_documents(scores: &[f64], lengths: &[usize]) -> Result<(), MetricError> {
    if scores.is_empty() {
        return Err(MetricError::NoValues);
    }
    if scores.len() != lengths.len() {
        let (value, expected) = (lengths.len() as f64, "one per score");
        return Err(MetricError::OutOfRange { what: "the number of lengths", value, expected });
    }
    if let Some(index) = scores.iter().position(|score| !score.is_finite()) {
        return Err(MetricError::NonFiniteValue { index, value: scores[index] });
    }
    if lengths.contains(&0) {
        let expected = "at least 1: a document without scored tokens has no score";
        return Err(MetricError::OutOfRange { what: "a document length", value: 0.0, expected });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lengths_or_equal_scores_make_both_averages_the_same() {
        let equal_lengths = DatasetAverages::from_scores(&[1.0, 4.0, 7.0], &[5, 5, 5]).unwrap();
        assert_eq!((equal_lengths.document_level, equal_lengths.token_level), (4.0, 4.0));
        assert_eq!(equal_lengths.covariance, 0.0);
        let equal_scores = DatasetAverages::from_scores(&[2.5; 3], &[1, 10, 100]).unwrap();
        assert_eq!((equal_scores.document_level, equal_scores.token_level), (2.5, 2.5));
    }

    #[test]
    fn top_k_errors_have_both_averages_too() {
        // Errors 0.5 over 2 tokens and 0.1 over 200: (0.5 + 0.1) / 2, and (1 + 20) / 202.
        let averages = DatasetAverages::from_scores(&[0.5, 0.1], &[2, 200]).unwrap();
        assert!((averages.document_level - 0.3).abs() < 1e-15);
        assert!((averages.token_level - 21.0 / 202.0).abs() < 1e-15);
        assert!(averages.difference() < 0.0);
    }

    #[test]
    fn three_perplexities_of_a_long_easy_and_a_short_hard_document() {
        // Ten tokens at 2 nats and one at 6: e^(26/11), e^4 and (e^2 + e^6) / 2.
        let long = MetricSummary::from_token_nlls(&[2.0; 10]).unwrap();
        let short = MetricSummary::from_token_nlls(&[6.0]).unwrap();
        let all = DatasetPerplexities::from_documents(&[long, short]).unwrap();
        assert!((all.token_level - 10.63).abs() < 5e-3, "{all:?}");
        assert!((all.document_level - 54.60).abs() < 5e-3, "{all:?}");
        assert!((all.mean_of_perplexities - 205.4).abs() < 5e-2, "{all:?}");
    }

    #[test]
    fn summaries_and_scores_of_the_same_documents_agree() {
        let documents = [[1.0, 2.0].as_slice(), &[0.5, 0.5, 3.5, 1.5]]
            .map(|nlls| MetricSummary::from_token_nlls(nlls).unwrap());
        let averages = DatasetAverages::from_documents(&documents).unwrap();
        assert_eq!(averages, DatasetAverages::from_scores(&[1.5, 1.5], &[2, 4]).unwrap());
        assert_eq!((averages.document_count, averages.token_count), (2, 6));
    }

    #[test]
    fn what_has_no_average_is_refused() {
        let refused = DatasetAverages::from_scores(&[], &[]);
        assert_eq!(refused, Err(MetricError::NoValues));
        assert!(DatasetAverages::from_scores(&[1.0], &[1, 2]).is_err());
        assert!(DatasetAverages::from_scores(&[1.0, 2.0], &[1, 0]).is_err());
        let infinite = DatasetAverages::from_scores(&[1.0, f64::INFINITY], &[1, 1]);
        assert!(matches!(infinite, Err(MetricError::NonFiniteValue { index: 1, .. })));
        let overflow = DatasetAverages::from_scores(&[1.0, 1.0], &[usize::MAX, 1]);
        assert!(matches!(overflow, Err(MetricError::TargetCountOverflow { .. })));
    }
}
