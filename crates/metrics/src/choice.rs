//! Choosing the best of several scored options, and what an exact tie is worth.
//!
//! "Take the first of the best" looks harmless. A model that gives all four options of every
//! question the same score would then be right on every question whose answer is listed first. So
//! a choice keeps how many options share the best score, and the answer earns its fair part:
//!
//! ```text
//! fractional credit = 1 / (options with the best score) if the answer is one of them, else 0
//! ```
//!
//! which does not change if the options are listed in another order. Ties are exact: scores that
//! differ in the last bit are different, so they must come from `f64` sums of log-softmax values
//! (see [`crate::log_softmax`]), not from half-precision ones.

use crate::MetricError;

/// The best of some scored options.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Choice {
    /// The options with the best score, in ascending order; never empty.
    best: Vec<usize>,
    option_count: usize,
}

impl Choice {
    /// The options of highest score, `scores: [options]`. Minus infinity is allowed: an option of
    /// probability zero.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without options, [`MetricError::NonFiniteValue`] with the index of
    /// a score that is NaN or plus infinity.
    ///
    /// # Example
    /// ```
    /// use llm_metrics::Choice;
    ///
    /// let choice = Choice::among(&[-2.5, -1.0, -1.0, -4.0])?;
    /// assert_eq!((choice.first(), choice.tie_count()), (1, 1)); // one other option is as good
    /// assert_eq!(choice.credit(2)?, 0.5);
    /// assert_eq!(choice.credit(0)?, 0.0);
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn among(scores: &[f64]) -> Result<Self, MetricError> {
        if scores.is_empty() {
            return Err(MetricError::NoValues);
        }
        if let Some(index) = scores.iter().position(|s| s.is_nan() || *s == f64::INFINITY) {
            return Err(MetricError::NonFiniteValue { index, value: scores[index] });
        }
        let highest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = (0..scores.len()).filter(|&option| scores[option] == highest).collect();
        Ok(Self { best, option_count: scores.len() })
    }

    /// The chosen option: the lowest index among the best.
    pub fn first(&self) -> usize {
        self.best[0]
    }

    /// Other options with exactly the same score as the chosen one.
    pub fn tie_count(&self) -> usize {
        self.best.len() - 1
    }

    /// Fractional credit of the right answer, from 0 to 1.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] if there is no such option.
    pub fn credit(&self, answer: usize) -> Result<f64, MetricError> {
        if answer >= self.option_count {
            let (value, expected) = (answer as f64, "below the number of options");
            return Err(MetricError::OutOfRange { what: "the answer", value, expected });
        }
        let right = self.best.contains(&answer);
        Ok(if right { 1.0 / self.best.len() as f64 } else { 0.0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_without_opinion_earns_chance_wherever_the_answer_is_listed() {
        let choice = Choice::among(&[-3.0; 4]).unwrap();
        assert_eq!(choice.first(), 0);
        assert_eq!(choice.tie_count(), 3);
        for answer in 0..4 {
            assert_eq!(choice.credit(answer), Ok(0.25));
        }
    }

    #[test]
    fn a_hundredth_of_a_nat_decides() {
        let choice = Choice::among(&[-21.81, -21.80]).unwrap();
        assert_eq!((choice.first(), choice.tie_count()), (1, 0));
        assert_eq!((choice.credit(1), choice.credit(0)), (Ok(1.0), Ok(0.0)));
    }

    #[test]
    fn options_of_probability_zero_can_be_chosen_but_no_number_never_wins() {
        let choice = Choice::among(&[f64::NEG_INFINITY; 2]).unwrap();
        assert_eq!(choice.tie_count(), 1);
        assert!(matches!(
            Choice::among(&[-1.0, f64::NAN]),
            Err(MetricError::NonFiniteValue { index: 1, .. })
        ));
        assert!(Choice::among(&[f64::INFINITY]).is_err());
        assert_eq!(Choice::among(&[]), Err(MetricError::NoValues));
        assert!(choice.credit(2).is_err());
    }
}
