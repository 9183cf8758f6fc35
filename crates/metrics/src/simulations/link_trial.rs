//! Random distributions against the three claims about surprisal and rank.
//!
//! The claims (see `surprisal_and_rank.rs`) are proved, so a violation would be a bug: in ranks, in
//! surprisals, or in rows that do not sum to one. Rows are peaked, as those of language models are;
//! half of the targets are drawn from the row itself and half blindly, so that expected and
//! absurd targets both occur.

use std::num::NonZeroUsize;

use crate::{
    DocumentScore, MetricError, SplitMix64, TopKCounter, broken_document_link, broken_token_link,
    surprisal_bits, target_ranks,
};

/// How many rows, how large, cut into what documents.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkTrialPlan {
    /// Rows, each with one target.
    pub draws: usize,
    /// Tokens V of a row.
    pub vocab_size: NonZeroUsize,
    /// Concentration of the Dirichlet distribution of rows; the smaller, the more peaked.
    pub concentration: f64,
    /// No token is less probable than this, before the row is normalized again.
    pub floor: f64,
    /// Targets that make up one document of claim 2; an incomplete last one is left out.
    pub tokens_per_document: NonZeroUsize,
    /// The set sizes k that are tried.
    pub ks: Vec<usize>,
}

/// What a trial found.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LinkTrial {
    /// Targets.
    pub tokens: usize,
    /// Whole documents.
    pub documents: usize,
    /// Pairs of a target and a k that break claim 1 or 3.
    pub token_violations: usize,
    /// Pairs of a document and a k that break claim 2.
    pub document_violations: usize,
    /// Targets that were ranked first, ties broken against them.
    pub first_guesses: usize,
    /// Surprisal in bits of the dearest of these; claim 3 allows `log2 V`. 0 if there were none.
    pub dearest_first_bits: f64,
}

impl LinkTrialPlan {
    /// Runs the trial. Draws for each target: the row, whose turn it is, the target.
    ///
    /// # Errors
    /// As [`SplitMix64::dirichlet`], [`peaked_row`] and [`TopKCounter::new`].
    ///
    /// # Example
    /// ```
    /// use std::num::NonZeroUsize;
    /// use llm_metrics::LinkTrialPlan;
    ///
    /// let plan = LinkTrialPlan {
    ///     draws: 200,
    ///     vocab_size: NonZeroUsize::new(50).unwrap(),
    ///     concentration: 0.1,
    ///     floor: 1e-12,
    ///     tokens_per_document: NonZeroUsize::new(40).unwrap(),
    ///     ks: vec![1, 5],
    /// };
    /// let trial = plan.run(0)?;
    /// assert_eq!((trial.tokens, trial.documents), (200, 5));
    /// assert_eq!((trial.token_violations, trial.document_violations), (0, 0));
    /// # Ok::<(), llm_metrics::MetricError>(())
    /// ```
    pub fn run(&self, seed: u64) -> Result<LinkTrial, MetricError> {
        let vocab_size = self.vocab_size.get();
        let mut stream = SplitMix64::new(seed);
        let mut trial = LinkTrial::default();
        let empty = TopKCounter::new(&self.ks, vocab_size)?;
        let mut document = (Vec::new(), empty.clone());
        for _ in 0..self.draws {
            let row = peaked_row(vocab_size, self.concentration, self.floor, &mut stream)?;
            let expected = stream.unit() < 0.5;
            let drawn = if expected { stream.index_with(&row) } else { None };
            let target = drawn.unwrap_or_else(|| stream.below(self.vocab_size));

            let (bits, ranks) = (surprisal_bits(row[target])?, target_ranks(&row, target)?);
            trial.tokens += 1;
            for &k in &self.ks {
                let broken = broken_token_link(bits, ranks, k, vocab_size)?;
                trial.token_violations += usize::from(broken.is_some());
            }
            if ranks.worst == 1 {
                trial.first_guesses += 1;
                trial.dearest_first_bits = trial.dearest_first_bits.max(bits);
            }
            document.0.push(row[target]);
            document.1.add(ranks)?;
            if document.0.len() == self.tokens_per_document.get() {
                let (probabilities, counter) =
                    std::mem::replace(&mut document, (Vec::new(), empty.clone()));
                trial.documents += 1;
                trial.document_violations += document_violations(&probabilities, &counter)?;
            }
        }
        Ok(trial)
    }
}

/// How many k break claim 2 for one document.
fn document_violations(probabilities: &[f64], counter: &TopKCounter) -> Result<usize, MetricError> {
    let bits = DocumentScore::from_probabilities(probabilities)?.bits_per_token();
    let broken = counter
        .errors()?
        .iter()
        .filter(|error| broken_document_link(bits, error.pessimistic(), error.k).is_some());
    Ok(broken.count())
}

/// A peaked random distribution, `[V]`, none of whose tokens is impossible: a symmetric Dirichlet
/// row, lifted to `floor` and normalized again.
///
/// # Errors
/// As [`SplitMix64::dirichlet`]; [`MetricError::OutOfRange`] unless the floor is above 0 and below
/// one.
pub fn peaked_row(
    vocab_size: usize,
    concentration: f64,
    floor: f64,
    stream: &mut SplitMix64,
) -> Result<Vec<f64>, MetricError> {
    if !(floor > 0.0 && floor < 1.0) {
        let expected = "above 0 and below 1";
        return Err(MetricError::OutOfRange { what: "the floor", value: floor, expected });
    }
    let row = stream.dirichlet(concentration, vocab_size)?;
    let lifted: Vec<f64> = row.iter().map(|p| p.max(floor)).collect();
    let sum: f64 = lifted.iter().sum();
    Ok(lifted.iter().map(|p| p / sum).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> LinkTrialPlan {
        LinkTrialPlan {
            draws: 100,
            vocab_size: NonZeroUsize::new(20).unwrap(),
            concentration: 0.1,
            floor: 1e-12,
            tokens_per_document: NonZeroUsize::new(30).unwrap(),
            ks: vec![1, 2, 20],
        }
    }

    #[test]
    fn incomplete_documents_are_left_out_and_a_seed_fixes_everything() {
        let trial = plan().run(7).unwrap();
        assert_eq!((trial.tokens, trial.documents), (100, 3));
        assert!(trial.first_guesses > 25, "{trial:?}"); // most of the 50 expected ones
        assert_eq!(plan().run(7).unwrap(), trial);
        assert_ne!(plan().run(8).unwrap(), trial);
    }

    #[test]
    fn a_document_that_no_distribution_allows_is_counted() {
        // Two certain tokens cost 0 bits, so none of them can have been missed.
        let mut counter = TopKCounter::new(&[1, 2], 3).unwrap();
        counter.add(crate::Ranks::from_bounds(1, 1).unwrap()).unwrap();
        counter.add(crate::Ranks::from_bounds(2, 2).unwrap()).unwrap();
        assert_eq!(document_violations(&[1.0, 1.0], &counter), Ok(1)); // at k = 1, not at 2
        assert_eq!(document_violations(&[0.5, 0.5], &counter), Ok(0)); // 1 bit allows all misses
    }

    #[test]
    fn plans_without_a_meaning_are_refused() {
        assert!(LinkTrialPlan { ks: vec![21], ..plan() }.run(0).is_err());
        assert!(LinkTrialPlan { ks: vec![], ..plan() }.run(0).is_err());
        assert!(LinkTrialPlan { concentration: 0.0, ..plan() }.run(0).is_err());
        assert!(LinkTrialPlan { floor: 0.0, ..plan() }.run(0).is_err());
    }
}
