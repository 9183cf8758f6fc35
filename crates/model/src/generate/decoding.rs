//! How the next token is chosen.

use llm_corpus::TokenId;

use super::Distribution;
use crate::{ModelError, SplitMix64};

/// How a token is chosen from the distribution of the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decoding {
    /// Always the most likely id, the lowest among equals. Draws no random number.
    Greedy,
    /// At random, after filters. One draw of SplitMix64 per token, so the same seed gives the
    /// same text.
    Sample {
        /// What is left to choose from.
        filters: Filters,
        /// Seed of the random numbers.
        seed: u64,
    },
}

/// Filters of a distribution, applied in the order of the fields.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Filters {
    /// See [`Distribution::temperature`].
    pub temperature: f64,
    /// See [`Distribution::top_k`].
    pub top_k: Option<usize>,
    /// See [`Distribution::top_p`].
    pub top_p: Option<f64>,
}

impl Default for Filters {
    /// The model's own distribution.
    fn default() -> Self {
        Self { temperature: 1.0, top_k: None, top_p: None }
    }
}

impl Filters {
    /// What is left of a distribution.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] names the setting that cannot be.
    pub fn apply(&self, distribution: Distribution) -> Result<Distribution, ModelError> {
        let mut left = distribution.temperature(self.temperature)?;
        if let Some(k) = self.top_k {
            left = left.top_k(k)?;
        }
        match self.top_p {
            Some(p) => left.top_p(p),
            None => Ok(left),
        }
    }
}

/// A way of choosing, and its random numbers.
#[derive(Clone, Debug)]
pub struct Sampler {
    decoding: Decoding,
    stream: SplitMix64,
}

impl Sampler {
    /// Starts the random numbers.
    ///
    /// # Errors
    /// [`ModelError::InvalidConfig`] names the setting that cannot be.
    pub fn new(decoding: Decoding) -> Result<Self, ModelError> {
        let mut seed = 0;
        if let Decoding::Sample { filters, seed: given } = decoding {
            filters.apply(Distribution::from_logits(&[0.0])?)?; // whether they can be applied at all
            seed = given;
        }
        Ok(Self { decoding, stream: SplitMix64::new(seed) })
    }

    /// The distribution that [`choose`](Self::choose) chooses from: greedy filters to one candidate.
    ///
    /// # Errors
    /// None for what [`new`](Self::new) accepted.
    pub fn filter(&self, distribution: Distribution) -> Result<Distribution, ModelError> {
        match self.decoding {
            Decoding::Greedy => distribution.top_k(1),
            Decoding::Sample { filters, .. } => filters.apply(distribution),
        }
    }

    /// Chooses from a filtered distribution.
    pub fn choose(&mut self, distribution: &Distribution) -> TokenId {
        match self.decoding {
            Decoding::Greedy => distribution.most_likely(),
            Decoding::Sample { .. } => distribution.at(self.stream.unit()),
        }
    }
}
