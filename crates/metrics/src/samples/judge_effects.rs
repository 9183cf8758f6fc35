//! Finding out the tastes of a judge from verdicts.
//!
//! With the codes of [`Verdict`] and [`Comparison`], y for the verdict and L, O, M for what was to
//! be seen:
//!
//! ```text
//! naive        mean of y (position), of y L (length), of y O (own)
//! order swap   every pair shown in both orders: mean over pairs of (y + y') / 2
//! controlled   least squares of y on 1, L, O, M; errors clustered by pair
//! ```
//!
//! The naive numbers mix tastes up. If a model's answers are always shown first, liking them looks
//! like liking what comes first; if longer answers are better answers, good judgement looks like a
//! taste for length. Swapping the order turns the sign of L, O and M around, so they cancel and
//! position is left, without any rating. For the others all codes are fitted at once. That needs a
//! rating of merit by people, and comparisons in which the codes do not always agree: what always
//! goes together cannot be told apart, and is refused.
//!
//! Both verdicts on one pair depend on the same answers, so pairs are the independent units.
//!
//! Sources: Zheng and others, *Judging LLM-as-a-judge* (2023), <https://arxiv.org/abs/2306.05685>,
//! for the biases and the swap; Dubois and others, *Length-controlled AlpacaEval* (2024),
//! <https://arxiv.org/abs/2404.04475>, for control by regression (theirs is logistic); Liang and
//! Zeger (1986) for the standard error.

mod least_squares;

use super::{Comparison, Verdict};
use crate::{MeanEstimate, MetricError, clustered_mean};
use least_squares::least_squares;
use std::collections::BTreeMap;

/// What a verdict can go by.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Taste {
    /// The answer shown first.
    Position,
    /// The longer answer.
    Length,
    /// The judge's own answer.
    Own,
    /// The better answer.
    Merit,
}

/// All tastes, in the order of the columns of the regression.
const TASTES: [Taste; 4] = [Taste::Position, Taste::Length, Taste::Own, Taste::Merit];

impl Taste {
    /// +1 if it speaks for the first answer, -1 for the second, 0 if there is nothing to see.
    pub fn code(self, shown: &Comparison) -> f64 {
        match self {
            Self::Position => 1.0,
            Self::Length => shown.longer.code(),
            Self::Own => shown.own.code(),
            Self::Merit => shown.better.code(),
        }
    }
}

/// How much more often a judge chose what has the property than what does not: the difference of
/// the two shares, over the comparisons in which there was something to see.
///
/// # Errors
/// [`MetricError::NoValues`] if there is no such comparison.
pub fn naive_taste(verdicts: &[Verdict], taste: Taste) -> Result<MeanEstimate, MetricError> {
    let coded = verdicts.iter().map(|v| (v, taste.code(&v.comparison)));
    let (values, pairs): (Vec<f64>, Vec<usize>) = coded
        .filter(|(_, code)| *code != 0.0)
        .map(|(verdict, code)| (verdict.code() * code, verdict.comparison.pair))
        .unzip();
    clustered_mean(&values, &pairs)
}

/// The taste for the first position, from pairs that were each shown once in either order.
///
/// # Errors
/// [`MetricError::OutOfRange`] with the number of the first pair that was not shown exactly twice,
/// in opposite orders; [`MetricError::NoValues`] without verdicts.
///
/// # Example
/// ```
/// use llm_metrics::{Comparison, Verdict, order_swap_position};
///
/// // Pair 0: the same answer wins in both orders. Pair 1: whichever comes first wins.
/// let verdict = |pair, first_chosen| {
///     Verdict { comparison: Comparison { pair, ..Default::default() }, first_chosen }
/// };
/// let verdicts = [verdict(0, true), verdict(0, false), verdict(1, true), verdict(1, true)];
/// let position = order_swap_position(&verdicts)?;
/// assert_eq!((position.mean, position.unit_count), (0.5, 2)); // (0 + 1) / 2
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn order_swap_position(verdicts: &[Verdict]) -> Result<MeanEstimate, MetricError> {
    let mut pairs: BTreeMap<usize, Vec<Comparison>> = BTreeMap::new();
    for Verdict { comparison, .. } in verdicts {
        pairs.entry(comparison.pair).or_default().push(*comparison);
    }
    let is_swapped = |shown: &[Comparison]| matches!(shown, [a, b] if *b == a.swapped());
    if let Some((&pair, _)) = pairs.iter().find(|(_, shown)| !is_swapped(shown)) {
        let (what, expected) = ("a pair", "shown once in each order, so that all else cancels");
        return Err(MetricError::OutOfRange { what, value: pair as f64, expected });
    }
    naive_taste(verdicts, Taste::Position)
}

/// One fitted taste.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Estimated share of verdicts that it decides; negative for the opposite taste.
    pub value: f64,
    /// Standard error, clustered by pair.
    pub standard_error: f64,
}

/// All tastes of a judge, each with the others held fixed.
///
/// # Example
/// ```
/// use llm_metrics::{Comparison, JudgeEffects, JudgeTastes, Side, both_orders};
///
/// let sides = [Side::First, Side::Second];
/// let shown: Vec<_> = (0..2000)
///     .map(|pair| Comparison { pair, longer: sides[pair % 2], better: sides[pair / 2 % 2], ..Default::default() })
///     .collect();
/// let tastes = JudgeTastes { position: 0.3, length: 0.2, own: 0.0, merit: 0.4 };
/// let effects = JudgeEffects::fit(&tastes.judge(&both_orders(&shown), 5)?)?;
/// assert!((effects.position.value - 0.3).abs() < 3.0 * effects.position.standard_error);
/// let length = effects.length.expect("lengths differ");
/// assert!((length.value - 0.2).abs() < 3.0 * length.standard_error);
/// assert_eq!(effects.own, None); // no answer was the judge's own
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgeEffects {
    /// For the answer shown first.
    pub position: Effect,
    /// For the longer answer; `None` if lengths were always equal.
    pub length: Option<Effect>,
    /// For the judge's own answer; `None` if there was none.
    pub own: Option<Effect>,
    /// For the better answer; `None` without ratings.
    pub merit: Option<Effect>,
    /// Pairs of answers: the independent units.
    pub pair_count: usize,
}

impl JudgeEffects {
    /// Fits all tastes that the comparisons can show at once.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without verdicts; [`MetricError::OutOfRange`] for fewer than two
    /// pairs, and if two codes always go together (or one always goes with the first position), with
    /// the number of codes that can be told apart.
    pub fn fit(verdicts: &[Verdict]) -> Result<Self, MetricError> {
        if verdicts.is_empty() {
            return Err(MetricError::NoValues);
        }
        let seen = |taste: &Taste| verdicts.iter().any(|v| taste.code(&v.comparison) != 0.0);
        let tastes: Vec<Taste> = TASTES.into_iter().filter(seen).collect();
        let row = |verdict: &Verdict| -> Vec<f64> {
            tastes.iter().map(|taste| taste.code(&verdict.comparison)).collect()
        };
        let rows: Vec<Vec<f64>> = verdicts.iter().map(row).collect();
        let y: Vec<f64> = verdicts.iter().map(Verdict::code).collect();
        let pairs: Vec<usize> = verdicts.iter().map(|v| v.comparison.pair).collect();
        let (effects, pair_count) = least_squares(&rows, &y, &pairs)?;
        let effect = |taste| tastes.iter().position(|t| *t == taste).map(|at| effects[at]);
        Ok(Self {
            position: effect(Taste::Position).expect("its code is never 0"),
            length: effect(Taste::Length),
            own: effect(Taste::Own),
            merit: effect(Taste::Merit),
            pair_count,
        })
    }
}

#[cfg(test)]
mod tests;
