//! Clipping: one gradient, and the updates of a decoder.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{autograd, corpus, model, trainer};
use serde::Serialize;

use autograd::{Kernels, Tensor};
use corpus::{BatchBinding, EncodedDocument, Partition, VariableBatch, number};
use model::{DecoderConfig, DecoderModel, Parameter};
use trainer::{Schedule, Trainer, TrainingConfig, clip_gradients};

/// Most that the norm may be while training: large enough that some gradients stay below.
const TRAINING_LIMIT: f64 = 5.0;

/// A gradient behind a limit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClippedGradient {
    /// `global-norm`, or `each-element`, which is not what the course does.
    pub method: &'static str,
    /// The gradient behind it.
    #[serde(serialize_with = "six_decimals")]
    pub gradient: Vec<f64>,
    /// Its norm.
    #[serde(serialize_with = "six_decimals")]
    pub norm: f64,
    /// Cosine of the angle between it and the gradient as it was; 1 for the same direction.
    #[serde(serialize_with = "six_decimals")]
    pub cosine: f64,
}

/// Clips a gradient by its norm, and for comparison every element by itself.
pub fn clip_two_ways(gradient: &[f64], limit: f64) -> Vec<ClippedGradient> {
    let zeros = Tensor::new(&[gradient.len()], vec![0.0; gradient.len()]);
    let mut parameters = [Parameter::new("w", zeros)];
    parameters[0].set_gradient(gradient);
    clip_gradients(Kernels::detect(), &mut parameters, limit);
    let by_norm = parameters[0].gradient().unwrap_or_default().to_vec();
    let by_element = gradient.iter().map(|g| g.clamp(-limit, limit)).collect();
    [("global-norm", by_norm), ("each-element", by_element)]
        .map(|(method, clipped): (_, Vec<f64>)| ClippedGradient {
            method,
            norm: norm(&clipped),
            cosine: cosine(gradient, &clipped),
            gradient: clipped,
        })
        .into()
}

fn norm(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Of unit vectors, so that no product overflows; 1 for a vector of zeros, which stays what it is.
fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let [norm_a, norm_b] = [norm(a), norm(b)];
    if norm_a == 0.0 || norm_b == 0.0 {
        return 1.0;
    }
    a.iter().zip(b).map(|(x, y)| (x / norm_a) * (y / norm_b)).sum()
}

/// What one update of a decoder did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClippedUpdate {
    /// Index of the update, from 0.
    pub update: u64,
    /// Loss before the step, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Global norm of the gradient as it came.
    #[serde(serialize_with = "six_decimals")]
    pub gradient_norm: f64,
    /// Whether it was above the limit of 5.
    pub clipped: bool,
    /// The learning rate of the step.
    #[serde(serialize_with = "six_decimals")]
    pub rate: f64,
}

/// Eight updates of a small decoder on one document, with a warm-up over two and a cosine.
///
/// # Errors
/// None that the constants can cause.
pub fn clipped_updates() -> anyhow::Result<Vec<ClippedUpdate>> {
    let config = TrainingConfig {
        schedule: Schedule::WarmupCosine { peak: 0.1, floor: 0.01, warmup: 2, updates: 8 },
        clip_limit: TRAINING_LIMIT,
        ..TrainingConfig::default()
    };
    let fresh = DecoderModel::<f64>::initialize(DecoderConfig::reference(10, 8).validate()?, 39);
    let mut trainer = Trainer::new(fresh, config)?;
    let binding = BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 10, capacity: 8 };
    let document = EncodedDocument::from_ids("x", Partition::Train, vec![0, 5, 6, 5, 7, 1])?;
    let batch = VariableBatch::training(&binding, &number(0, &[document]))?;
    let mut updates = Vec::new();
    for update in 0..8 {
        let report = trainer.update(&binding, std::slice::from_ref(&batch))?;
        updates.push(ClippedUpdate {
            update,
            mean_nll: report.loss.mean_nll(),
            gradient_norm: report.gradient_norm,
            clipped: report.clipped,
            rate: report.rate,
        });
    }
    Ok(updates)
}
