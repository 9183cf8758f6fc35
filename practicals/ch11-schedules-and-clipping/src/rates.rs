//! The learning rates of three schedules, update by update.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::trainer::Schedule;
use serde::Serialize;

/// The rates of one update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RateRow {
    /// Index of the update, from 0.
    pub update: u64,
    /// Always the peak.
    #[serde(serialize_with = "six_decimals")]
    pub constant: f64,
    /// Linear warm-up, then the peak.
    #[serde(serialize_with = "six_decimals")]
    pub warmup: f64,
    /// Linear warm-up, then half a cosine down to the floor.
    #[serde(serialize_with = "six_decimals")]
    pub warmup_cosine: f64,
}

/// The rates of a schedule and of two simpler ones with the same peak, until two updates past the
/// end. Empty for a schedule that has no end.
pub fn rate_table(schedule: Schedule) -> Vec<RateRow> {
    let Schedule::WarmupCosine { peak, warmup, updates, .. } = schedule else { return Vec::new() };
    let row = |update| RateRow {
        update,
        constant: Schedule::Constant { rate: peak }.rate(update),
        warmup: Schedule::Warmup { peak, warmup }.rate(update),
        warmup_cosine: schedule.rate(update),
    };
    (0..updates.saturating_add(2)).map(row).collect()
}
