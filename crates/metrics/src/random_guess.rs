//! What guessing at random scores: the level that a claim has to beat to say anything.
//!
//! A predictor that gives each of V tokens the probability 1/V needs `log2 V` bits for every token
//! of every text. Its k guesses, drawn without looking, miss with probability `1 - k/V`.
//!
//! These are also the best *worst cases*: in every row some token has a probability of at most
//! 1/V, so every model has a text on which it needs `log2 V` bits per token or more, and every fixed
//! set of k tokens misses the other V - k. A trained model can do worse than guessing.

use crate::MetricError;
use crate::top_k_error::check_k;

/// `log2 V`: bits per token of the uniform predictor over `vocab_size` tokens.
///
/// # Errors
/// [`MetricError::OutOfRange`] for an empty vocabulary.
///
/// # Example
/// ```
/// use llm_metrics::{random_guess_bits, random_guess_top_k_error};
///
/// assert_eq!(random_guess_bits(1024)?, 10.0);
/// assert_eq!(format!("{:.3}", random_guess_bits(50_257)?), "15.617");
/// assert_eq!(random_guess_top_k_error(1, 4)?, 0.75);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn random_guess_bits(vocab_size: usize) -> Result<f64, MetricError> {
    Ok(libm::log2(checked_vocab_size(vocab_size)?))
}

/// `ln V`: nats per token of the uniform predictor. Its perplexity is V itself.
///
/// # Errors
/// As [`random_guess_bits`].
pub fn random_guess_nats(vocab_size: usize) -> Result<f64, MetricError> {
    Ok(libm::log(checked_vocab_size(vocab_size)?))
}

/// `1 - k/V`: the top-k error of k guesses drawn at random from `vocab_size` tokens.
///
/// # Errors
/// [`MetricError::OutOfRange`] for k = 0 or k above `vocab_size`.
pub fn random_guess_top_k_error(k: usize, vocab_size: usize) -> Result<f64, MetricError> {
    check_k(k, vocab_size)?;
    Ok((vocab_size - k) as f64 / vocab_size as f64)
}

/// Whether a bound (or a score) of `value` promises no more than guessing does. At the level
/// counts as vacuous, and so does NaN.
pub fn is_vacuous(value: f64, random_guess_level: f64) -> bool {
    // Not `>=`: a NaN promises nothing either.
    !matches!(value.partial_cmp(&random_guess_level), Some(std::cmp::Ordering::Less))
}

fn checked_vocab_size(vocab_size: usize) -> Result<f64, MetricError> {
    if vocab_size > 0 {
        return Ok(vocab_size as f64);
    }
    let expected = "at least 1";
    Err(MetricError::OutOfRange { what: "the vocabulary size", value: 0.0, expected })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Ranks, TopKCounter, perplexity_from_bits, perplexity_from_nats};

    #[test]
    fn the_perplexity_of_guessing_is_the_vocabulary_size() {
        let bits = random_guess_bits(50_257).unwrap();
        assert!((perplexity_from_bits(bits) - 50_257.0).abs() < 1e-8);
        let nats = random_guess_nats(50_257).unwrap();
        assert!((perplexity_from_nats(nats) - 50_257.0).abs() < 1e-8);
    }

    #[test]
    fn over_all_possible_ranks_the_top_k_error_is_the_random_one() {
        // A random ranking puts the target on each of 7 places equally often.
        for k in 1..=7 {
            let mut counter = TopKCounter::new(&[k], 7).unwrap();
            for rank in 1..=7 {
                counter.add(Ranks::from_bounds(rank, rank).unwrap()).unwrap();
            }
            let counted = counter.errors().unwrap()[0].pessimistic();
            assert_eq!(random_guess_top_k_error(k, 7), Ok(counted));
        }
    }

    #[test]
    fn a_value_at_the_level_is_vacuous_and_one_below_is_not() {
        let level = random_guess_bits(256).unwrap();
        assert!(is_vacuous(8.0, level) && is_vacuous(9.0, level) && is_vacuous(f64::NAN, level));
        assert!(!is_vacuous(7.999, level));
    }

    #[test]
    fn empty_vocabularies_and_impossible_k_are_refused() {
        assert!(random_guess_bits(0).is_err() && random_guess_nats(0).is_err());
        assert!(random_guess_top_k_error(0, 5).is_err());
        assert!(random_guess_top_k_error(6, 5).is_err());
        assert_eq!(random_guess_top_k_error(5, 5), Ok(0.0));
    }
}
