//! Entropy, cross-entropy and divergence: what the text costs, and what the model adds.
//!
//! Text comes from `q`, the model predicts `p`, both distributions over V tokens:
//!
//! ```text
//! entropy        H(q)     = sum of q_v log2(1/q_v)       the least that any model can need
//! cross-entropy  H(q, p)  = sum of q_v log2(1/p_v)       what this model needs
//! divergence     KL(q|p)  = H(q, p) - H(q)               what it needs too much
//! ```
//!
//! all in bits per token. *Gibbs' inequality*: the divergence is never negative, and zero only for
//! `p = q`. It is infinite if the model rules out a token that the text uses.
//!
//! Bits per token measured on text are an average of such cross-entropies: the expected value for
//! documents of length L is the mean over positions of `E[H(q(.|prefix), p(.|prefix))]`. So no
//! model gets below the entropy of its text on average.
//!
//! Sources: Shannon (1948); Kullback and Leibler, *On information and sufficiency* (1951).

use crate::{ExactSum, MetricError, nats_to_bits};

/// How far the sum of a row may be from one. Softmax rows of 100,000 tokens stay far below it;
/// a row that forgot a token does not. Our choice.
pub(crate) const SUM_TOLERANCE: f64 = 1e-9;

/// `H(q)` in bits; 0 for a certain token, `log2 V` for a uniform choice. Terms with `q_v = 0`
/// are 0.
///
/// # Errors
/// [`MetricError::InvalidProbability`] with the index of an entry outside 0 to 1,
/// [`MetricError::OutOfRange`] if the entries do not sum to one within 1e-9.
///
/// # Example
/// ```
/// use llm_metrics::{cross_entropy_bits, entropy_bits, kl_divergence_bits};
///
/// let text = [0.5, 0.25, 0.125, 0.125];
/// let model = [0.25; 4];
/// assert_eq!(entropy_bits(&text)?, 1.75); // 0.5 * 1 + 0.25 * 2 + 2 * 0.125 * 3
/// assert_eq!(cross_entropy_bits(&text, &model)?, 2.0);
/// assert_eq!(kl_divergence_bits(&text, &model)?, 0.25);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn entropy_bits(q: &[f64]) -> Result<f64, MetricError> {
    cross_entropy_bits(q, q)
}

/// `H(q, p)` in bits for text from `q`, `[V]`, predicted by `p`, `[V]`.
///
/// # Errors
/// As [`entropy_bits`] for either row, and [`MetricError::OutOfRange`] for rows of different
/// sizes.
pub fn cross_entropy_bits(q: &[f64], p: &[f64]) -> Result<f64, MetricError> {
    check_pair(q, p)?;
    Ok(sum_over_support(q, p, |q_v, p_v| 0.0 - q_v * libm::log2(p_v)))
}

/// `H(q, p)` in bits for a prediction given as log-probabilities in nats, `[V]`, so that a token
/// of probability 10^-440 counts with its 1461 bits and not as impossible.
///
/// # Errors
/// As [`cross_entropy_bits`], and [`MetricError::InvalidLogProbability`] for an entry that is NaN
/// or above zero.
pub fn cross_entropy_from_logs_bits(
    q: &[f64],
    log_probabilities: &[f64],
) -> Result<f64, MetricError> {
    let p = probabilities(log_probabilities)?;
    check_pair(q, &p)?;
    Ok(sum_over_support(q, log_probabilities, |q_v, log_p| q_v * nats_to_bits(0.0 - log_p)))
}

/// `KL(q|p)` in bits: 0 or more, 0 for equal rows, infinite if `p_v = 0` where `q_v > 0`.
///
/// # Errors
/// As [`cross_entropy_bits`].
pub fn kl_divergence_bits(q: &[f64], p: &[f64]) -> Result<f64, MetricError> {
    check_pair(q, p)?;
    // The difference of two rounded entropies would lose a small divergence; these terms are
    // exactly 0 where the rows agree. They have both signs, so rounding can leave a sum of
    // -1e-17 for nearly equal rows: that is the 0 that Gibbs' inequality promises.
    let sum = sum_over_support(q, p, |q_v, p_v| q_v * libm::log2(q_v / p_v));
    Ok(sum.max(0.0))
}

/// `KL(q|p)` in nats of two rows given as log-probabilities in nats, as a language model hands them
/// out. Tokens whose probability is too small for an `f64` count with their logarithm; a token that
/// `q` rules out (minus infinity) counts 0.
///
/// # Errors
/// [`MetricError::OutOfRange`] for rows of different sizes and for one that does not sum to one within
/// 1e-9, [`MetricError::InvalidLogProbability`] for an entry that is NaN or above zero.
///
/// # Example
/// A fair coin, predicted as 3/4 and 1/4: 1/2 ln 2/3 + 1/2 ln 2 = 1/2 ln 4/3.
/// ```
/// use llm_metrics::kl_divergence_from_logs_nats;
/// let (q, p) = ([0.5_f64.ln(); 2], [0.75_f64.ln(), 0.25_f64.ln()]);
/// let nats = kl_divergence_from_logs_nats(&q, &p)?;
/// assert!((nats - 0.5 * (4.0_f64 / 3.0).ln()).abs() < 1e-15);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn kl_divergence_from_logs_nats(log_q: &[f64], log_p: &[f64]) -> Result<f64, MetricError> {
    let q = probabilities(log_q)?;
    check_pair(&q, &probabilities(log_p)?)?;
    // For each token the difference of the logarithms is exactly 0 where the rows agree; rounding
    // can leave a sum of -1e-17, as in `kl_divergence_bits`.
    let used = q.iter().zip(log_q).zip(log_p).filter(|((q_v, _), _)| **q_v > 0.0);
    let terms = used.map(|((q_v, log_q), log_p)| q_v * (log_q - log_p));
    Ok(terms.collect::<ExactSum>().value().max(0.0))
}

/// The probabilities of a row of log-probabilities in nats.
fn probabilities(log_probabilities: &[f64]) -> Result<Vec<f64>, MetricError> {
    // NaN fails every comparison, so it is no log-probability.
    let is_log = |value: &f64| *value <= 0.0;
    if let Some(index) = log_probabilities.iter().position(|value| !is_log(value)) {
        return Err(MetricError::InvalidLogProbability { index, value: log_probabilities[index] });
    }
    Ok(log_probabilities.iter().map(|&value| libm::exp(value)).collect())
}

/// Adds `term(q_v, other_v)` over the tokens that the text uses, exactly.
fn sum_over_support(q: &[f64], other: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    let used = q.iter().zip(other).filter(|(q_v, _)| **q_v > 0.0);
    used.map(|(&q_v, &other_v)| term(q_v, other_v)).collect::<ExactSum>().value()
}

fn check_pair(q: &[f64], p: &[f64]) -> Result<(), MetricError> {
    if q.len() != p.len() {
        let (value, expected) = (p.len() as f64, "that of the other distribution");
        return Err(MetricError::OutOfRange { what: "the size of the row", value, expected });
    }
    check_distribution(q)?;
    check_distribution(p)
}

/// Refuses a row that is not a probability distribution.
pub(crate) fn check_distribution(row: &[f64]) -> Result<(), MetricError> {
    if let Some(index) = row.iter().position(|p| !(0.0..=1.0).contains(p)) {
        return Err(MetricError::InvalidProbability { index, value: row[index] });
    }
    let sum = row.iter().copied().collect::<ExactSum>().value();
    if (sum - 1.0).abs() <= SUM_TOLERANCE {
        return Ok(());
    }
    let expected = "1 within 1e-9: normalize over the whole vocabulary";
    Err(MetricError::OutOfRange { what: "the sum of the row", value: sum, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: [f64; 4] = [0.5, 0.25, 0.125, 0.125];

    #[test]
    fn certainty_has_no_entropy_and_a_uniform_choice_has_the_most() {
        assert_eq!(entropy_bits(&[0.0, 1.0, 0.0]).unwrap().to_bits(), 0);
        assert_eq!(entropy_bits(&[0.125; 8]), Ok(3.0));
    }

    #[test]
    fn a_peaked_model_pays_for_what_it_neglects() {
        // 0.5 log2(1/0.7) + 0.5 log2(10) = 0.257287 + 1.660964 = 1.918251
        let peaked = [0.7, 0.1, 0.1, 0.1];
        assert!((cross_entropy_bits(&TEXT, &peaked).unwrap() - 1.918251).abs() < 1e-6);
        assert!((kl_divergence_bits(&TEXT, &peaked).unwrap() - 0.168251).abs() < 1e-6);
        assert_eq!(kl_divergence_bits(&TEXT, &TEXT), Ok(0.0));
    }

    #[test]
    fn rounding_makes_no_divergence_negative() {
        // 0.5 log2(0.5 / (0.5 + 2^-53)) is -8e-17, and nothing makes up for it: the model's row
        // sums to a little more than one.
        let nearly = [0.5 + f64::EPSILON / 2.0, 0.5];
        assert!(0.5 * libm::log2(0.5 / nearly[0]) < 0.0);
        assert_eq!(kl_divergence_bits(&[0.5, 0.5], &nearly), Ok(0.0));
    }

    #[test]
    fn ruling_out_a_token_that_occurs_costs_infinity_and_one_that_does_not_costs_nothing() {
        let rules_out = [0.5, 0.25, 0.25, 0.0];
        assert_eq!(cross_entropy_bits(&TEXT, &rules_out), Ok(f64::INFINITY));
        assert_eq!(kl_divergence_bits(&TEXT, &rules_out), Ok(f64::INFINITY));
        assert_eq!(cross_entropy_bits(&rules_out, &TEXT), Ok(1.75)); // 0.5 + 0.25 * 2 + 0.25 * 3
        assert!(kl_divergence_bits(&rules_out, &TEXT).unwrap().is_finite());
    }

    #[test]
    fn log_probabilities_count_where_probabilities_are_already_zero() {
        // 10^-440 on half of the text: half of 440 log2(10) = 1461.648 bits.
        let logs = [0.0, -440.0 * std::f64::consts::LN_10];
        let bits = cross_entropy_from_logs_bits(&[0.5, 0.5], &logs).unwrap();
        assert!((bits - 0.5 * 1461.6484).abs() < 1e-3, "{bits}");
        assert_eq!(cross_entropy_bits(&[0.5, 0.5], &[1.0, 0.0]), Ok(f64::INFINITY));
        let refused = cross_entropy_from_logs_bits(&[0.5, 0.5], &[-0.7, 0.1]);
        assert_eq!(refused, Err(MetricError::InvalidLogProbability { index: 1, value: 0.1 }));
    }

    #[test]
    fn a_divergence_of_logs_agrees_with_that_of_probabilities_and_goes_on_below_them() {
        let peaked = [0.7, 0.1, 0.1, 0.1];
        let logs = |row: &[f64]| row.iter().map(|&p| libm::log(p)).collect::<Vec<_>>();
        let nats = kl_divergence_from_logs_nats(&logs(&TEXT), &logs(&peaked)).unwrap();
        assert!((nats - 0.168251 * std::f64::consts::LN_2).abs() < 1e-6, "{nats}");
        assert_eq!(kl_divergence_from_logs_nats(&logs(&TEXT), &logs(&TEXT)), Ok(0.0));
        // The model gives the second of two equal tokens exp(-1000), which no f64 holds:
        // 1/2 (ln 1/2 - 0) + 1/2 (ln 1/2 + 1000) = 500 - ln 2.
        let halves = [-std::f64::consts::LN_2; 2];
        let nats = kl_divergence_from_logs_nats(&halves, &[0.0, -1000.0]).unwrap();
        assert!((nats - (500.0 - std::f64::consts::LN_2)).abs() < 1e-12, "{nats}");
        let impossible = [0.0, f64::NEG_INFINITY];
        assert_eq!(kl_divergence_from_logs_nats(&halves, &impossible), Ok(f64::INFINITY));
        assert_eq!(kl_divergence_from_logs_nats(&impossible, &halves), Ok(-halves[0]));
        for bad in [&[-0.1, -0.1][..], &[0.1, -3.0], &[f64::NAN, 0.0], &[0.0]] {
            assert!(kl_divergence_from_logs_nats(&halves, bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn rows_that_are_no_distributions_are_refused() {
        let negative = entropy_bits(&[1.5, -0.5]);
        assert_eq!(negative, Err(MetricError::InvalidProbability { index: 0, value: 1.5 }));
        let message = entropy_bits(&[0.5, 0.4]).unwrap_err().to_string();
        assert!(message.starts_with("the sum of the row is 0.9, expected 1"), "{message}");
        assert!(entropy_bits(&[]).is_err());
        assert!(cross_entropy_bits(&TEXT, &[0.5, 0.5]).is_err());
        assert!(kl_divergence_bits(&[f64::NAN, 1.0], &[0.5, 0.5]).is_err());
    }
}
