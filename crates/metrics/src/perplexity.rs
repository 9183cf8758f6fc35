//! Perplexity in its three forms, and the mean that it is not.
//!
//! ```text
//! perplexity = 2^(bits per token) = e^(nats per token) = 1 / geometric mean of the probabilities
//! ```
//!
//! All three say: the model was as unsure as if it had to guess among that many equally likely
//! tokens. The *arithmetic* mean of the probabilities is another number, never smaller than the
//! geometric one and equal only if all probabilities are (Cauchy 1821), so its reciprocal makes a
//! model look better. One probability of 0 makes the geometric mean 0 and perplexity infinite,
//! and hardly touches the arithmetic mean.
//!
//! Source: Jelinek, Mercer, Bahl and Baker, *Perplexity - a measure of the difficulty of speech
//! recognition tasks* (1977).

use crate::{ExactSum, MetricError};

/// Perplexity from bits per token: `2^bits`. Infinite from 1024 bits on.
pub fn perplexity_from_bits(bits_per_token: f64) -> f64 {
    libm::exp2(bits_per_token)
}

/// Perplexity from nats per token: `e^nats`. Infinite from about 709.78 nats on.
pub fn perplexity_from_nats(nats_per_token: f64) -> f64 {
    libm::exp(nats_per_token)
}

/// Perplexity from the probabilities themselves: `1 / geometric_mean`.
///
/// # Errors
/// As [`geometric_mean`].
///
/// # Example
/// ```
/// use llm_metrics::{arithmetic_mean, perplexity_from_bits, perplexity_from_probabilities};
///
/// let probabilities = [0.5, 0.125]; // 1 and 3 bits: 2 bits per token
/// assert_eq!(perplexity_from_bits(2.0), 4.0);
/// assert!((perplexity_from_probabilities(&probabilities)? - 4.0).abs() < 1e-14);
/// assert_eq!(1.0 / arithmetic_mean(&probabilities)?, 3.2); // not a perplexity
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn perplexity_from_probabilities(probabilities: &[f64]) -> Result<f64, MetricError> {
    Ok(1.0 / geometric_mean(probabilities)?)
}

/// `(p_1 * .. * p_n)^(1/n)`, from the product itself and not from a sum of logarithms, so that it
/// can check the other two forms.
///
/// The product of a long document underflows; here its power of two is kept in an integer beside
/// it. Probabilities below `2^-1074` need logarithms: [`crate::DocumentScore`].
///
/// # Errors
/// [`MetricError::InvalidProbability`] with the index of the first entry outside 0 to 1,
/// [`MetricError::NoTargets`] for an empty slice.
pub fn geometric_mean(probabilities: &[f64]) -> Result<f64, MetricError> {
    check_probabilities(probabilities)?;
    let (mut significand, mut exponent) = (1.0, 0_i64); // the product is significand * 2^exponent
    for &probability in probabilities {
        // Split before multiplying: half of the smallest float is 0.
        let (factor, power) = libm::frexp(probability);
        let (product, carry) = libm::frexp(significand * factor);
        significand = product;
        exponent += i64::from(power) + i64::from(carry);
    }
    let count = probabilities.len() as f64;
    Ok(libm::exp2(exponent as f64 / count) * libm::pow(significand, 1.0 / count))
}

/// `(p_1 + .. + p_n) / n`: shown beside the geometric mean because it is easily mistaken for it.
///
/// # Errors
/// As [`geometric_mean`].
pub fn arithmetic_mean(probabilities: &[f64]) -> Result<f64, MetricError> {
    check_probabilities(probabilities)?;
    let sum: ExactSum = probabilities.iter().copied().collect();
    Ok(sum.value() / probabilities.len() as f64)
}

/// Refuses an empty slice and the first entry that is no probability.
pub(crate) fn check_probabilities(probabilities: &[f64]) -> Result<(), MetricError> {
    if probabilities.is_empty() {
        return Err(MetricError::NoTargets);
    }
    match probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
        Some(index) => Err(MetricError::InvalidProbability { index, value: probabilities[index] }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uniform_guess_among_k_has_perplexity_k() {
        for k in [2.0, 10.0, 50_257.0] {
            let by_product = perplexity_from_probabilities(&vec![1.0 / k; 77]).unwrap();
            assert!((by_product / k - 1.0).abs() < 1e-13, "{k}: {by_product}");
            assert!((perplexity_from_bits(libm::log2(k)) / k - 1.0).abs() < 1e-13);
            assert!((perplexity_from_nats(libm::log(k)) / k - 1.0).abs() < 1e-13);
        }
    }

    #[test]
    fn the_product_of_a_long_document_does_not_underflow() {
        // 0.01^1000 is 10^-2000; its thousandth root is 0.01.
        let mean = geometric_mean(&[0.01; 1000]).unwrap();
        assert!((mean - 0.01).abs() < 1e-15, "{mean}");
        // 2^-1074 and 0.6 twice: the fourth root of 0.36 * 2^-2148 is sqrt(0.6) * 2^-537.
        let smallest = f64::from_bits(1);
        let mean = geometric_mean(&[0.6, smallest, smallest, 0.6]).unwrap();
        assert!((mean / (0.6_f64.sqrt() * libm::ldexp(1.0, -537)) - 1.0).abs() < 1e-14, "{mean:e}");
    }

    #[test]
    fn one_impossible_token_makes_perplexity_infinite_but_not_the_arithmetic_mean() {
        let probabilities = [0.5, 0.0, 0.9];
        assert_eq!(geometric_mean(&probabilities), Ok(0.0));
        assert_eq!(perplexity_from_probabilities(&probabilities), Ok(f64::INFINITY));
        assert!((arithmetic_mean(&probabilities).unwrap() - 1.4 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn entries_that_are_no_probabilities_are_named() {
        let refused = Err(MetricError::InvalidProbability { index: 1, value: 1.5 });
        assert_eq!(geometric_mean(&[0.5, 1.5]), refused);
        assert_eq!(arithmetic_mean(&[0.5, 1.5]), refused);
        assert_eq!(geometric_mean(&[]), Err(MetricError::NoTargets));
    }
}
