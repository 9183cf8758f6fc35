//! One weight, step by step, with everything that a hand calculation needs.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::{Kernels, Tensor};
use llm_from_scratch_practical::model::Parameter;
use llm_from_scratch_practical::trainer::{AdamW, AdamWConfig, TrainError};
use serde::Serialize;

/// One step, and the optimizer's state behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepRecord {
    /// Number of the step, from 1.
    pub step: usize,
    /// g.
    #[serde(serialize_with = "six_decimals")]
    pub gradient: f64,
    /// m: running mean of the gradients, which starts from 0.
    #[serde(serialize_with = "six_decimals")]
    pub first_moment: f64,
    /// v: running mean of their squares, which starts from 0.
    #[serde(serialize_with = "six_decimals")]
    pub second_moment: f64,
    /// m / (1 - P1): the mean without the bias towards 0.
    #[serde(serialize_with = "six_decimals")]
    pub corrected_first: f64,
    /// v / (1 - P2).
    #[serde(serialize_with = "six_decimals")]
    pub corrected_second: f64,
    /// The weight as an element of a matrix, which decays.
    #[serde(serialize_with = "six_decimals")]
    pub matrix_weight: f64,
    /// The weight as a gain, which does not.
    #[serde(serialize_with = "six_decimals")]
    pub gain_weight: f64,
}

/// A weight of 1 under these gradients.
///
/// # Errors
/// Numbers of the optimizer that cannot be.
pub fn steps_of_one_weight(
    config: AdamWConfig,
    rate: f64,
    gradients: &[f64],
) -> Result<Vec<StepRecord>, TrainError> {
    let mut parameters = [
        Parameter::new("matrix", Tensor::new(&[1, 1], vec![1.0])),
        Parameter::new("gain", Tensor::new(&[1], vec![1.0])),
    ];
    let mut optimizer = AdamW::new(config, &parameters)?;
    let mut records = Vec::with_capacity(gradients.len());
    for (step, &gradient) in (1..).zip(gradients) {
        for parameter in &mut parameters {
            parameter.set_gradient(&[gradient]);
        }
        optimizer.step(Kernels::detect(), &mut parameters, rate);

        let [first_moment, second_moment] = [0, 1].map(|moment| optimizer.moments()[0][moment][0]);
        let [power1, power2] = optimizer.powers();
        let [matrix_weight, gain_weight] = [0, 1].map(|i: usize| parameters[i].value().data()[0]);
        records.push(StepRecord {
            step,
            gradient,
            first_moment,
            second_moment,
            corrected_first: first_moment / (1.0 - power1),
            corrected_second: second_moment / (1.0 - power2),
            matrix_weight,
            gain_weight,
        });
    }
    Ok(records)
}
