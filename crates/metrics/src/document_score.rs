//! The score of one document: likelihood, NLL, bits per token and perplexity from one sum.
//!
//! For the probabilities `p_1 .. p_L` that a model gave to the L scored tokens of a document:
//!
//! ```text
//! likelihood       p_1 * .. * p_L                        (chain rule)
//! NLL              -ln likelihood = sum of -ln p_i       nats;  / ln 2 for bits
//! bits per token   NLL in bits / L                       "BPD" where the document is the unit
//! perplexity       2^(bits per token) = e^(nats per token)
//! ```
//!
//! The likelihood of a long text is smaller than the smallest float, the sum of logarithms is an
//! ordinary number. So the sum is what is stored, and the likelihood is derived for short texts.

use crate::perplexity::check_probabilities;
use crate::{ExactSum, MetricError, MetricSummary, nats_to_bits, perplexity_from_nats};

/// Scores of one document, or of anything that is scored as one piece.
///
/// # Example
/// ```
/// use llm_metrics::DocumentScore;
///
/// let score = DocumentScore::from_probabilities(&[0.5, 0.25, 0.125, 0.0625])?;
/// assert_eq!(format!("{:.3}", score.nll_bits()), "10.000"); // 1 + 2 + 3 + 4
/// assert_eq!(format!("{:.3}", score.nll_nats()), "6.931");
/// assert_eq!(format!("{:.3}", score.bits_per_token()), "2.500");
/// assert_eq!(format!("{:.3}", score.perplexity()), "5.657"); // 2^2.5
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentScore {
    summary: MetricSummary,
    /// For the arithmetic mean, which cannot be had from the losses' sum.
    probability_sum: ExactSum,
}

impl DocumentScore {
    /// From one probability per scored token.
    ///
    /// # Errors
    /// [`MetricError::InvalidProbability`] with the index of the first entry outside 0 to 1,
    /// [`MetricError::NoTargets`] for a document without scored tokens.
    pub fn from_probabilities(probabilities: &[f64]) -> Result<Self, MetricError> {
        check_probabilities(probabilities)?;
        let total_nll: ExactSum = probabilities.iter().map(|&p| -libm::log(p)).collect();
        let summary = MetricSummary::from_exact_total(total_nll, probabilities.len())?;
        Ok(Self { summary, probability_sum: probabilities.iter().copied().collect() })
    }

    /// From one log-probability in nats per scored token. Only so can a token of probability
    /// 10^-440 be told from an impossible one.
    ///
    /// # Errors
    /// As [`MetricSummary::from_log_probabilities`].
    pub fn from_log_probabilities(log_probabilities: &[f64]) -> Result<Self, MetricError> {
        let summary = MetricSummary::from_log_probabilities(log_probabilities)?;
        let probability_sum = log_probabilities.iter().map(|&log| libm::exp(log)).collect();
        Ok(Self { summary, probability_sum })
    }

    /// Total and count, for pooling with other documents.
    pub fn summary(&self) -> &MetricSummary {
        &self.summary
    }

    /// Scored tokens L, at least 1.
    pub fn target_count(&self) -> usize {
        self.summary.target_count()
    }

    /// Negative log-likelihood of the document in nats.
    pub fn nll_nats(&self) -> f64 {
        self.summary.total_nll()
    }

    /// Negative log-likelihood of the document in bits: what a perfect coder would need.
    pub fn nll_bits(&self) -> f64 {
        nats_to_bits(self.nll_nats())
    }

    /// The product of all probabilities; 0 as soon as it is below `2^-1074`.
    pub fn likelihood(&self) -> f64 {
        libm::exp(-self.nll_nats())
    }

    /// Mean surprisal in nats.
    pub fn nats_per_token(&self) -> f64 {
        self.summary.mean_nll()
    }

    /// Mean surprisal in bits.
    pub fn bits_per_token(&self) -> f64 {
        nats_to_bits(self.nats_per_token())
    }

    /// `e^(nats per token)`; see [`crate::perplexity_from_bits`] for the other forms.
    pub fn perplexity(&self) -> f64 {
        perplexity_from_nats(self.nats_per_token())
    }

    /// Geometric mean of the probabilities, `1 / perplexity`.
    pub fn geometric_mean_probability(&self) -> f64 {
        libm::exp(-self.nats_per_token())
    }

    /// Arithmetic mean of the probabilities, which is *not* what perplexity is made of.
    pub fn arithmetic_mean_probability(&self) -> f64 {
        self.probability_sum.value() / self.target_count() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_and_their_logarithms_give_the_same_bits() {
        let probabilities = [0.5, 0.25, 0.9, 0.01, 0.6];
        let logs = probabilities.map(libm::log);
        let from_probabilities = DocumentScore::from_probabilities(&probabilities).unwrap();
        let from_logs = DocumentScore::from_log_probabilities(&logs).unwrap();
        assert_eq!(from_logs.summary(), from_probabilities.summary());
        let [left, right] = [&from_logs, &from_probabilities].map(|score| score.likelihood());
        assert_eq!(left, right);
        assert!((left - 0.5 * 0.25 * 0.9 * 0.01 * 0.6).abs() < 1e-17); // 0.000675
        let means = [&from_logs, &from_probabilities].map(|s| s.arithmetic_mean_probability());
        assert!((means[0] - 0.452).abs() < 1e-15 && (means[1] - 0.452).abs() < 1e-15);
    }

    #[test]
    fn a_likelihood_below_the_smallest_float_leaves_the_nll_intact() {
        let score = DocumentScore::from_probabilities(&[0.5; 2000]).unwrap();
        assert_eq!(score.likelihood(), 0.0);
        assert!((score.nll_bits() - 2000.0).abs() < 1e-9);
        assert!((score.perplexity() - 2.0).abs() < 1e-14);
    }

    #[test]
    fn a_document_without_scored_tokens_has_no_score() {
        assert_eq!(DocumentScore::from_probabilities(&[]), Err(MetricError::NoTargets));
        assert_eq!(DocumentScore::from_log_probabilities(&[]), Err(MetricError::NoTargets));
    }
}
