//! Top-k error: how often the real token is not among the model's k best guesses.
//!
//! A target is a *hit* if fewer than k tokens are ranked before it. The error is the share of
//! targets that are no hit, so it lies in [0, 1] whatever the model does: unlike surprisal, no
//! single token can cost more than 1. It looks at the order only; a first guess counts alike at
//! 51 % and at 0.01 %.
//!
//! Where equal scores straddle place k, hit or miss is a matter of the tie rule. So the error is
//! an interval, from [`TopKError::optimistic`] to [`TopKError::pessimistic`], and a single number
//! only if no tie matters. All k are counted in one pass over the targets.

use crate::{MetricError, Ranks, TieRule};

/// Counts hits for a set of k. Counters of batches are merged, their errors never averaged.
///
/// # Example
/// ```
/// use llm_metrics::{TopKCounter, target_ranks};
///
/// let mut counter = TopKCounter::new(&[1, 2], 3)?; // k = 1 and k = 2 of 3 tokens
/// counter.add(target_ranks(&[0.5, 0.3, 0.2], 0)?)?; // ranked first
/// counter.add(target_ranks(&[0.4, 0.4, 0.2], 1)?)?; // first or second
/// let [top_1, top_2] = counter.errors()?[..] else { unreachable!() };
/// assert_eq!((top_1.optimistic(), top_1.pessimistic()), (0.0, 0.5));
/// assert_eq!((top_2.optimistic(), top_2.pessimistic()), (0.0, 0.0));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TopKCounter {
    vocab_size: usize,
    target_count: usize,
    /// One entry per k, in the given order.
    misses: Vec<TopKError>,
}

/// The top-k error of some targets for one k.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct TopKError {
    /// How many guesses the model has.
    pub k: usize,
    /// Scored targets.
    pub target_count: usize,
    /// Misses if every tie is broken in favour of the model.
    pub misses_optimistic: usize,
    /// Misses if every tie is broken against it.
    pub misses_pessimistic: usize,
    /// Misses if ties go to the lowest id; `None` if a target's rank under that rule is unknown.
    pub misses_by_id: Option<usize>,
}

impl TopKCounter {
    /// A counter without targets, which adds nothing when merged: a batch of padding is one.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for a k of 0 or above `vocab_size`, [`MetricError::NoValues`]
    /// if there is no k.
    pub fn new(ks: &[usize], vocab_size: usize) -> Result<Self, MetricError> {
        if ks.is_empty() {
            return Err(MetricError::NoValues);
        }
        for &k in ks {
            check_k(k, vocab_size)?;
        }
        let none = |&k| TopKError {
            k,
            target_count: 0,
            misses_optimistic: 0,
            misses_pessimistic: 0,
            misses_by_id: Some(0),
        };
        Ok(Self { vocab_size, target_count: 0, misses: ks.iter().map(none).collect() })
    }

    /// Counts one target.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] for a rank beyond the vocabulary.
    pub fn add(&mut self, ranks: Ranks) -> Result<(), MetricError> {
        if ranks.worst > self.vocab_size {
            let expected = "no more than the vocabulary size: are these ranks of this model?";
            let value = ranks.worst as f64;
            return Err(MetricError::OutOfRange { what: "the worst rank", value, expected });
        }
        self.target_count += 1;
        for error in &mut self.misses {
            let missed = |rank| usize::from(rank > error.k);
            error.target_count += 1;
            error.misses_optimistic += missed(ranks.best);
            error.misses_pessimistic += missed(ranks.worst);
            // Ties that do not straddle k leave no choice, also where the rank by id is unknown.
            let decided = missed(ranks.best) == missed(ranks.worst);
            let by_id = if decided { Some(ranks.best) } else { ranks.under(TieRule::LowestId) };
            error.misses_by_id = error.misses_by_id.zip(by_id).map(|(n, rank)| n + missed(rank));
        }
        Ok(())
    }

    /// Adds the counts of another part of the same data.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] if the other counter has another vocabulary or other k.
    pub fn merge(&mut self, other: &Self) -> Result<(), MetricError> {
        if other.vocab_size != self.vocab_size {
            let (value, expected) = (other.vocab_size as f64, "that of the counter it merges into");
            return Err(MetricError::OutOfRange { what: "the vocabulary size", value, expected });
        }
        let same_ks = self.misses.iter().map(|e| e.k).eq(other.misses.iter().map(|e| e.k));
        if !same_ks {
            let (value, expected) = (other.misses.len() as f64, "the same k in the same order");
            return Err(MetricError::OutOfRange { what: "the set of k", value, expected });
        }
        self.target_count += other.target_count;
        for (left, right) in self.misses.iter_mut().zip(&other.misses) {
            left.target_count += right.target_count;
            left.misses_optimistic += right.misses_optimistic;
            left.misses_pessimistic += right.misses_pessimistic;
            left.misses_by_id = left.misses_by_id.zip(right.misses_by_id).map(|(l, r)| l + r);
        }
        Ok(())
    }

    /// Targets counted so far.
    pub fn target_count(&self) -> usize {
        self.target_count
    }

    /// The errors, one per k in the given order.
    ///
    /// # Errors
    /// [`MetricError::NoTargets`] if nothing was counted: 0 of 0 is no perfect score.
    pub fn errors(&self) -> Result<&[TopKError], MetricError> {
        if self.target_count == 0 { Err(MetricError::NoTargets) } else { Ok(&self.misses) }
    }
}

impl TopKError {
    /// Share of misses, ties broken in favour of the model.
    pub fn optimistic(&self) -> f64 {
        self.misses_optimistic as f64 / self.target_count as f64
    }

    /// Share of misses, ties broken against the model.
    pub fn pessimistic(&self) -> f64 {
        self.misses_pessimistic as f64 / self.target_count as f64
    }

    /// Share of misses under a declared rule; `None` if that rule's ranks are unknown.
    pub fn under(&self, rule: TieRule) -> Option<f64> {
        match rule {
            TieRule::Optimistic => Some(self.optimistic()),
            TieRule::Pessimistic => Some(self.pessimistic()),
            TieRule::LowestId => self.misses_by_id.map(|n| n as f64 / self.target_count as f64),
        }
    }
}

/// Refuses a k for which top-k says nothing.
pub(crate) fn check_k(k: usize, vocab_size: usize) -> Result<(), MetricError> {
    if (1..=vocab_size).contains(&k) {
        return Ok(());
    }
    let expected = "at least 1 and at most the vocabulary size";
    Err(MetricError::OutOfRange { what: "k", value: k as f64, expected })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors at `ks` of targets with the given ranks and no ties, among 100 tokens.
    fn errors_of(ranks: &[usize], ks: &[usize]) -> Vec<f64> {
        let mut counter = TopKCounter::new(ks, 100).unwrap();
        for &rank in ranks {
            counter.add(Ranks::from_bounds(rank, rank).unwrap()).unwrap();
        }
        counter.errors().unwrap().iter().map(TopKError::pessimistic).collect()
    }

    #[test]
    fn the_error_is_the_share_of_targets_ranked_beyond_k() {
        let errors = errors_of(&[1, 2, 1, 37, 1], &[1, 2, 5, 10, 36, 37]);
        assert_eq!(errors, [0.4, 0.2, 0.2, 0.2, 0.2, 0.0]);
    }

    #[test]
    fn ties_that_straddle_k_show_as_an_interval_and_others_do_not() {
        let mut counter = TopKCounter::new(&[1, 2, 3, 4], 5).unwrap();
        counter.add(Ranks::from_bounds(2, 4).unwrap()).unwrap(); // by id: unknown
        let errors = counter.errors().unwrap();
        let intervals: Vec<_> = errors.iter().map(|e| (e.optimistic(), e.pessimistic())).collect();
        assert_eq!(intervals, [(1.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 0.0)]);
        let by_id: Vec<_> = errors.iter().map(|e| e.under(TieRule::LowestId)).collect();
        assert_eq!(by_id, [Some(1.0), None, None, Some(0.0)]);
    }

    #[test]
    fn one_hit_and_ten_misses_are_one_eleventh_right_in_any_batches() {
        // Batch 1: one valid target, ranked first. Batch 2: ten valid ones, ranked second.
        // Accuracies 1 and 0 would average to 1/2; of the 11 targets 1 is right.
        let mut pooled = TopKCounter::new(&[1], 10).unwrap();
        let mut second = pooled.clone();
        pooled.add(Ranks::from_bounds(1, 1).unwrap()).unwrap();
        for _ in 0..10 {
            second.add(Ranks::from_bounds(2, 2).unwrap()).unwrap();
        }
        pooled.merge(&second).unwrap();
        assert_eq!(pooled.target_count(), 11);
        assert_eq!(1.0 - pooled.errors().unwrap()[0].optimistic(), 1.0 - 10.0 / 11.0);

        let before = pooled.clone();
        pooled.merge(&TopKCounter::new(&[1], 10).unwrap()).unwrap(); // a batch of padding only
        assert_eq!(pooled, before);
    }

    #[test]
    fn nothing_counted_has_no_error() {
        let empty = TopKCounter::new(&[1], 10).unwrap();
        assert_eq!(empty.errors(), Err(MetricError::NoTargets));
    }

    #[test]
    fn a_k_outside_the_vocabulary_is_refused() {
        for k in [0, 11] {
            let refused = TopKCounter::new(&[1, k], 10);
            assert!(matches!(refused, Err(MetricError::OutOfRange { what: "k", .. })), "{k}");
        }
        assert_eq!(TopKCounter::new(&[], 10), Err(MetricError::NoValues));
    }

    #[test]
    fn counters_of_other_questions_do_not_merge_and_foreign_ranks_are_refused() {
        let mut counter = TopKCounter::new(&[1, 2], 10).unwrap();
        let before = counter.clone();
        assert!(counter.merge(&TopKCounter::new(&[1, 2], 11).unwrap()).is_err());
        assert!(counter.merge(&TopKCounter::new(&[2, 1], 10).unwrap()).is_err());
        assert!(counter.merge(&TopKCounter::new(&[1], 10).unwrap()).is_err());
        assert!(counter.add(Ranks::from_bounds(3, 11).unwrap()).is_err());
        assert_eq!(counter, before);
    }
}
