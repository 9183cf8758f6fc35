//! Cross-entropy, found by sampling.
//!
//! `H(q, p)` is what text from `q` costs under the model `p` on average. A sample of n tokens comes
//! near it; how near, its standard error `sqrt(Var / n)` says, with the variance of the surprisal
//! of one token, `sum over v of q_v (-log2 p_v - H(q, p))^2`.

use std::num::NonZeroUsize;

use crate::{DocumentScore, ExactSum, MetricError, SplitMix64, cross_entropy_bits, surprisal_bits};

/// One model on a sampled text. All in bits per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampledCrossEntropy {
    /// `H(q, p)`.
    pub exact_bits: f64,
    /// Mean surprisal of the sampled tokens.
    pub sampled_bits: f64,
    /// How far a sample of this size is usually off.
    pub standard_error_bits: f64,
}

/// Draws one text of `tokens` tokens from `q`, `[V]`, and scores it with each of the `models`,
/// `[V]` each.
///
/// # Errors
/// As [`cross_entropy_bits`]; [`MetricError::NonFiniteValue`] with the index of a model that rules
/// out a token that `q` uses.
///
/// # Example
/// ```
/// use std::num::NonZeroUsize;
/// use llm_metrics::sampled_cross_entropies;
///
/// let q = [0.5, 0.25, 0.25];
/// let found = sampled_cross_entropies(&q, &[&q], NonZeroUsize::new(1000).unwrap(), 0)?;
/// assert_eq!(found[0].exact_bits, 1.5); // 0.5 * 1 + 2 * 0.25 * 2
/// assert!((found[0].sampled_bits - 1.5).abs() < 3.0 * found[0].standard_error_bits);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn sampled_cross_entropies(
    q: &[f64],
    models: &[&[f64]],
    tokens: NonZeroUsize,
    seed: u64,
) -> Result<Vec<SampledCrossEntropy>, MetricError> {
    let exact: Vec<f64> =
        models.iter().map(|model| cross_entropy_bits(q, model)).collect::<Result<_, _>>()?;
    if let Some(index) = exact.iter().position(|bits| !bits.is_finite()) {
        return Err(MetricError::NonFiniteValue { index, value: exact[index] });
    }
    let mut stream = SplitMix64::new(seed);
    // `q` is a distribution, checked above, so every draw finds a token.
    let text: Vec<usize> = (0..tokens.get()).filter_map(|_| stream.index_with(q)).collect();
    let score = |(&model, exact_bits): (&&[f64], f64)| {
        let assigned: Vec<f64> = text.iter().map(|&token| model[token]).collect();
        Ok(SampledCrossEntropy {
            exact_bits,
            sampled_bits: DocumentScore::from_probabilities(&assigned)?.bits_per_token(),
            standard_error_bits: standard_error(q, model, exact_bits, tokens)?,
        })
    };
    models.iter().zip(exact).map(score).collect()
}

fn standard_error(
    q: &[f64],
    model: &[f64],
    exact_bits: f64,
    tokens: NonZeroUsize,
) -> Result<f64, MetricError> {
    let mut variance = ExactSum::new();
    for (&q_v, &p_v) in q.iter().zip(model).filter(|(q_v, _)| **q_v > 0.0) {
        let deviation = surprisal_bits(p_v)? - exact_bits;
        variance.add(q_v * deviation * deviation);
    }
    Ok((variance.value() / tokens.get() as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKENS: NonZeroUsize = NonZeroUsize::new(100).unwrap();

    #[test]
    fn the_standard_error_is_that_of_one_token_over_the_root_of_n() {
        // Surprisals 1, 2, 3, 3 with chances 1/2, 1/4, 1/8, 1/8: mean 1.75, mean square 3.75.
        let q = [0.5, 0.25, 0.125, 0.125];
        let found = sampled_cross_entropies(&q, &[&q], TOKENS, 3).unwrap()[0];
        let by_hand = (3.75_f64 - 1.75 * 1.75).sqrt() / 10.0;
        assert!((found.standard_error_bits - by_hand).abs() < 1e-15);
    }

    #[test]
    fn a_uniform_model_costs_the_same_whatever_is_drawn() {
        let (q, model) = ([0.7, 0.3, 0.0, 0.0], [0.25; 4]);
        let found = sampled_cross_entropies(&q, &[&model], TOKENS, 3).unwrap()[0];
        assert_eq!((found.sampled_bits, found.standard_error_bits), (2.0, 0.0));
    }

    #[test]
    fn a_model_that_rules_out_what_occurs_is_named() {
        let q = [0.5, 0.5];
        let refused = sampled_cross_entropies(&q, &[&q, &[1.0, 0.0]], TOKENS, 3);
        let expected = MetricError::NonFiniteValue { index: 1, value: f64::INFINITY };
        assert_eq!(refused, Err(expected));
        assert!(sampled_cross_entropies(&[0.5, 0.4], &[&q], TOKENS, 3).is_err());
        assert!(sampled_cross_entropies(&q, &[&[1.0]], TOKENS, 3).is_err());
    }
}
