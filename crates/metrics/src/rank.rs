//! The rank of the real next token among all tokens, with the tie rule said aloud.
//!
//! Sorted from most to least probable, the real token has a place. Equal scores leave it open
//! which: a model that gives all tokens the same probability has its target first or last,
//! depending on the sort. Three answers are kept:
//!
//! | rule | rank of target t | meaning |
//! | --- | --- | --- |
//! | optimistic | 1 + number of scores above t's | ties broken in favour of the model |
//! | pessimistic | number of scores at or above t's | ties broken against it |
//! | lowest id | 1 + scores above + equal scores with a smaller id | a stable descending sort |
//!
//! Only the order of the scores matters, so logits, log-probabilities and probabilities give the
//! same ranks as long as rounding merges no two of them. No scores are sorted: one pass counts.

use crate::MetricError;

/// Who wins when two tokens have exactly the same score.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum TieRule {
    /// The target comes before all tokens that tie with it.
    Optimistic,
    /// The target comes after all tokens that tie with it.
    Pessimistic,
    /// Tied tokens are in the order of their ids.
    LowestId,
}

/// The ranks of one target, counted from 1.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct Ranks {
    /// 1 + the number of tokens that are more probable.
    pub best: usize,
    /// The number of tokens that are at least as probable, the target included.
    pub worst: usize,
    /// The rank in a stable descending sort. `None` where only the two bounds were kept.
    pub by_id: Option<usize>,
}

impl Ranks {
    /// Ranks of which only the bounds are known, as in records written earlier.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] if `best` is 0 or `worst` is below `best`.
    pub fn from_bounds(best: usize, worst: usize) -> Result<Self, MetricError> {
        if best == 0 {
            let (value, expected) = (0.0, "1 or more: ranks count from 1");
            return Err(MetricError::OutOfRange { what: "the best rank", value, expected });
        }
        if worst < best {
            let (value, expected) = (worst as f64, "no less than the best rank");
            return Err(MetricError::OutOfRange { what: "the worst rank", value, expected });
        }
        Ok(Self { best, worst, by_id: (best == worst).then_some(best) })
    }

    /// The rank under `rule`; `None` if it is [`TieRule::LowestId`] and was not kept.
    pub fn under(&self, rule: TieRule) -> Option<usize> {
        match rule {
            TieRule::Optimistic => Some(self.best),
            TieRule::Pessimistic => Some(self.worst),
            TieRule::LowestId => self.by_id,
        }
    }

    /// How many other tokens have exactly the target's score.
    pub fn tie_count(&self) -> usize {
        self.worst - self.best
    }
}

/// The ranks of token `target` in one row of scores, `scores: [V]`, higher is more probable.
///
/// Minus infinity is a score, that of an impossible token. NaN and plus infinity are errors and
/// never the winner of a comparison.
///
/// # Errors
/// [`MetricError::NonFiniteValue`] with the id of the first NaN or plus infinity,
/// [`MetricError::OutOfRange`] for a target that is not in the row.
///
/// # Example
/// ```
/// use llm_metrics::target_ranks;
///
/// let ranks = target_ranks(&[0.4, 0.4, 0.2], 1)?; // token 0 ties with the target
/// assert_eq!((ranks.best, ranks.by_id, ranks.worst), (1, Some(2), 2));
/// assert_eq!(ranks.tie_count(), 1);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn target_ranks<T: Copy + Into<f64>>(
    scores: &[T],
    target: usize,
) -> Result<Ranks, MetricError> {
    let Some(&target_score) = scores.get(target) else {
        let expected = "an id below the number of scores: was the row made for this vocabulary?";
        let value = target as f64;
        return Err(MetricError::OutOfRange { what: "the target id", value, expected });
    };
    let target_score: f64 = target_score.into();
    let (mut above, mut tied, mut tied_before) = (0, 0, 0);
    for (id, &score) in scores.iter().enumerate() {
        let value: f64 = score.into();
        if value.is_nan() || value == f64::INFINITY {
            return Err(MetricError::NonFiniteValue { index: id, value });
        }
        above += usize::from(value > target_score);
        tied += usize::from(value == target_score);
        tied_before += usize::from(value == target_score && id < target);
    }
    Ok(Ranks { best: 1 + above, worst: above + tied, by_id: Some(1 + above + tied_before) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The slow way: sort the ids by descending score, ties by id, and look the target up.
    fn place_in_stable_sort(scores: &[f64], target: usize) -> usize {
        let mut ids: Vec<usize> = (0..scores.len()).collect();
        ids.sort_by(|&a, &b| scores[b].partial_cmp(&scores[a]).unwrap());
        1 + ids.iter().position(|&id| id == target).unwrap()
    }

    #[test]
    fn ties_give_three_ranks() {
        // Positions from 0 are 0, 1, 2 in the stable sort and 1, 1, 2 at worst.
        let ranks = [0, 1, 2].map(|target| target_ranks(&[0.4, 0.4, 0.2], target).unwrap());
        assert_eq!(ranks.map(|r| r.by_id.unwrap() - 1), [0, 1, 2]);
        assert_eq!(ranks.map(|r| r.worst - 1), [1, 1, 2]);
        assert_eq!(ranks.map(|r| r.best - 1), [0, 0, 2]);
        assert_eq!(ranks[0].under(TieRule::Pessimistic), Some(2));
        assert_eq!(ranks[1].under(TieRule::Optimistic), Some(1));
        assert_eq!(ranks[1].under(TieRule::LowestId), Some(2));
    }

    #[test]
    fn counting_gives_the_place_that_sorting_gives() {
        let scores = [3.0, -1.0, 3.0, f64::NEG_INFINITY, 0.0, -0.0, 3.0, f64::NEG_INFINITY];
        for target in 0..scores.len() {
            let ranks = target_ranks(&scores, target).unwrap();
            assert_eq!(ranks.by_id, Some(place_in_stable_sort(&scores, target)));
            assert!(ranks.best <= ranks.by_id.unwrap() && ranks.by_id.unwrap() <= ranks.worst);
        }
    }

    #[test]
    fn a_score_that_is_no_number_is_an_error_and_never_the_winner() {
        let nan = target_ranks(&[0.0, f64::NAN], 0);
        assert!(matches!(nan, Err(MetricError::NonFiniteValue { index: 1, .. })));
        let infinite = target_ranks(&[f64::INFINITY, 0.0], 1);
        let expected = MetricError::NonFiniteValue { index: 0, value: f64::INFINITY };
        assert_eq!(infinite, Err(expected));
    }

    #[test]
    fn a_target_outside_the_row_is_refused() {
        assert!(matches!(target_ranks(&[0.0; 3], 3), Err(MetricError::OutOfRange { .. })));
        assert!(target_ranks::<f64>(&[], 0).is_err());
    }

    #[test]
    fn single_precision_logits_rank_as_they_are() {
        let ranks = target_ranks(&[1.0_f32, 1.0 + f32::EPSILON, 0.0], 0).unwrap();
        assert_eq!((ranks.best, ranks.worst), (2, 2));
    }

    #[test]
    fn kept_bounds_have_a_rank_by_id_only_without_ties() {
        assert_eq!(Ranks::from_bounds(2, 2).unwrap().by_id, Some(2));
        assert_eq!(Ranks::from_bounds(2, 4).unwrap().under(TieRule::LowestId), None);
        assert!(Ranks::from_bounds(0, 1).is_err() && Ranks::from_bounds(3, 2).is_err());
    }
}
