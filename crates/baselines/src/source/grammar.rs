//! A probabilistic regular grammar over bytes.
//!
//! A document begins in state 0. In each state one of its alternatives is drawn: its text is
//! written, and its next state entered; an alternative without one ends the document. Within a
//! state no text is the beginning of another, so whoever reads a document knows at each point
//! which alternatives are still possible, and in the end which one was drawn each time. The
//! probability of a document is then the product of those of its alternatives, and the entropy of
//! documents that of the draws.
//!
//! Source: Shannon, *A mathematical theory of communication* (1948), section 1.7, for sources that
//! are graphs of states and their entropy.

use llm_metrics::{ExactSum, SplitMix64};

use crate::BaselineError;

/// One thing that a state can write.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternative {
    /// What is written, at least one byte.
    pub text: Vec<u8>,
    /// How likely it is, above 0; those of a state sum to one.
    pub probability: f64,
    /// The state that follows; none ends the document.
    pub next: Option<usize>,
}

/// A grammar that writes documents.
///
/// # Example
/// Any number of `a`, then one `b`:
/// ```
/// use llm_baselines::{Alternative, SourceGrammar};
/// use llm_metrics::SplitMix64;
///
/// let a = Alternative { text: b"a".to_vec(), probability: 0.5, next: Some(0) };
/// let b = Alternative { text: b"b".to_vec(), probability: 0.5, next: None };
/// let grammar = SourceGrammar::new(vec![vec![a, b]])?;
/// assert_eq!(grammar.log_probability(b"aab"), Some(3.0 * 0.5_f64.ln()));
/// assert_eq!(grammar.log_probability(b"aba"), None);
/// assert_eq!(grammar.entropy().bits_per_document, 2.0); // two draws of one bit on average
/// assert!(grammar.document(&mut SplitMix64::new(0)).ends_with(b"b"));
/// # Ok::<(), llm_baselines::BaselineError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SourceGrammar {
    states: Vec<Vec<Alternative>>,
}

/// How far the probabilities of a state may be from one; our choice, rounding stays far below.
const SUM_TOLERANCE: f64 = 1e-9;

impl SourceGrammar {
    /// Takes the states with their alternatives.
    ///
    /// # Errors
    /// [`BaselineError::Grammar`] with the first state that has no alternatives, an empty text, a
    /// text that begins another, probabilities that are no distribution, a next state that does
    /// not exist, or from which no document ends.
    pub fn new(states: Vec<Vec<Alternative>>) -> Result<Self, BaselineError> {
        let refuse = |state, problem| Err(BaselineError::Grammar { state, problem });
        if states.is_empty() {
            return refuse(0, "is missing, expected at least one state");
        }
        for (index, alternatives) in states.iter().enumerate() {
            if let Some(problem) = problem_of(alternatives, states.len()) {
                return refuse(index, problem);
            }
        }
        let grammar = Self { states };
        match grammar.ends().iter().position(|ends| !ends) {
            None => Ok(grammar),
            Some(state) => refuse(state, "has no way to the end of a document"),
        }
    }

    /// The alternatives of each state.
    pub fn states(&self) -> &[Vec<Alternative>] {
        &self.states
    }

    /// Writes one document.
    pub fn document(&self, stream: &mut SplitMix64) -> Vec<u8> {
        let mut text = Vec::new();
        let mut state = Some(0);
        while let Some(current) = state {
            let alternatives = &self.states[current];
            let chances: Vec<f64> = alternatives.iter().map(|a| a.probability).collect();
            let drawn = stream.index_with(&chances).expect("every state has alternatives");
            text.extend_from_slice(&alternatives[drawn].text);
            state = alternatives[drawn].next;
        }
        text
    }

    /// The logarithm (nats) of the probability that a document is exactly `text`; `None` if none
    /// can be.
    pub fn log_probability(&self, text: &[u8]) -> Option<f64> {
        let mut rest = text;
        let mut state = Some(0);
        let mut sum = ExactSum::new();
        while let Some(current) = state {
            let drawn = self.states[current].iter().find(|a| rest.starts_with(&a.text))?;
            rest = &rest[drawn.text.len()..];
            sum.add(libm::log(drawn.probability));
            state = drawn.next;
        }
        rest.is_empty().then(|| sum.value())
    }

    /// Which states lead to the end of a document.
    fn ends(&self) -> Vec<bool> {
        let mut ends = vec![false; self.states.len()];
        // Each round finds all states that are one step further from the end.
        for _ in 0..self.states.len() {
            let leads = |a: &Alternative| a.next.is_none_or(|next| ends[next]);
            ends = self.states.iter().map(|alternatives| alternatives.iter().any(leads)).collect();
        }
        ends
    }
}

/// What is wrong with the alternatives of one state, if anything.
fn problem_of(alternatives: &[Alternative], states: usize) -> Option<&'static str> {
    let sum: ExactSum = alternatives.iter().map(|a| a.probability).collect();
    let begins_another = |(index, one): (usize, &Alternative)| {
        let others = alternatives.iter().enumerate().filter(|(other, _)| *other != index);
        others.into_iter().any(|(_, other)| other.text.starts_with(&one.text))
    };
    if alternatives.is_empty() {
        Some("has no alternatives, expected at least one")
    } else if alternatives.iter().any(|a| a.text.is_empty()) {
        Some("has an alternative without text, expected at least one byte")
    } else if alternatives.iter().enumerate().any(begins_another) {
        Some("has a text that another one begins with, expected texts that can be told apart")
    } else if !alternatives.iter().all(|a| a.probability > 0.0 && a.probability <= 1.0) {
        Some("has a probability that is not above 0 and at most 1")
    } else if (sum.value() - 1.0).abs() > SUM_TOLERANCE {
        Some("has probabilities that do not sum to one")
    } else if alternatives.iter().any(|a| a.next.is_some_and(|next| next >= states)) {
        Some("leads to a state that does not exist")
    } else {
        None
    }
}
