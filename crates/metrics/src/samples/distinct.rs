//! Distinct-n: how many of the n-grams of a sample are different ones.
//!
//! ```text
//! distinct-n    = different n-grams / n-grams
//! repeated part = 1 - distinct-n
//! ```
//!
//! A loop has few different n-grams. Random words have many, more than any human text, so a high
//! value praises gibberish: the number never stands alone. It also falls with the length of the
//! sample, because a vocabulary runs out; compare samples of equal length only.
//!
//! Source: Li and others, *A diversity-promoting objective function for neural conversation models*
//! (2016), <https://arxiv.org/abs/1510.03055>.

use crate::{ExactSum, MetricError};
use std::collections::BTreeSet;

/// The n-grams of one or more samples, pooled: one count of different ones over one count of all.
///
/// # Example
/// ```
/// use llm_metrics::DistinctNgrams;
///
/// let words = ["to", "be", "to", "be", "to", "be", "to", "be"];
/// let pairs = DistinctNgrams::of(&[&words], 2)?;
/// assert_eq!((pairs.distinct, pairs.total), (2, 7)); // "to be" and "be to"
/// assert_eq!(pairs.repeated_share(), 5.0 / 7.0);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct DistinctNgrams {
    /// Length of an n-gram in items.
    pub n: usize,
    /// Different n-grams.
    pub distinct: usize,
    /// All n-grams, at least 1.
    pub total: usize,
}

impl DistinctNgrams {
    /// Counts the n-grams inside each sample (none crosses from one into the next) of words, ids
    /// or bytes. An n-gram that two samples share is one distinct n-gram.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for n = 0, and if every sample has fewer than n items: such
    /// samples are neither diverse nor repetitive.
    pub fn of<T: Ord, S: AsRef<[T]>>(samples: &[S], n: usize) -> Result<Self, MetricError> {
        if n == 0 {
            let expected = "1 or more items";
            return Err(MetricError::OutOfRange {
                what: "the n-gram length",
                value: 0.0,
                expected,
            });
        }
        let ngrams = || samples.iter().flat_map(|sample| sample.as_ref().windows(n));
        let total = ngrams().count();
        if total == 0 {
            let longest = samples.iter().map(|sample| sample.as_ref().len()).max().unwrap_or(0);
            let (what, expected) = ("the length of the longest sample", "at least one n-gram");
            return Err(MetricError::OutOfRange { what, value: longest as f64, expected });
        }
        Ok(Self { n, distinct: ngrams().collect::<BTreeSet<_>>().len(), total })
    }

    /// Distinct-n, above 0 and at most 1.
    pub fn distinct_share(&self) -> f64 {
        self.distinct as f64 / self.total as f64
    }

    /// The share of n-grams that repeat an earlier one, from 0 to below 1.
    pub fn repeated_share(&self) -> f64 {
        (self.total - self.distinct) as f64 / self.total as f64
    }
}

/// Distinct-n of each sample alone, averaged over the samples: says nothing about samples that
/// repeat each other, which [`DistinctNgrams::of`] does.
///
/// # Errors
/// As [`DistinctNgrams::of`], for the first sample with fewer than n items too;
/// [`MetricError::NoValues`] without samples.
pub fn mean_distinct_share<T: Ord, S: AsRef<[T]>>(
    samples: &[S],
    n: usize,
) -> Result<f64, MetricError> {
    if samples.is_empty() {
        return Err(MetricError::NoValues);
    }
    let mut sum = ExactSum::default();
    for sample in samples {
        sum.add(DistinctNgrams::of(&[sample.as_ref()], n)?.distinct_share());
    }
    Ok(sum.value() / samples.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_four_times_is_a_quarter_distinct_and_four_letters_are_wholly() {
        let loops = DistinctNgrams::of(&["a a a a".split(' ').collect::<Vec<_>>()], 1).unwrap();
        assert_eq!((loops.distinct_share(), loops.repeated_share()), (0.25, 0.75));
        let fresh = DistinctNgrams::of(&["a b c d".split(' ').collect::<Vec<_>>()], 2).unwrap();
        assert_eq!((fresh.distinct_share(), fresh.repeated_share()), (1.0, 0.0));
    }

    #[test]
    fn samples_that_repeat_each_other_show_in_the_pool_only() {
        let samples = [[1, 2, 3], [1, 2, 3]];
        assert_eq!(DistinctNgrams::of(&samples, 2).unwrap().distinct_share(), 0.5); // 2 of 4
        assert_eq!(mean_distinct_share(&samples, 2), Ok(1.0));
    }

    #[test]
    fn no_ngram_crosses_from_one_sample_into_the_next() {
        let pairs = DistinctNgrams::of(&[vec![1, 2], vec![3], vec![1, 2]], 2).unwrap();
        assert_eq!((pairs.distinct, pairs.total), (1, 2)); // only 1 2, twice; no 2 3, no 3 1
    }

    #[test]
    fn samples_shorter_than_an_ngram_have_no_value() {
        assert!(DistinctNgrams::of(&[[1, 2]], 3).is_err());
        assert!(DistinctNgrams::of::<u8, &[u8]>(&[], 1).is_err());
        assert!(mean_distinct_share(&[vec![1, 2, 3], vec![1]], 2).is_err());
        assert_eq!(mean_distinct_share::<u8, &[u8]>(&[], 1), Err(MetricError::NoValues));
        let message = DistinctNgrams::of(&[[1, 2]], 0).unwrap_err().to_string();
        assert_eq!(message, "the n-gram length is 0, expected 1 or more items");
    }
}
