//! The probability lab: how far a count moves by chance alone.
//!
//! `n` documents are assigned to two domains, each to the smaller one with probability `p`,
//! independently. How many it gets is binomial:
//!
//! ```text
//! P(k) = C(n, k) p^k (1-p)^(n-k)       expected n p       standard deviation sqrt(n p (1-p))
//! ```
//!
//! The lab shows the exact bars and, beside them, one such assignment after the other. It is a model
//! of a count. It says nothing of losses, of perplexity, of documents that depend on each other, or
//! of the documents of any real set.

use crate::{MetricError, SplitMix64, binomial_probability};

/// Most assignments: their bars are drawn side by side (our choice).
const MAX_ASSIGNMENTS: usize = 1_000;

/// An experiment with its random stream: [`step`](Self::step), [`play`](Self::play),
/// [`reset`](Self::reset).
///
/// # Example
/// ```
/// use llm_metrics::ProbabilityLab;
///
/// let mut lab = ProbabilityLab::new(20, 0.1, 7)?;
/// assert_eq!(lab.expected(), 2.0);
/// assert!((lab.bars()?[2] - 0.285180).abs() < 5e-7); // the most likely count, 72 times in 100 another
///
/// lab.step();
/// lab.play(); // the other 19
/// assert_eq!(lab.assigned(), 20);
/// assert_eq!(lab.step(), None);
/// lab.reset();
/// assert_eq!((lab.assigned(), lab.minority()), (0, 0));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ProbabilityLab {
    assignments: usize,
    p: f64,
    seed: u64,
    stream: SplitMix64,
    assigned: usize,
    minority: usize,
}

impl ProbabilityLab {
    /// A lab before its first assignment.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] unless `1 <= assignments <= 1000` and `0 <= p <= 1`.
    pub fn new(assignments: usize, p: f64, seed: u64) -> Result<Self, MetricError> {
        if !(1..=MAX_ASSIGNMENTS).contains(&assignments) {
            let (value, expected) = (assignments as f64, "from 1 to 1000");
            let what = "the number of assignments";
            return Err(MetricError::OutOfRange { what, value, expected });
        }
        binomial_probability(assignments, 0, p)?; // refuses p
        let stream = SplitMix64::new(seed);
        Ok(Self { assignments, p, seed, stream, assigned: 0, minority: 0 })
    }

    /// Assignments n of a complete experiment.
    pub fn assignments(&self) -> usize {
        self.assignments
    }

    /// Probability p of the smaller domain.
    pub fn p(&self) -> f64 {
        self.p
    }

    /// The exact probability of each count from 0 to n.
    ///
    /// # Errors
    /// None for a lab that exists.
    pub fn bars(&self) -> Result<Vec<f64>, MetricError> {
        (0..=self.assignments)
            .map(|count| binomial_probability(self.assignments, count, self.p))
            .collect()
    }

    /// Expected count `n p`.
    pub fn expected(&self) -> f64 {
        self.assignments as f64 * self.p
    }

    /// Standard deviation of the count.
    pub fn standard_deviation(&self) -> f64 {
        (self.expected() * (1.0 - self.p)).sqrt()
    }

    /// Assigns one document and says whether the smaller domain got it; `None` when all n are
    /// assigned.
    ///
    /// One draw of the stream per assignment: the smaller domain gets it if the draw is below p.
    pub fn step(&mut self) -> Option<bool> {
        if self.assigned == self.assignments {
            return None;
        }
        let minority = self.stream.unit() < self.p;
        self.assigned += 1;
        self.minority += usize::from(minority);
        Some(minority)
    }

    /// Steps until all n are assigned, and gives the count of the smaller domain.
    pub fn play(&mut self) -> usize {
        while self.step().is_some() {}
        self.minority
    }

    /// Clears the counts. The stream goes on, so that playing again is another experiment; a lab
    /// made anew with the same seed repeats the first one.
    pub fn reset(&mut self) {
        (self.assigned, self.minority) = (0, 0);
    }

    /// Documents assigned so far.
    pub fn assigned(&self) -> usize {
        self.assigned
    }

    /// How many of them the smaller domain got.
    pub fn minority(&self) -> usize {
        self.minority
    }

    /// How often each count from 0 to n came out of `repetitions` complete experiments of a fresh
    /// stream of the lab's seed.
    pub fn histogram(&self, repetitions: usize) -> Vec<usize> {
        let stream = SplitMix64::new(self.seed);
        let mut lab = Self { stream, assigned: 0, minority: 0, ..self.clone() };
        let mut counts = vec![0; self.assignments + 1];
        for _ in 0..repetitions {
            counts[lab.play()] += 1;
            lab.reset();
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn playing_is_stepping_to_the_end() {
        let mut stepped = ProbabilityLab::new(20, 0.3, 5).unwrap();
        let mut played = stepped.clone();
        let steps: Vec<bool> = (0..20).map(|_| stepped.step().unwrap()).collect();
        assert_eq!(steps.iter().filter(|minority| **minority).count(), stepped.minority());
        assert_eq!(stepped.step(), None);
        assert_eq!(played.play(), stepped.minority());
        assert_eq!(played, stepped);
        played.play(); // there is nothing left to do
        assert_eq!(played, stepped);
    }

    #[test]
    fn resetting_clears_the_counts_and_goes_on_in_the_stream() {
        let mut lab = ProbabilityLab::new(1_000, 0.5, 5).unwrap();
        let first = lab.play();
        lab.reset();
        assert_eq!((lab.assigned(), lab.minority()), (0, 0));
        assert_ne!(lab.play(), first, "two experiments of 1000 draws came out equal");
        assert_eq!(ProbabilityLab::new(1_000, 0.5, 5).unwrap().play(), first);
    }

    #[test]
    fn certain_assignments_are_certain() {
        assert_eq!(ProbabilityLab::new(20, 0.0, 1).unwrap().play(), 0);
        assert_eq!(ProbabilityLab::new(20, 1.0, 1).unwrap().play(), 20);
        assert_eq!(ProbabilityLab::new(20, 1.0, 1).unwrap().bars().unwrap()[20], 1.0);
    }

    /// 20,000 experiments: each bar within four of its standard errors, the mean within three.
    #[test]
    fn experiments_come_out_as_often_as_their_bars_say() {
        let lab = ProbabilityLab::new(20, 0.1, 3).unwrap();
        let repetitions = 20_000.0;
        let counts = lab.histogram(20_000);
        assert_eq!(counts.iter().sum::<usize>(), 20_000);
        for (count, bar) in counts.iter().zip(lab.bars().unwrap()) {
            let error = (bar * (1.0 - bar) / repetitions).sqrt();
            assert!((*count as f64 / repetitions - bar).abs() <= 4.0 * error + 1e-4, "{bar}");
        }
        let total: usize = counts.iter().enumerate().map(|(k, count)| k * count).sum();
        let error = lab.standard_deviation() / repetitions.sqrt();
        assert!((total as f64 / repetitions - lab.expected()).abs() < 3.0 * error);
    }

    #[test]
    fn what_cannot_be_drawn_is_refused() {
        for (n, p) in [(0, 0.5), (1_001, 0.5), (20, -0.1), (20, 1.1), (20, f64::NAN)] {
            assert!(ProbabilityLab::new(n, p, 1).is_err(), "{n}, {p}");
        }
    }
}
