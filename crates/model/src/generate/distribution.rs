//! The distribution of the next token, and the filters that make it narrower.
//!
//! A model gives one logit per id; `p = softmax(logits)`. Sampling from all of p often picks one of
//! many unlikely ids, so three filters are common. Here they are functions from a distribution to
//! a distribution that can be looked at before and after each:
//!
//! - *temperature* T (Ackley, Hinton and Sejnowski 1985): `softmax(logits / T)`; below 1 sharper;
//! - *top-k* (Fan, Lewis and Dauphin 2018): the k most likely ids;
//! - *top-p* (Holtzman and others 2020, "nucleus"): the fewest most likely ids whose probabilities
//!   add up to at least p, so the one that crosses p stays.
//!
//! Ids are ranked by logit, and among equal logits the lower id comes first, so each filter keeps a
//! beginning of one fixed list; what it keeps is scaled to a sum of 1 again.

use llm_autograd::Element;
use llm_corpus::TokenId;

use crate::ModelError;

/// One id that may come next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The id.
    pub id: TokenId,
    /// The model's logit, minus the largest one: 0 for the most likely id.
    pub logit: f64,
    /// Probability among the candidates that are left.
    pub probability: f64,
}

/// Candidates from the most to the least likely; their probabilities add up to 1.
///
/// ```
/// use llm_model::Distribution;
/// let all = Distribution::from_logits(&[0.0, 2.0, 2.0, 2.0])?;
/// let top = all.clone().top_k(2)?;
/// let kept: Vec<_> = top.candidates().iter().map(|c| (c.id, c.probability)).collect();
/// assert_eq!(kept, [(1, 0.5), (2, 0.5)]); // ids 1, 2, 3 tie: the lower ids stay
/// assert_eq!(all.candidates().len(), 4);
/// # Ok::<(), llm_model::ModelError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    candidates: Vec<Candidate>,
}

impl Distribution {
    /// The softmax of a row of logits, computed in f64. A logit of minus infinity has probability 0.
    ///
    /// # Errors
    /// [`ModelError::Logits`] if a logit is NaN or infinite, or none is finite.
    pub fn from_logits<E: Element>(logits: &[E]) -> Result<Self, ModelError> {
        let logits = || logits.iter().map(|x| x.to_f64());
        let largest = logits().fold(f64::NEG_INFINITY, f64::max);
        let broken = logits().position(|x| x.is_nan() || x == f64::INFINITY);
        if let Some(id) = broken.or((!largest.is_finite()).then_some(0)) {
            let logit = logits().nth(id).unwrap_or(f64::NEG_INFINITY);
            return Err(ModelError::Logits { id, logit });
        }
        // Adding +0 makes one zero of two, so that -0 and +0 tie like other equals.
        let mut candidates: Vec<_> = (0..)
            .zip(logits())
            .map(|(id, x)| Candidate { id, logit: x + 0.0, probability: 0.0 })
            .collect();
        // A stable sort leaves equals in the order of their ids, and is quick where many are equal.
        candidates.sort_by(|a, b| b.logit.total_cmp(&a.logit));
        candidates.iter_mut().for_each(|candidate| candidate.logit -= largest);
        let mut distribution = Self { candidates };
        distribution.set_probabilities(1.0);
        Ok(distribution)
    }

    /// `softmax(logits / temperature)`: 1 changes nothing, towards 0 only the most likely is left.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] unless the temperature is finite and above 0. For "0" take
    /// the first candidate, which needs no random number.
    pub fn temperature(mut self, temperature: f64) -> Result<Self, ModelError> {
        let good = temperature.is_finite() && temperature > 0.0;
        demand(good, "temperature", temperature, "a finite number above 0")?;
        self.set_probabilities(temperature);
        Ok(self)
    }

    /// The `k` most likely candidates, or all if there are fewer.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] for 0.
    pub fn top_k(mut self, k: usize) -> Result<Self, ModelError> {
        demand(k > 0, "top_k", k, "at least 1")?;
        self.keep(k);
        Ok(self)
    }

    /// The fewest most likely candidates whose probabilities add up to at least `p`.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] unless `p` is above 0 and at most 1. 1 keeps all.
    pub fn top_p(mut self, p: f64) -> Result<Self, ModelError> {
        demand(p > 0.0 && p <= 1.0, "top_p", p, "above 0 and at most 1")?;
        // A rounded sum may reach 1 too early, or never.
        if p < 1.0 {
            let mut sum = 0.0;
            let crossing = self.candidates.iter().position(|candidate| {
                sum += candidate.probability;
                sum >= p
            });
            self.keep(crossing.map_or(self.candidates.len(), |last| last + 1));
        }
        Ok(self)
    }

    /// From the most to the least likely.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The most likely id, the lowest among equals.
    pub fn most_likely(&self) -> TokenId {
        self.candidates[0].id // every way to make a distribution leaves one candidate
    }

    /// The id at a point `unit` of [0, 1), when the candidates lie one after the other on it, each
    /// as long as its probability. Uniform points give ids with these probabilities.
    pub fn at(&self, unit: f64) -> TokenId {
        let mut end = 0.0;
        let found = self.candidates.iter().find(|candidate| {
            end += candidate.probability;
            unit < end
        });
        // Rounding may leave a gap of some 1e-16 before 1: it belongs to the last possible id.
        let last = || self.candidates.iter().rfind(|candidate| candidate.probability > 0.0);
        found.or_else(last).map_or(self.most_likely(), |candidate| candidate.id)
    }

    /// Entropy in nats, `- sum p ln p`: 0 if one candidate is certain, `ln n` for n equal ones.
    pub fn entropy(&self) -> f64 {
        let terms = self.candidates.iter().map(|candidate| candidate.probability);
        -terms.filter(|&p| p > 0.0).map(|p| p * libm::log(p)).sum::<f64>()
    }

    /// Softmax over the candidates, summed from the least likely, whose terms are the smallest.
    fn set_probabilities(&mut self, temperature: f64) {
        for candidate in &mut self.candidates {
            candidate.probability = libm::exp(candidate.logit / temperature);
        }
        self.scale_to_one();
    }

    /// Keeps the first `count` candidates.
    fn keep(&mut self, count: usize) {
        if count < self.candidates.len() {
            self.candidates.truncate(count);
            self.scale_to_one();
        }
    }

    fn scale_to_one(&mut self) {
        let sum: f64 = self.candidates.iter().rev().map(|candidate| candidate.probability).sum();
        for candidate in &mut self.candidates {
            candidate.probability /= sum;
        }
    }
}

/// Refuses a setting that cannot be.
fn demand(
    good: bool,
    field: &'static str,
    given: impl ToString,
    expected: &'static str,
) -> Result<(), ModelError> {
    match good {
        true => Ok(()),
        false => Err(ModelError::InvalidConfig { field, given: given.to_string(), expected }),
    }
}

#[cfg(test)]
mod tests;
