//! The mean of a feature over many masks is the feature.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::mean_estimate;
use llm_from_scratch_practical::model::{DropoutProbability, DropoutStream, MaskPlace};
use serde::Serialize;

/// The feature that is masked.
const FEATURE: f64 = 3.0;

/// One feature under one mask for each update.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExpectationReport {
    /// x, the feature.
    pub feature: f64,
    /// x / (1 - p): what a kept feature becomes.
    #[serde(serialize_with = "six_decimals")]
    pub kept_becomes: f64,
    /// How many masks were drawn.
    pub masks: u32,
    /// The share of masks that dropped it; p is expected.
    #[serde(serialize_with = "six_decimals")]
    pub dropped_share: f64,
    /// The mean of the masked feature; x is expected.
    #[serde(serialize_with = "six_decimals")]
    pub mean: f64,
    /// The standard error of that mean, from the theory: x sqrt(p / (1 - p) / masks).
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
    /// The same, estimated from the masked features themselves.
    #[serde(serialize_with = "six_decimals")]
    pub estimated_standard_error: Option<f64>,
    /// (mean - x) / standard error; beyond 4 something is wrong. Absent when nothing is dropped.
    #[serde(serialize_with = "six_decimals")]
    pub z: Option<f64>,
}

/// Masks one feature of one token at every update from 0 on.
///
/// # Errors
/// With fewer than two masks.
pub fn expectation(
    probability: DropoutProbability,
    seed: u64,
    masks: u32,
) -> anyhow::Result<ExpectationReport> {
    let p = probability.get();
    let mut stream = DropoutStream::new(seed);
    let place = MaskPlace { document: 0, site: 0, position: 0 };
    let masked: Vec<f64> = (0..masks)
        .map(|update| {
            stream.set_update(update.into());
            FEATURE * stream.mask(place, 1, probability)[0]
        })
        .collect();
    let estimate = mean_estimate(&masked)?;
    let standard_error = FEATURE * (p / (1.0 - p) / f64::from(masks)).sqrt();
    let dropped = masked.iter().filter(|&&x| x == 0.0).count();
    Ok(ExpectationReport {
        feature: FEATURE,
        kept_becomes: FEATURE / (1.0 - p),
        masks,
        dropped_share: dropped as f64 / f64::from(masks),
        mean: estimate.mean,
        standard_error,
        estimated_standard_error: estimate.standard_error,
        z: (p > 0.0).then(|| (estimate.mean - FEATURE) / standard_error),
    })
}
