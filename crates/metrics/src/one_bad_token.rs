//! One catastrophic token: what it does to a mean of surprisals and to a top-k error.
//!
//! A document has n tokens, all at `c` bits but one, which costs `s` bits:
//!
//! ```text
//! bits per token    ((n - 1) c + s) / n
//! its own share     s / n                    what the token contributes to the mean
//! the rise          (s - c) / n              how far the mean is above a document without it
//! ```
//!
//! Share and rise are different numbers; with 99 tokens at 1 bit and one of probability 1e-30 they
//! are 0.997 and 0.987. Neither has a limit as s grows, so a single token can lift any document
//! above any level, random guessing included. On a top-k error the same token costs 1/n at most.

use crate::MetricError;

/// A document of equal tokens and one that is different.
///
/// # Example
/// ```
/// use llm_metrics::{OneBadToken, random_guess_bits, surprisal_bits};
///
/// let document = OneBadToken::new(100, 1.0, surprisal_bits(1e-30)?)?;
/// assert_eq!(format!("{:.3}", document.bits_per_token()), "1.987");
/// assert_eq!(format!("{:.3}", document.share_bits()), "0.997");
/// assert_eq!(format!("{:.3}", document.rise_bits()), "0.987");
/// assert_eq!(document.largest_top_k_change(), 0.01);
///
/// // From here on the document is worse than guessing among 50,257 tokens.
/// let limit = document.bits_to_reach(random_guess_bits(50_257)?);
/// assert_eq!(format!("{limit:.1}"), "1462.7"); // a probability of 10^-440.3
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OneBadToken {
    token_count: usize,
    clean_bits: f64,
    bad_bits: f64,
}

impl OneBadToken {
    /// `token_count` tokens, the bad one included; `clean_bits` is the surprisal of each other
    /// token, `bad_bits` that of the bad one.
    ///
    /// # Errors
    /// [`MetricError::NoTargets`] without tokens, [`MetricError::OutOfRange`] for a surprisal that
    /// is negative or NaN, and for an infinite one of the clean tokens.
    pub fn new(token_count: usize, clean_bits: f64, bad_bits: f64) -> Result<Self, MetricError> {
        if token_count == 0 {
            return Err(MetricError::NoTargets);
        }
        if !(clean_bits >= 0.0 && clean_bits.is_finite()) {
            let (what, expected) = ("the surprisal of the clean tokens", "0 or more and finite");
            return Err(MetricError::OutOfRange { what, value: clean_bits, expected });
        }
        if bad_bits.is_nan() || bad_bits < 0.0 {
            let (what, expected) = ("the surprisal of the bad token", "0 or more");
            return Err(MetricError::OutOfRange { what, value: bad_bits, expected });
        }
        Ok(Self { token_count, clean_bits, bad_bits })
    }

    /// Mean surprisal of the document in bits.
    pub fn bits_per_token(&self) -> f64 {
        (self.clean_total_bits() + self.bad_bits) / self.token_count as f64
    }

    /// What the bad token contributes to the mean, in bits per token.
    pub fn share_bits(&self) -> f64 {
        self.bad_bits / self.token_count as f64
    }

    /// How far the mean lies above that of a document with clean tokens only, in bits per token.
    pub fn rise_bits(&self) -> f64 {
        (self.bad_bits - self.clean_bits) / self.token_count as f64
    }

    /// The most that one token can change a top-k error: `1/n`.
    pub fn largest_top_k_change(&self) -> f64 {
        1.0 / self.token_count as f64
    }

    /// The surprisal in bits that one token needs to lift the document to `level` bits per token.
    /// There is one for every level.
    pub fn bits_to_reach(&self, level: f64) -> f64 {
        self.token_count as f64 * level - self.clean_total_bits()
    }

    fn clean_total_bits(&self) -> f64 {
        (self.token_count - 1) as f64 * self.clean_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_like_the_others_changes_nothing() {
        let document = OneBadToken::new(100, 1.0, 1.0).unwrap();
        assert_eq!((document.bits_per_token(), document.rise_bits()), (1.0, 0.0));
    }

    #[test]
    fn every_level_is_reached_by_one_token() {
        for level in [2.0, 15.617, 1e6, 1e300] {
            let bits = OneBadToken::new(100, 1.0, 0.0).unwrap().bits_to_reach(level);
            let reached = OneBadToken::new(100, 1.0, bits).unwrap().bits_per_token();
            assert!((reached / level - 1.0).abs() < 1e-12, "{level}");
        }
    }

    #[test]
    fn an_impossible_token_makes_the_document_infinitely_bad() {
        let document = OneBadToken::new(100, 1.0, f64::INFINITY).unwrap();
        assert_eq!(document.bits_per_token(), f64::INFINITY);
        assert_eq!(document.largest_top_k_change(), 0.01);
    }

    #[test]
    fn surprisals_that_cannot_be_are_refused() {
        assert_eq!(OneBadToken::new(0, 1.0, 1.0), Err(MetricError::NoTargets));
        for bad in [-1.0, f64::NAN] {
            assert!(
                OneBadToken::new(2, bad, 1.0).is_err() && OneBadToken::new(2, 1.0, bad).is_err()
            );
        }
        assert!(OneBadToken::new(2, f64::INFINITY, 1.0).is_err());
    }
}
