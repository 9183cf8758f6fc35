//! A judge beside human ratings: agreement, and agreement beyond chance.
//!
//! ```text
//! observed   p_o = items on which both say the same / items
//! by chance  p_e = sum over labels of (share of the label with one) (share with the other)
//! kappa          = (p_o - p_e) / (1 - p_e)
//! ```
//!
//! A judge that always says "first" agrees with people on half of balanced items and has kappa 0.
//! Two people rarely agree perfectly either: their kappa is what a judge can be measured against.
//!
//! Source: Cohen, *A coefficient of agreement for nominal scales* (1960).

use crate::MetricError;
use std::collections::BTreeMap;

/// How far two raters agree on the same items.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Agreement {
    /// Items, at least 1.
    pub item_count: usize,
    /// Share of items with the same label.
    pub observed: f64,
    /// The share that independent raters with these labels would reach.
    pub by_chance: f64,
    /// Agreement beyond chance, at most 1, 0 for none. `None` if both gave every item one and the
    /// same label: chance explains all then.
    pub kappa: Option<f64>,
}

impl Agreement {
    /// From the labels of both raters, item by item.
    ///
    /// # Errors
    /// [`MetricError::NoValues`] without items, [`MetricError::OutOfRange`] for different numbers of
    /// labels.
    ///
    /// # Example
    /// ```
    /// // Of 10 items, 4 are a for both and 3 are b for both.
    /// let people = ["a", "a", "a", "a", "a", "b", "b", "b", "b", "b"];
    /// let judge = ["a", "a", "a", "a", "b", "a", "a", "b", "b", "b"];
    /// let found = llm_metrics::Agreement::of(&people, &judge)?;
    /// assert_eq!((found.observed, found.by_chance), (0.7, 0.5)); // 0.5 * 0.6 + 0.5 * 0.4
    /// assert!((found.kappa.unwrap() - 0.4).abs() < 1e-15);
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn of<T: Ord>(one: &[T], other: &[T]) -> Result<Self, MetricError> {
        if one.len() != other.len() {
            let (what, expected) = ("the number of labels", "that of the other rater");
            return Err(MetricError::OutOfRange { what, value: other.len() as f64, expected });
        }
        if one.is_empty() {
            return Err(MetricError::NoValues);
        }
        let mut counts: BTreeMap<&T, (usize, usize)> = BTreeMap::new();
        one.iter().for_each(|label| counts.entry(label).or_default().0 += 1);
        other.iter().for_each(|label| counts.entry(label).or_default().1 += 1);
        let same = one.iter().zip(other).filter(|(a, b)| a == b).count();
        // Whole numbers up to here, so that no order of the labels shows.
        let chance: u128 = counts.values().map(|&(a, b)| a as u128 * b as u128).sum();
        let all = one.len() as u128 * one.len() as u128;
        let beyond = (same * one.len()) as f64 - chance as f64;
        let kappa = (chance < all).then(|| beyond / (all - chance) as f64);
        let observed = same as f64 / one.len() as f64;
        let by_chance = chance as f64 / all as f64;
        Ok(Self { item_count: one.len(), observed, by_chance, kappa })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_that_always_says_the_same_agrees_by_chance_only() {
        let found = Agreement::of(&[1, 2, 1, 2], &[1, 1, 1, 1]).unwrap();
        assert_eq!((found.observed, found.by_chance, found.kappa), (0.5, 0.5, Some(0.0)));
    }

    #[test]
    fn perfect_agreement_is_one_and_perfect_contradiction_is_below_zero() {
        assert_eq!(Agreement::of(&[1, 2, 3], &[1, 2, 3]).unwrap().kappa, Some(1.0));
        // Observed 0, by chance 1/2: (0 - 1/2) / (1/2).
        assert_eq!(Agreement::of(&[1, 2], &[2, 1]).unwrap().kappa, Some(-1.0));
    }

    #[test]
    fn one_label_for_everything_leaves_kappa_open() {
        let found = Agreement::of(&["a", "a"], &["a", "a"]).unwrap();
        assert_eq!((found.observed, found.by_chance, found.kappa), (1.0, 1.0, None));
    }

    #[test]
    fn unequal_or_empty_lists_are_refused() {
        assert_eq!(Agreement::of::<u8>(&[], &[]), Err(MetricError::NoValues));
        assert!(Agreement::of(&[1, 2], &[1]).is_err());
    }
}
