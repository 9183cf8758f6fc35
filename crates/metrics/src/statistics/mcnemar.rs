//! McNemar's exact test: did one of two models really answer more questions right?
//!
//! Questions that both models answer right, or both wrong, say nothing about which is better. Of
//! the others, b are right only with the first and c only with the second model. If the models are
//! equally good each of the b + c is a fair coin flip, and
//!
//! ```text
//! p = min(1, 2 P(X <= min(b, c)))          X binomial with b + c trials of probability 1/2
//! ```
//!
//! is the probability of a split at least as uneven. No approximation is involved, so it holds for
//! ten questions too.
//!
//! Source: McNemar, *Note on the sampling error of the difference between correlated proportions or
//! percentages* (1947); the exact form is the sign test.

use super::binomial::binomial_probability;
use crate::MetricError;

/// The disagreements of two models on the same questions.
///
/// # Example
/// ```
/// use llm_metrics::McNemar;
///
/// let test = McNemar { only_first: 1, only_second: 4 };
/// assert_eq!(test.p_value(), 0.375); // 2 (1 + 5) / 32
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct McNemar {
    /// Questions that only the first model answers right.
    pub only_first: usize,
    /// Questions that only the second model answers right.
    pub only_second: usize,
}

impl McNemar {
    /// Counts the disagreements; entry i says whether a model was right on question i.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for different numbers of questions.
    pub fn of(first: &[bool], second: &[bool]) -> Result<Self, MetricError> {
        if first.len() != second.len() {
            let (what, value) = ("the number of answers", second.len() as f64);
            let expected = "that of the first model: both must answer the same questions";
            return Err(MetricError::OutOfRange { what, value, expected });
        }
        let count = |wanted: (bool, bool)| {
            first.iter().zip(second).filter(|(a, b)| (**a, **b) == wanted).count()
        };
        Ok(Self { only_first: count((true, false)), only_second: count((false, true)) })
    }

    /// The two-sided p-value; 1 without disagreements.
    ///
    /// Below about 1e-300 it may come out as 0.
    pub fn p_value(&self) -> f64 {
        let fewer = self.only_first.min(self.only_second);
        let more = self.only_first.max(self.only_second);
        if more - fewer <= 1 {
            return 1.0; // as even as can be: every split is at least as uneven
        }
        let trials = fewer + more;
        let at_edge = binomial_probability(trials, fewer, 0.5).expect("one half is a probability");
        // C(n, k-1) / C(n, k) = k / (n - k + 1), from the edge to 0 successes
        let (mut term, mut tail) = (at_edge, at_edge);
        for k in (1..=fewer).rev() {
            term *= k as f64 / (trials - k + 1) as f64;
            tail += term;
        }
        (2.0 * tail).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow way: the share of all 2^n coin sequences that are at least as uneven.
    fn by_enumeration(only_first: u32, only_second: u32) -> f64 {
        let trials = only_first + only_second;
        let fewer = only_first.min(only_second);
        let sequences = 0..1_u32 << trials;
        let uneven = |heads: u32| heads.min(trials - heads) <= fewer;
        let count = sequences.filter(|sequence| uneven(sequence.count_ones())).count();
        count as f64 / f64::from(1_u32 << trials)
    }

    #[test]
    fn the_test_counts_coin_sequences() {
        for only_first in 0..8 {
            for only_second in 0..8 {
                let test =
                    McNemar { only_first: only_first as usize, only_second: only_second as usize };
                let expected = by_enumeration(only_first, only_second);
                assert!((test.p_value() - expected).abs() < 1e-15, "{test:?}");
            }
        }
    }

    #[test]
    fn agreements_do_not_count() {
        let first = [true, true, false, false, true];
        let second = [true, false, false, true, false];
        let test = McNemar::of(&first, &second).unwrap();
        assert_eq!(test, McNemar { only_first: 2, only_second: 1 });
        assert_eq!(test.p_value(), 1.0); // 2 (1 + 3) / 8
        assert_eq!(McNemar::of(&[true; 9], &[true; 9]).unwrap().p_value(), 1.0);
        assert!(McNemar::of(&first, &second[1..]).is_err());
    }

    #[test]
    fn many_disagreements_neither_overflow_nor_underflow_on_the_way() {
        // Far out in both directions; C(100000, 49000) alone has 30,000 digits.
        let even = McNemar { only_first: 49_990, only_second: 50_010 }.p_value();
        assert!(even > 0.9 && even < 1.0, "{even}");
        let uneven = McNemar { only_first: 49_000, only_second: 51_000 }.p_value();
        assert!(uneven > 1e-11 && uneven < 1e-9, "{uneven}"); // z = 6.32, 2.6e-10
        assert_eq!(McNemar { only_first: 0, only_second: 3_000 }.p_value(), 0.0);
    }
}
