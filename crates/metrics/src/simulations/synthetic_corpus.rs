//! Lengths and scores of an invented corpus.
//!
//! Real corpora have a few very long documents, and long documents are easier per token, because
//! more context helps. The corpus here has just these two properties:
//!
//! ```text
//! L = max(1, round(exp(ln median + s Z)))        length in tokens, Z standard normal
//! b = max(floor, level + slope (ln pivot - ln L') + noise Z')        bits per token
//! ```
//!
//! In one variant `L'` is the document's own length; in the other it is that of another document
//! (the lengths are shuffled), so the scores have the same distribution and nothing to do with the
//! length. The difference of the two averages then shows what it comes from. In the population the
//! document-level average is `level + slope (ln pivot - ln median)` and the token-level one lies
//! `slope s^2` below it: weighting a lognormal length by itself moves the mean of its logarithm by
//! the variance. Both but for rounding and the floor.
//!
//! These documents have no text. The numbers are invented; only their shape is that of real ones.

use crate::{DatasetAverages, MetricError, SplitMix64};

/// The constants of the corpus.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SyntheticCorpusPlan {
    /// How many documents.
    pub documents: usize,
    /// Median of the lengths in tokens, above 0.
    pub median_length: f64,
    /// `s`: standard deviation of the natural logarithm of the lengths, 0 or more.
    pub log_length_deviation: f64,
    /// Bits per token of a document of the pivotal length.
    pub level_bits: f64,
    /// Bits per token that a document e times as long is cheaper.
    pub slope_bits: f64,
    /// That length in tokens, above 0.
    pub pivot_length: f64,
    /// Standard deviation of the bits per token around the line, 0 or more.
    pub noise_bits: f64,
    /// The least number of bits per token.
    pub floor_bits: f64,
}

impl Default for SyntheticCorpusPlan {
    /// 10,000 documents; a median of 680 tokens and a mean near 1,121, as in web text; half a bit
    /// cheaper whenever a document is about twice as long.
    fn default() -> Self {
        Self {
            documents: 10_000,
            median_length: 680.0,
            log_length_deviation: 1.0,
            level_bits: 3.2,
            slope_bits: 0.6,
            pivot_length: 1128.0,
            noise_bits: 0.4,
            floor_bits: 0.3,
        }
    }
}

/// The documents of one seed, in both variants.
#[derive(Clone, Debug, PartialEq)]
pub struct SyntheticCorpus {
    /// Tokens of each document, at least 1.
    pub lengths: Vec<usize>,
    /// Bits per token that fall with the document's own length.
    pub falling_bits: Vec<f64>,
    /// Bits per token that fall with the length of some other document.
    pub unrelated_bits: Vec<f64>,
}

impl SyntheticCorpusPlan {
    /// Draws a corpus. Draws: the lengths, the noise, the shuffle.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without documents, [`MetricError::OutOfRange`] for a constant
    /// that is not finite or out of its range.
    ///
    /// # Example
    /// ```
    /// use llm_metrics::SyntheticCorpusPlan;
    ///
    /// let corpus = SyntheticCorpusPlan::default().draw(0)?;
    /// let (falling, unrelated) = (corpus.falling_averages()?, corpus.unrelated_averages()?);
    /// assert!(falling.difference() < -0.5); // long documents are easier: pooling tokens flatters
    /// assert!(unrelated.difference().abs() < 0.05); // and here it does not
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn draw(&self, seed: u64) -> Result<SyntheticCorpus, MetricError> {
        self.check()?;
        let mut stream = SplitMix64::new(seed);
        let log_median = libm::log(self.median_length);
        let mut length = || {
            let log_length = log_median + self.log_length_deviation * stream.standard_normal();
            // A float beyond the range becomes the largest count: saturating, as wanted.
            libm::exp(log_length).round().max(1.0) as usize
        };
        let lengths: Vec<usize> = (0..self.documents).map(|_| length()).collect();
        let noise: Vec<f64> =
            (0..self.documents).map(|_| self.noise_bits * stream.standard_normal()).collect();
        let mut of_others = lengths.clone();
        stream.shuffle(&mut of_others);
        Ok(SyntheticCorpus {
            falling_bits: self.scores(&lengths, &noise),
            unrelated_bits: self.scores(&of_others, &noise),
            lengths,
        })
    }

    fn scores(&self, lengths: &[usize], noise: &[f64]) -> Vec<f64> {
        let log_pivot = libm::log(self.pivot_length);
        let score = |(&length, noise): (&usize, &f64)| {
            let shorter_than_pivot = log_pivot - libm::log(length as f64);
            let bits = self.level_bits + self.slope_bits * shorter_than_pivot + noise;
            bits.max(self.floor_bits)
        };
        lengths.iter().zip(noise).map(score).collect()
    }

    fn check(&self) -> Result<(), MetricError> {
        if self.documents == 0 {
            return Err(MetricError::NoValues);
        }
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        let constants = [
            ("the median length", self.median_length, positive(self.median_length)),
            ("the pivotal length", self.pivot_length, positive(self.pivot_length)),
            (
                "the deviation of the log length",
                self.log_length_deviation,
                not_negative(self.log_length_deviation),
            ),
            ("the noise", self.noise_bits, not_negative(self.noise_bits)),
            ("the floor", self.floor_bits, not_negative(self.floor_bits)),
            ("the level", self.level_bits, self.level_bits.is_finite()),
            ("the slope", self.slope_bits, self.slope_bits.is_finite()),
        ];
        match constants.into_iter().find(|(_, _, fits)| !fits) {
            None => Ok(()),
            Some((what, value, _)) => {
                let expected = "finite; lengths above 0; deviation, noise and floor 0 or more";
                Err(MetricError::OutOfRange { what, value, expected })
            }
        }
    }
}

impl SyntheticCorpus {
    /// Both averages where the score falls with the document's own length.
    ///
    /// # Errors
    /// As [`DatasetAverages::from_scores`].
    pub fn falling_averages(&self) -> Result<DatasetAverages, MetricError> {
        DatasetAverages::from_scores(&self.falling_bits, &self.lengths)
    }

    /// Both averages where it has nothing to do with it.
    ///
    /// # Errors
    /// As [`DatasetAverages::from_scores`].
    pub fn unrelated_averages(&self) -> Result<DatasetAverages, MetricError> {
        DatasetAverages::from_scores(&self.unrelated_bits, &self.lengths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_and_spread_every_document_is_the_median_one() {
        let plan = SyntheticCorpusPlan {
            documents: 3,
            log_length_deviation: 0.0,
            noise_bits: 0.0,
            ..SyntheticCorpusPlan::default()
        };
        let corpus = plan.draw(5).unwrap();
        assert_eq!(corpus.lengths, [680; 3]);
        // 3.2 + 0.6 (ln 1128 - ln 680) = 3.2 + 0.6 * 0.506109 = 3.503665
        assert!(corpus.falling_bits.iter().all(|bits| (bits - 3.503_665).abs() < 1e-6));
        assert_eq!(corpus.falling_bits, corpus.unrelated_bits);
    }

    #[test]
    fn a_seed_gives_one_corpus_and_the_floor_holds() {
        let plan = SyntheticCorpusPlan { noise_bits: 3.0, ..SyntheticCorpusPlan::default() };
        let corpus = plan.draw(1).unwrap();
        assert_eq!(plan.draw(1).unwrap(), corpus);
        assert_ne!(plan.draw(2).unwrap(), corpus);
        let all = || corpus.falling_bits.iter().chain(&corpus.unrelated_bits);
        assert!(all().all(|&bits| bits >= 0.3) && all().any(|&bits| bits == 0.3));
        assert!(corpus.lengths.iter().all(|&length| length >= 1));
    }

    #[test]
    fn constants_without_a_meaning_are_refused() {
        let default = SyntheticCorpusPlan::default();
        let refused = |plan: SyntheticCorpusPlan| plan.draw(0).is_err();
        assert!(refused(SyntheticCorpusPlan { documents: 0, ..default }));
        assert!(refused(SyntheticCorpusPlan { median_length: 0.0, ..default }));
        assert!(refused(SyntheticCorpusPlan { pivot_length: f64::INFINITY, ..default }));
        assert!(refused(SyntheticCorpusPlan { log_length_deviation: -1.0, ..default }));
        assert!(refused(SyntheticCorpusPlan { noise_bits: f64::NAN, ..default }));
        assert!(refused(SyntheticCorpusPlan { floor_bits: -0.1, ..default }));
        assert!(refused(SyntheticCorpusPlan { level_bits: f64::NAN, ..default }));
        assert!(refused(SyntheticCorpusPlan { slope_bits: f64::NEG_INFINITY, ..default }));
    }
}
