//! The gradient of one update, computed in one batch and in parts.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{autograd, corpus, model, trainer};
use serde::Serialize;

use autograd::AutogradContext;
use corpus::{BatchBinding, Layout, Partition, VariableBatch};
use model::{DecoderModel, Parameter};
use trainer::{ReferenceExperiment, global_norm};

use crate::training::{BOTH, SEED};

/// What every target of an update weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weighting {
    /// The same: losses are added up, and the sum is divided once.
    EveryTarget,
    /// Each microbatch the same, hence a target of a short one more. The mistake.
    EveryMicrobatch,
}

/// Replaces the model's gradients by those of one update. This is all that accumulation is: every
/// backward pass goes on with the sums that the one before has left.
///
/// # Errors
/// A batch that the model cannot read.
pub fn accumulate(
    model: &mut DecoderModel<f64>,
    binding: &BatchBinding,
    microbatches: &[VariableBatch],
    weighting: Weighting,
) -> anyhow::Result<()> {
    model.clear_gradients();
    let mut targets = 0;
    for batch in microbatches {
        let context = AutogradContext::recording();
        let loss = model.loss_padded_with_context(&context, batch, binding)?;
        let Some(sum) = loss.sum() else { continue }; // there is one, since the context records
        match weighting {
            Weighting::EveryTarget => model.backward(&context, sum)?,
            Weighting::EveryMicrobatch => {
                let mean = context.scale(sum, 1.0 / loss.count() as f64);
                model.backward(&context, &mean)?;
            }
        }
        targets += loss.count();
    }
    model.merge_tied_gradient();
    let divisor = match weighting {
        Weighting::EveryTarget => targets,
        Weighting::EveryMicrobatch => microbatches.len(),
    };
    for gradient in model.parameters_mut().iter_mut().filter_map(Parameter::gradient_mut) {
        gradient.iter_mut().for_each(|g| *g /= divisor as f64);
    }
    Ok(())
}

/// A gradient beside the first one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GradientRow {
    /// How it was computed.
    pub way: &'static str,
    /// Backward passes.
    pub microbatches: usize,
    /// Its global norm.
    #[serde(serialize_with = "six_decimals")]
    pub norm: f64,
    /// The largest absolute difference of an element from the first gradient.
    #[serde(serialize_with = "six_decimals")]
    pub largest_difference: f64,
    /// Whether every bit is that of the first gradient.
    pub same_bits: bool,
}

/// The gradient of both training documents: as one padded batch, packed into rows, as two
/// microbatches, and as the mean of two means.
///
/// # Errors
/// None that the constants can cause.
pub fn compare_gradients() -> anyhow::Result<Vec<GradientRow>> {
    use Weighting::{EveryMicrobatch, EveryTarget};
    let experiment = ReferenceExperiment::new()?;
    let ways = [
        ("one batch", Layout::Padded { rows: BOTH }, EveryTarget),
        ("packed rows", Layout::Packed { rows: BOTH }, EveryTarget),
        ("two microbatches", Layout::SEPARATE, EveryTarget),
        ("mean of two means", Layout::SEPARATE, EveryMicrobatch),
    ];
    let mut first: Option<Vec<f64>> = None;
    let mut rows = Vec::new();
    for (way, layout, weighting) in ways {
        let batches = experiment.batches(Partition::Train, layout)?;
        let mut model = experiment.fresh_model(SEED)?;
        accumulate(&mut model, &experiment.binding, &batches, weighting)?;
        let parameters = model.parameters().iter();
        let gradient: Vec<f64> =
            parameters.flat_map(|p| p.gradient().unwrap_or(&[])).copied().collect();
        let expected = first.get_or_insert_with(|| gradient.clone());
        let pairs = || gradient.iter().zip(&*expected);
        rows.push(GradientRow {
            way,
            microbatches: batches.len(),
            norm: global_norm(model.parameters()),
            largest_difference: pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max),
            same_bits: pairs().all(|(a, b)| a.to_bits() == b.to_bits()),
        });
    }
    Ok(rows)
}
