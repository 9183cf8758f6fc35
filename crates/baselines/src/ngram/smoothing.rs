//! What a context lends to tokens that it never showed.

use std::fmt;

use super::counts::Row;
use crate::BaselineError;

/// Longest n-grams that are counted: beyond this every context of a lesson's corpus is unique.
pub const MAX_ORDER: usize = 64;

/// The usual discount where none is estimated: Church and Gale (1991) found counts of held-out text
/// about 0.75 below those of training text, whatever the count.
pub const KNESER_NEY_DISCOUNT: f64 = 0.75;

/// How an n-gram model shares probability with what it never saw. The formulas stand in the
/// module's documentation and at [`NgramModel`](crate::NgramModel).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Smoothing {
    /// `k` imaginary sightings of every token in every context. Only the longest context is used;
    /// one that was never seen is uniform.
    AddK {
        /// Above 0; 1 is Laplace's rule.
        k: f64,
    },
    /// `strength` imaginary sightings of the shorter context's prediction (a Dirichlet prior).
    Interpolated {
        /// Above 0.
        strength: f64,
    },
    /// Every count gives up `discount`, which the shorter context's prediction shares out.
    AbsoluteDiscounting {
        /// Above 0 and below 1, the smallest count.
        discount: f64,
    },
    /// Absolute discounting in which shorter contexts count different predecessors. Usually the best
    /// of the four.
    KneserNey {
        /// Above 0 and below 1; [`KNESER_NEY_DISCOUNT`] if nothing better is known.
        discount: f64,
    },
}

impl Smoothing {
    /// Refuses constants with which rows would not be distributions.
    pub(super) fn check(self, vocab_size: usize, order: usize) -> Result<(), BaselineError> {
        let refuse = |setting, given: String, expected| {
            Err(BaselineError::Setting { setting, given, expected })
        };
        if vocab_size == 0 {
            return refuse("vocab_size", "0".to_owned(), "at least 1");
        }
        if order > MAX_ORDER {
            return refuse("order", order.to_string(), "at most 64");
        }
        match self {
            Self::AddK { k: given } if !(given > 0.0 && given.is_finite()) => {
                refuse("k", given.to_string(), "a finite number above 0")
            }
            Self::Interpolated { strength: given } if !(given > 0.0 && given.is_finite()) => {
                refuse("strength", given.to_string(), "a finite number above 0")
            }
            Self::AbsoluteDiscounting { discount: given } | Self::KneserNey { discount: given }
                if !(given > 0.0 && given < 1.0) =>
            {
                refuse("discount", given.to_string(), "a number above 0 and below 1")
            }
            _ => Ok(()),
        }
    }

    /// Whether a prediction is built up from shorter contexts.
    pub(super) fn is_recursive(self) -> bool {
        !matches!(self, Self::AddK { .. })
    }

    /// The prediction of a context with these counts for a token that was seen in it `count` times
    /// and that the shorter context gives the probability `shorter`.
    pub(super) fn blend(self, row: &Row, vocab_size: usize, shorter: f64, count: u64) -> f64 {
        let (total, count) = (row.total() as f64, count as f64);
        match self {
            Self::AddK { k } => (count + k) / (total + k * vocab_size as f64),
            Self::Interpolated { strength } => (count + strength * shorter) / (total + strength),
            Self::AbsoluteDiscounting { discount } | Self::KneserNey { discount } => {
                let given_up = discount * row.len() as f64;
                ((count - discount).max(0.0) + given_up * shorter) / total
            }
        }
    }
}

impl fmt::Display for Smoothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AddK { k } => write!(f, "add-{k}"),
            Self::Interpolated { strength } => write!(f, "interpolated-{strength}"),
            Self::AbsoluteDiscounting { discount } => write!(f, "absolute-{discount}"),
            Self::KneserNey { discount } => write!(f, "kneser-ney-{discount}"),
        }
    }
}
