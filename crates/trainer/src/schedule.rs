//! The learning rate of every update.
//!
//! Warm-up: the first updates have gradients of a model that knows nothing and moments of a few
//! samples, so they get a smaller rate that grows by equal steps (Goyal and others 2017, "Accurate,
//! large minibatch SGD", section 2.2). Cosine: the rate then falls along half a cosine wave, slowly
//! at both ends (Loshchilov and Hutter 2017, "SGDR", equation 5).

use serde::{Deserialize, Serialize};

use crate::TrainError;

/// How the learning rate depends on the update's index, which counts from 0.
///
/// ```
/// use llm_trainer::Schedule;
/// let schedule = Schedule::WarmupCosine { peak: 1.0, floor: 0.1, warmup: 4, updates: 8 };
/// let rates: Vec<f64> = (0..10).map(|u| (schedule.rate(u) * 1e4).round() / 1e4).collect();
/// assert_eq!(rates, [0.25, 0.5, 0.75, 1.0, 1.0, 0.8682, 0.55, 0.2318, 0.1, 0.1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Schedule {
    /// The same rate in every update.
    Constant {
        /// The rate.
        rate: f64,
    },
    /// Linear warm-up, then constant. Update `u` of the warm-up has rate `peak (u + 1) / warmup`:
    /// none has rate 0, and the last one has the peak.
    Warmup {
        /// The largest rate.
        peak: f64,
        /// Number of updates that warm up; 0 for none.
        warmup: u64,
    },
    /// Linear warm-up, then down along half a cosine: after the share `t` of the other updates,
    /// from 0 to 1, the rate is `floor + (peak - floor) (1 + cos(pi t)) / 2`. From update `updates`
    /// on it stays at the floor.
    WarmupCosine {
        /// The largest rate.
        peak: f64,
        /// The smallest rate after the warm-up, at most the peak.
        floor: f64,
        /// Number of updates that warm up; 0 for none.
        warmup: u64,
        /// Number of updates until the floor, more than `warmup`.
        updates: u64,
    },
}

impl Schedule {
    /// The learning rate of an update.
    pub fn rate(&self, update: u64) -> f64 {
        match *self {
            Self::Constant { rate } => rate,
            Self::Warmup { peak, warmup } | Self::WarmupCosine { peak, warmup, .. }
                if update < warmup =>
            {
                peak * ((update as f64 + 1.0) / warmup as f64)
            }
            Self::Warmup { peak, .. } => peak,
            Self::WarmupCosine { floor, updates, .. } if update >= updates => floor,
            Self::WarmupCosine { peak, floor, warmup, updates } => {
                let share = (update - warmup) as f64 / (updates - warmup) as f64;
                floor + (peak - floor) * (0.5 * (1.0 + libm::cos(std::f64::consts::PI * share)))
            }
        }
    }

    /// Whether there is such a schedule. Training checks it before the first update.
    ///
    /// # Errors
    /// [`TrainError::InvalidConfig`] names the first number that cannot be.
    pub fn check(&self) -> Result<(), TrainError> {
        let checks = match *self {
            Self::Constant { rate } => [("rate", rate, is_rate(rate), RATE), NO_CHECK, NO_CHECK],
            Self::Warmup { peak, .. } => [("peak", peak, is_rate(peak), RATE), NO_CHECK, NO_CHECK],
            Self::WarmupCosine { peak, floor, warmup, updates } => [
                ("peak", peak, is_rate(peak), RATE),
                ("floor", floor, is_rate(floor) && floor <= peak, "0 or above, at most the peak"),
                ("updates", updates as f64, updates > warmup, "more than there are in the warm-up"),
            ],
        };
        match checks.into_iter().find(|(_, _, good, _)| !good) {
            Some((field, given, _, expected)) => {
                Err(TrainError::InvalidConfig { field, given, expected })
            }
            None => Ok(()),
        }
    }
}

/// Field, value, whether it can be, what is expected.
type Check = (&'static str, f64, bool, &'static str);
const NO_CHECK: Check = ("", 0.0, true, "");
const RATE: &str = "a finite number, 0 or above";

fn is_rate(rate: f64) -> bool {
    rate.is_finite() && rate >= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn assert_table(schedule: Schedule, expected: &[(u64, f64)]) {
        schedule.check().unwrap();
        for &(update, rate) in expected {
            let given = schedule.rate(update);
            assert!((given - rate).abs() < 1e-15, "update {update}: {given}, expected {rate}");
        }
    }

    /// Worked out by hand: warm-up 0.8 * 1/4, 2/4, 3/4, 4/4; then six steps of a twelfth of a turn
    /// each (30 degrees), whose cosines are 1, sqrt(3)/2, 1/2, 0, -1/2, -sqrt(3)/2; middle of peak
    /// and floor 0.5, half their distance 0.3.
    #[test]
    fn the_worked_table_of_a_warm_up_over_four_and_a_cosine_over_six_updates() {
        let schedule = Schedule::WarmupCosine { peak: 0.8, floor: 0.2, warmup: 4, updates: 10 };
        let root = 3f64.sqrt();
        assert_table(
            schedule,
            &[
                (0, 0.2),
                (1, 0.4),
                (2, 0.6),
                (3, 0.8),
                (4, 0.8),
                (5, 0.5 + 0.15 * root), // 0.75981
                (6, 0.65),
                (7, 0.5),
                (8, 0.35),
                (9, 0.5 - 0.15 * root), // 0.24019
                (10, 0.2),
                (11, 0.2),
                (u64::MAX, 0.2),
            ],
        );
        assert_eq!([3, 4].map(|u| schedule.rate(u)), [0.8, 0.8]); // the peak, exactly
        assert_eq!([10, 11].map(|u| schedule.rate(u)), [0.2, 0.2]); // the floor, exactly
    }

    #[test]
    fn without_a_warm_up_the_first_update_has_the_peak() {
        assert_table(
            Schedule::WarmupCosine { peak: 1.0, floor: 0.0, warmup: 0, updates: 2 },
            &[(0, 1.0), (1, 0.5), (2, 0.0)],
        );
        assert_table(Schedule::Warmup { peak: 0.3, warmup: 0 }, &[(0, 0.3), (9, 0.3)]);
    }

    #[test]
    fn a_constant_rate_after_a_warm_up_stays() {
        let table = [(0, 0.1), (1, 0.2), (2, 0.3), (3, 0.3), (u64::MAX, 0.3)];
        assert_table(Schedule::Warmup { peak: 0.3, warmup: 3 }, &table);
        assert_table(Schedule::Constant { rate: 0.02 }, &[(0, 0.02), (u64::MAX, 0.02)]);
    }

    #[test]
    fn schedules_that_cannot_be_are_refused_by_field() {
        let cosine =
            |peak, floor, warmup, updates| Schedule::WarmupCosine { peak, floor, warmup, updates };
        for (schedule, name) in [
            (Schedule::Constant { rate: -1.0 }, "rate"),
            (Schedule::Constant { rate: f64::NAN }, "rate"),
            (Schedule::Warmup { peak: f64::INFINITY, warmup: 1 }, "peak"),
            (cosine(-0.1, 0.0, 0, 1), "peak"),
            (cosine(0.1, 0.2, 0, 1), "floor"),
            (cosine(0.1, f64::NAN, 0, 1), "floor"),
            (cosine(0.1, 0.0, 5, 5), "updates"),
            (cosine(0.1, 0.0, 0, 0), "updates"),
        ] {
            let error = schedule.check().unwrap_err();
            assert!(
                matches!(&error, TrainError::InvalidConfig { field, .. } if *field == name),
                "{schedule:?}: {error}"
            );
        }
    }

    proptest! {
        #[test]
        fn rates_rise_to_the_peak_and_fall_to_the_floor(
            peak in 1e-6..10.0_f64,
            share in 0.0..=1.0_f64,
            warmup in 0_u64..40,
            decay in 1_u64..60,
        ) {
            let (floor, updates) = (peak * share, warmup + decay);
            let schedule = Schedule::WarmupCosine { peak, floor, warmup, updates };
            schedule.check().unwrap();
            let rates: Vec<f64> = (0..updates + 3).map(|update| schedule.rate(update)).collect();
            let (rising, falling) = rates.split_at(warmup as usize);
            prop_assert!(rising.is_sorted_by(|a, b| a < b));
            prop_assert!(rising.iter().all(|&rate| rate > 0.0 && rate <= peak));
            prop_assert!(falling.is_sorted_by(|a, b| a >= b));
            let slack = 1e-15 * peak;
            prop_assert!(falling.iter().all(|&x| x >= floor - slack && x <= peak + slack));
        }
    }
}
