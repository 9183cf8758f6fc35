//! The accuracy of guessing, and accuracy measured from there.
//!
//! A guess among `o` options is right with probability `1/o`, so the chance level of a test is the
//! mean of `1/o_i` over its questions. The centred score
//!
//! ```text
//! (accuracy - chance) / (1 - chance)
//! ```
//!
//! is 0 for guessing and 1 for a perfect score whatever the number of options, and negative for a
//! model that is worse than guessing.

use crate::{ExactSum, MetricError};

/// The expected accuracy of guessing; `option_counts[i]` is the number of options of question i.
///
/// # Errors
/// [`MetricError::NoValues`] without questions, [`MetricError::OutOfRange`] for a question without
/// options.
///
/// # Example
/// ```
/// use llm_metrics::{chance_centred, chance_level};
///
/// let chance = chance_level(&[2, 4])?; // (1/2 + 1/4) / 2
/// assert_eq!(chance, 0.375);
/// assert_eq!(chance_centred(0.375, chance)?, 0.0);
/// assert_eq!(chance_centred(1.0, chance)?, 1.0);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn chance_level(option_counts: &[usize]) -> Result<f64, MetricError> {
    if option_counts.is_empty() {
        return Err(MetricError::NoValues);
    }
    if option_counts.contains(&0) {
        let (what, value) = ("the number of options", 0.0);
        return Err(MetricError::OutOfRange { what, value, expected: "at least 1" });
    }
    let sum: ExactSum = option_counts.iter().map(|&count| 1.0 / count as f64).collect();
    Ok(sum.value() / option_counts.len() as f64)
}

/// `(accuracy - chance) / (1 - chance)`: 0 is guessing, 1 is perfect.
///
/// # Errors
/// [`MetricError::OutOfRange`] for an accuracy outside 0 to 1, and for a chance level outside 0 to
/// 1 or of 1, where every answer is right.
pub fn chance_centred(accuracy: f64, chance: f64) -> Result<f64, MetricError> {
    if !(0.0..=1.0).contains(&accuracy) {
        let (what, expected) = ("the accuracy", "from 0 to 1");
        return Err(MetricError::OutOfRange { what, value: accuracy, expected });
    }
    if !(0.0..1.0).contains(&chance) {
        let (what, expected) = ("the chance level", "from 0 to below 1");
        return Err(MetricError::OutOfRange { what, value: chance, expected });
    }
    Ok((accuracy - chance) / (1.0 - chance))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worse_than_guessing_is_negative() {
        assert_eq!(chance_centred(0.0, 0.5), Ok(-1.0));
        assert_eq!(chance_centred(0.625, 0.25), Ok(0.5));
    }

    #[test]
    fn tests_without_a_wrong_answer_have_no_centred_score() {
        assert_eq!(chance_level(&[1, 1]), Ok(1.0));
        assert!(chance_centred(1.0, 1.0).is_err());
        assert!(chance_centred(1.1, 0.5).is_err() && chance_centred(0.5, f64::NAN).is_err());
        assert!(chance_level(&[2, 0]).is_err());
        assert_eq!(chance_level(&[]), Err(MetricError::NoValues));
    }
}
