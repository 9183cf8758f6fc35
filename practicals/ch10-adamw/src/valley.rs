//! Plain gradient descent and AdamW in a narrow valley.
//!
//! `f(x, y) = scale (x^2 + 25 y^2) / 2`, with the gradient `(scale x, 25 scale y)`: across the
//! valley it is 25 times as steep as along it. Both start at (1, 1), where f is 13 scale.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::{Kernels, Tensor};
use llm_from_scratch_practical::model::Parameter;
use llm_from_scratch_practical::trainer::{AdamW, AdamWConfig, TrainError};
use serde::Serialize;

/// Curvature along and across the valley, for a scale of 1.
const CURVATURES: [f64; 2] = [1.0, 25.0];
/// 2 / (1 + 25): the rate that shrinks x and y equally fast, the best that plain descent can have.
const DESCENT_RATE: f64 = 1.0 / 13.0;
const ADAMW_RATE: f64 = 0.1;

/// A descent, observed at some steps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ValleyRun {
    /// `gradient-descent` or `adamw`.
    pub method: &'static str,
    /// What the whole function is multiplied by.
    pub scale: f64,
    /// The learning rate.
    #[serde(serialize_with = "six_decimals")]
    pub rate: f64,
    /// x behind the first step.
    #[serde(serialize_with = "six_decimals")]
    pub x_after_1: f64,
    /// y behind the first step.
    #[serde(serialize_with = "six_decimals")]
    pub y_after_1: f64,
    /// f / scale behind ten steps.
    #[serde(serialize_with = "six_decimals")]
    pub f_after_10: f64,
    /// f / scale behind fifty steps.
    #[serde(serialize_with = "six_decimals")]
    pub f_after_50: f64,
}

/// Both methods on the function and on ten times the function.
///
/// # Errors
/// None that the constants can cause.
pub fn valley_runs() -> Result<Vec<ValleyRun>, TrainError> {
    let descend = |point: &mut [f64; 2], gradient: [f64; 2]| {
        for (w, g) in point.iter_mut().zip(gradient) {
            *w -= DESCENT_RATE * g;
        }
    };
    let mut runs = Vec::new();
    for scale in [1.0, 10.0] {
        runs.push(observe("gradient-descent", scale, DESCENT_RATE, descend));
    }
    for scale in [1.0, 10.0] {
        let mut parameters = [Parameter::new("point", Tensor::new(&[2], vec![1.0, 1.0]))];
        let mut optimizer = AdamW::new(AdamWConfig::default(), &parameters)?;
        let step = |point: &mut [f64; 2], gradient: [f64; 2]| {
            parameters[0].set_gradient(&gradient);
            optimizer.step(Kernels::detect(), &mut parameters, ADAMW_RATE);
            point.copy_from_slice(parameters[0].value().data());
        };
        runs.push(observe("adamw", scale, ADAMW_RATE, step));
    }
    Ok(runs)
}

/// Fifty steps from (1, 1).
fn observe(
    method: &'static str,
    scale: f64,
    rate: f64,
    mut step: impl FnMut(&mut [f64; 2], [f64; 2]),
) -> ValleyRun {
    let height = |[x, y]: [f64; 2]| (CURVATURES[0] * x * x + CURVATURES[1] * y * y) / 2.0;
    let mut point = [1.0, 1.0];
    let points: Vec<[f64; 2]> = (0..50)
        .map(|_| {
            let gradient = [0, 1].map(|i| scale * CURVATURES[i] * point[i]);
            step(&mut point, gradient);
            point
        })
        .collect();
    let [x_after_1, y_after_1] = points[0];
    let (f_after_10, f_after_50) = (height(points[9]), height(points[49]));
    ValleyRun { method, scale, rate, x_after_1, y_after_1, f_after_10, f_after_50 }
}
