//! The learning rate of every update.

use crate::TrainError;

/// How the learning rate depends on the update's index, which counts from 0.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Schedule {
    /// The same rate in every update.
    Constant {
        /// The rate.
        rate: f64,
    },
}

impl Schedule {
    /// The learning rate of an update.
    pub fn rate(&self, _update: u64) -> f64 {
        match *self {
            Self::Constant { rate } => rate,
        }
    }

    pub(crate) fn check(&self) -> Result<(), TrainError> {
        let Self::Constant { rate } = *self;
        if !(rate.is_finite() && rate >= 0.0) {
            let expected = "a finite number, 0 or above";
            return Err(TrainError::InvalidConfig { field: "rate", given: rate, expected });
        }
        Ok(())
    }
}
