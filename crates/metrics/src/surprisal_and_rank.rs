//! What surprisal says about rank, and what it does not.
//!
//! A token of probability p leaves room for fewer than 1/p tokens that are at least as probable.
//! From that alone, for every row that sums to one:
//!
//! 1. A surprisal below `log2(k + 1)` bits is a top-k hit, however ties are broken. Strictly below:
//!    with the row (0.5, 0.5) the target costs exactly `log2 2` = 1 bit and may be ranked second.
//! 2. So a miss costs at least `log2(k + 1)` bits, and per document
//!    `top-k error <= bits per token / log2(k + 1)`.
//! 3. A token ranked first costs at most `log2 V` bits, because it has a probability of 1/V or more.
//!
//! The converses fail. A first guess can cost 14.6 bits (p = 2/50258, all others 1/50258), a miss
//! only 1.3 (0.4 against 0.6). And at 10.5 bits per token claim 2 allows an error of 10.5 for
//! k = 1: it is true and says nothing.
//!
//! The functions that return [`BrokenLink`] check numbers that were measured separately; a broken
//! link means that rows do not sum to one or that ranks belong to other rows.

use crate::entropy::SUM_TOLERANCE;
use crate::{MetricError, Ranks, random_guess_bits};

/// Rows are accepted as summing to one within a tolerance, which moves each threshold by at most
/// `log2(1 + tolerance)`; twice that also covers the rounding of the surprisal itself.
const SLACK_BITS: f64 = 2.0 * SUM_TOLERANCE / std::f64::consts::LN_2;

/// A pair of measurements that no probability distribution could produce.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BrokenLink {
    /// Claim 1: so cheap a token must be among the k best, but its worst rank is beyond k.
    CheapMiss {
        /// Surprisal of the token in bits.
        bits: f64,
        /// The set size.
        k: usize,
        /// Rank with ties broken against the token.
        worst_rank: usize,
    },
    /// Claim 2: the top-k error of a document is larger than its bits per token allow.
    TooManyMisses {
        /// Bits per token of the document.
        bits_per_token: f64,
        /// The set size.
        k: usize,
        /// Share of its tokens outside the top k.
        top_k_error: f64,
    },
    /// Claim 3: a token ranked first costs more than `log2 V`.
    ExpensiveFirst {
        /// Surprisal of the token in bits.
        bits: f64,
        /// The vocabulary size V.
        vocab_size: usize,
    },
}

/// `log2(k + 1)`: every token that costs less, in bits, is a top-k hit (claim 1), and every miss
/// costs at least this.
pub fn hit_certain_below_bits(k: usize) -> f64 {
    libm::log2(k as f64 + 1.0)
}

/// `bits_per_token / log2(k + 1)`: the largest top-k error that a document can have (claim 2).
/// From 1 on it says nothing. Infinite for k = 0: without guesses every token is a miss,
/// at any cost.
///
/// # Example
/// ```
/// use llm_metrics::top_k_error_bound;
///
/// assert_eq!(top_k_error_bound(0.5, 1), 0.5); // half a bit per token: at most half are missed
/// assert_eq!(top_k_error_bound(0.5, 3), 0.25); // and at most a quarter with three guesses
/// assert_eq!(top_k_error_bound(10.5, 1), 10.5); // true, and useless
/// ```
pub fn top_k_error_bound(bits_per_token: f64, k: usize) -> f64 {
    if k == 0 { f64::INFINITY } else { bits_per_token / hit_certain_below_bits(k) }
}

/// Checks claims 1 and 3 for one token: its surprisal in bits against its ranks in the same row.
///
/// # Errors
/// [`MetricError::OutOfRange`] if the ranks are beyond `vocab_size`.
pub fn broken_token_link(
    bits: f64,
    ranks: Ranks,
    k: usize,
    vocab_size: usize,
) -> Result<Option<BrokenLink>, MetricError> {
    if ranks.worst > vocab_size {
        let (value, expected) = (ranks.worst as f64, "no more than the vocabulary size");
        return Err(MetricError::OutOfRange { what: "the worst rank", value, expected });
    }
    if bits < hit_certain_below_bits(k) - SLACK_BITS && ranks.worst > k {
        return Ok(Some(BrokenLink::CheapMiss { bits, k, worst_rank: ranks.worst }));
    }
    if ranks.best == 1 && bits > random_guess_bits(vocab_size)? + SLACK_BITS {
        return Ok(Some(BrokenLink::ExpensiveFirst { bits, vocab_size }));
    }
    Ok(None)
}

/// Checks claim 2 for one document: bits per token against the share of its tokens outside the
/// top k, ties broken against the model.
pub fn broken_document_link(bits_per_token: f64, top_k_error: f64, k: usize) -> Option<BrokenLink> {
    let allowed = top_k_error_bound(bits_per_token + SLACK_BITS, k);
    (top_k_error > allowed).then_some(BrokenLink::TooManyMisses { bits_per_token, k, top_k_error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{surprisal_bits, target_ranks};

    fn bits_and_ranks(row: &[f64], target: usize) -> (f64, Ranks) {
        (surprisal_bits(row[target]).unwrap(), target_ranks(row, target).unwrap())
    }

    #[test]
    fn the_inequality_of_claim_one_is_strict() {
        let (bits, ranks) = bits_and_ranks(&[0.5, 0.5], 1);
        assert_eq!((bits, hit_certain_below_bits(1)), (1.0, 1.0)); // not below
        assert_eq!(ranks.worst, 2); // and indeed a possible miss
        assert_eq!(broken_token_link(bits, ranks, 1, 2), Ok(None));
    }

    #[test]
    fn a_first_guess_can_be_expensive_and_a_miss_cheap() {
        let vocab_size = 50_257;
        let mut row = vec![1.0 / 50_258.0; vocab_size];
        row[7] *= 2.0;
        let (bits, ranks) = bits_and_ranks(&row, 7);
        assert!((bits - 14.617).abs() < 5e-4 && ranks.worst == 1);
        assert_eq!(broken_token_link(bits, ranks, 1, vocab_size), Ok(None));

        let (bits, ranks) = bits_and_ranks(&[0.6, 0.4], 1);
        assert!((bits - 1.322).abs() < 5e-4 && ranks.best == 2);
        assert_eq!(broken_token_link(bits, ranks, 1, 2), Ok(None));
    }

    #[test]
    fn numbers_that_no_row_can_produce_are_found() {
        let second = Ranks::from_bounds(2, 2).unwrap();
        let broken = BrokenLink::CheapMiss { bits: 0.9, k: 1, worst_rank: 2 };
        assert_eq!(broken_token_link(0.9, second, 1, 10), Ok(Some(broken)));
        assert_eq!(broken_token_link(0.9, second, 2, 10), Ok(None)); // a hit at k = 2

        let first = Ranks::from_bounds(1, 1).unwrap();
        let broken = BrokenLink::ExpensiveFirst { bits: 3.5, vocab_size: 10 }; // log2 10 = 3.32
        assert_eq!(broken_token_link(3.5, first, 1, 10), Ok(Some(broken)));
        assert_eq!(broken_token_link(3.3, first, 1, 10), Ok(None));

        // 0.5 bits per token and k = 3 allow an error of 0.25.
        assert_eq!(broken_document_link(0.5, 0.25, 3), None);
        let broken = BrokenLink::TooManyMisses { bits_per_token: 0.5, k: 3, top_k_error: 0.26 };
        assert_eq!(broken_document_link(0.5, 0.26, 3), Some(broken));
    }

    #[test]
    fn ranks_of_a_larger_vocabulary_are_refused() {
        assert!(broken_token_link(1.0, Ranks::from_bounds(4, 4).unwrap(), 1, 3).is_err());
    }
}
