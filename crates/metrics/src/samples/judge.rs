//! A simulated judge whose tastes are known.
//!
//! A language model that is asked which of two answers is better does not look at their merit only:
//! it likes the answer that it reads first, the longer one, and the one that it wrote itself. With
//! a real judge nobody knows by how much. So whoever wants to trust an estimate tries it on a judge
//! who was made with known tastes.
//!
//! Write y = +1 if the answer shown first is chosen and -1 if the second is, and code what there is
//! to see in the same way: L = +1 if the first is the longer one, -1 if the second is, 0 if they are
//! equal; O for the judge's own answer, M for the better one (as people rated them). The judge:
//!
//! ```text
//! E[y] = position + length L + own O + merit M         |position| + ... + |merit| <= 1
//! ```
//!
//! One reading: a taste of 0.2 decides one verdict in five alone, and what the four tastes leave to
//! 1 is decided by a coin. Our choice; judges are also modelled on the scale of log-odds, where no
//! difference of two shares is exactly a taste.

use crate::{MetricError, SplitMix64};

/// Which of two answers something is true of.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Side {
    /// The one that is shown first.
    First,
    /// The one that is shown second.
    Second,
    /// Neither, or both alike.
    #[default]
    Neither,
}

impl Side {
    /// +1, -1 or 0.
    pub fn code(self) -> f64 {
        match self {
            Self::First => 1.0,
            Self::Second => -1.0,
            Self::Neither => 0.0,
        }
    }

    /// The same answer after both have changed places.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
            Self::Neither => Self::Neither,
        }
    }
}

/// Two answers to one question, in the order in which a judge sees them.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Comparison {
    /// Number of the pair of answers: the same for both orders.
    pub pair: usize,
    /// The longer one.
    pub longer: Side,
    /// The one that the judge wrote.
    pub own: Side,
    /// The one that people prefer.
    pub better: Side,
}

impl Comparison {
    /// The same pair in the other order.
    #[must_use]
    pub fn swapped(&self) -> Self {
        Self {
            pair: self.pair,
            longer: self.longer.swapped(),
            own: self.own.swapped(),
            better: self.better.swapped(),
        }
    }
}

/// Every comparison, followed by the same pair in the other order.
pub fn both_orders(comparisons: &[Comparison]) -> Vec<Comparison> {
    comparisons.iter().flat_map(|comparison| [*comparison, comparison.swapped()]).collect()
}

/// What a judge said.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// What was shown.
    pub comparison: Comparison,
    /// Whether the answer shown first was chosen.
    pub first_chosen: bool,
}

impl Verdict {
    /// y: +1 if the first answer was chosen, -1 if the second was.
    pub fn code(&self) -> f64 {
        if self.first_chosen { 1.0 } else { -1.0 }
    }
}

/// What a simulated judge goes by, each from -1 to 1; a negative taste is one for the opposite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JudgeTastes {
    /// For the answer that is shown first.
    pub position: f64,
    /// For the longer answer.
    pub length: f64,
    /// For the judge's own answer.
    pub own: f64,
    /// For the better answer.
    pub merit: f64,
}

impl JudgeTastes {
    /// The probability that the first answer is chosen, `(1 + E[y]) / 2`.
    ///
    /// # Example
    /// ```
    /// use llm_metrics::{Comparison, JudgeTastes, Side};
    ///
    /// let tastes = JudgeTastes { position: 0.25, length: 0.25, own: 0.0, merit: 0.5 };
    /// let shown = Comparison { longer: Side::First, better: Side::Second, ..Default::default() };
    /// assert_eq!(tastes.first_probability(&shown), 0.5); // (1 + 0.25 + 0.25 - 0.5) / 2
    /// assert_eq!(tastes.first_probability(&shown.swapped()), 0.75); // (1 + 0.25 - 0.25 + 0.5) / 2
    /// ```
    pub fn first_probability(&self, shown: &Comparison) -> f64 {
        let expected = self.position
            + self.length * shown.longer.code()
            + self.own * shown.own.code()
            + self.merit * shown.better.code();
        (1.0 + expected) / 2.0
    }

    /// One verdict for each comparison, each with one unit number of the seed's stream. Comparisons
    /// that were drawn at random need another seed: equal streams would tie verdicts to answers.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] if the tastes add up, without their signs, to more than 1 (but for
    /// rounding) or one is not a number.
    pub fn judge(
        &self,
        comparisons: &[Comparison],
        seed: u64,
    ) -> Result<Vec<Verdict>, MetricError> {
        let tastes = [self.position, self.length, self.own, self.merit];
        let sum: f64 = tastes.iter().map(|taste| taste.abs()).sum();
        if sum.is_nan() || sum > 1.0 + 1e-9 {
            let (what, expected) = ("the sum of the tastes", "at most 1: each decides its share");
            return Err(MetricError::OutOfRange { what, value: sum, expected });
        }
        let mut stream = SplitMix64::new(seed);
        let verdict = |&comparison: &Comparison| {
            let first_chosen = stream.unit() < self.first_probability(&comparison);
            Verdict { comparison, first_chosen }
        };
        Ok(comparisons.iter().map(verdict).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_of_one_taste_follows_it_always() {
        let shown =
            Comparison { pair: 0, longer: Side::Second, own: Side::First, better: Side::Neither };
        let chooses = |tastes: JudgeTastes| tastes.judge(&[shown; 50], 1).unwrap();
        let none = JudgeTastes::default();
        let all = |verdicts: Vec<Verdict>, first| verdicts.iter().all(|v| v.first_chosen == first);
        assert!(all(chooses(JudgeTastes { position: 1.0, ..none }), true));
        assert!(all(chooses(JudgeTastes { position: -1.0, ..none }), false));
        assert!(all(chooses(JudgeTastes { length: 1.0, ..none }), false));
        assert!(all(chooses(JudgeTastes { own: 1.0, ..none }), true));
        // Nobody is better: a coin, 50 throws within three standard errors of 25.
        let firsts = chooses(JudgeTastes { merit: 1.0, ..none });
        let firsts = firsts.iter().filter(|verdict| verdict.first_chosen).count();
        assert!((15..=35).contains(&firsts), "{firsts}");
    }

    #[test]
    fn both_orders_show_each_pair_twice_with_every_code_turned_around() {
        let shown =
            Comparison { pair: 7, longer: Side::First, own: Side::Second, better: Side::Neither };
        let [one, other] = both_orders(&[shown])[..] else { panic!("two orders") };
        assert_eq!((one, other.pair, other.swapped()), (shown, 7, shown));
        assert_eq!(
            (other.longer, other.own, other.better),
            (Side::Second, Side::First, Side::Neither)
        );
    }

    #[test]
    fn tastes_that_decide_more_than_every_verdict_are_refused() {
        let tastes = |position, merit| JudgeTastes { position, merit, ..Default::default() };
        assert!(tastes(0.1, 0.9).judge(&[], 0).is_ok());
        assert!(tastes(-0.6, 0.6).judge(&[], 0).is_err());
        assert!(tastes(f64::NAN, 0.0).judge(&[], 0).is_err());
        let message = tastes(1.5, 0.0).judge(&[], 0).unwrap_err().to_string();
        assert_eq!(
            message,
            "the sum of the tastes is 1.5, expected at most 1: each decides its share"
        );
    }
}
