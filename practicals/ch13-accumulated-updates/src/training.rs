//! Eighty updates with the right and with the wrong weights.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{autograd, corpus, evaluation, model, trainer};
use serde::Serialize;

use autograd::Kernels;
use corpus::{Layout, Partition};
use evaluation::evaluate;
use model::DecoderModel;
use trainer::{AdamW, AdamWConfig, ReferenceExperiment, TrainingConfig, clip_gradients};

use crate::{Weighting, accumulate};

/// Both documents in one batch.
pub(crate) const BOTH: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);

/// The seed of chapter 16's saved model.
pub(crate) const SEED: u64 = ReferenceExperiment::SEEDS[0];

/// The end of a training run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrainingRow {
    /// How the gradient of each update was computed.
    pub way: &'static str,
    /// Loss of the training documents, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub train_nll: f64,
    /// Loss of the held-out documents, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub validation_nll: f64,
    /// Whether every weight has the bits of the first run.
    pub same_bits: bool,
}

/// Trains the same model with one batch per update, with two microbatches, and with the mean of two
/// means.
///
/// # Errors
/// None that the constants can cause.
pub fn train_three_ways() -> anyhow::Result<Vec<TrainingRow>> {
    let experiment = ReferenceExperiment::new()?;
    let trained = |layout| experiment.trained_model(SEED, layout);
    let models = [
        ("one batch", trained(Layout::Padded { rows: BOTH })?),
        ("two microbatches", trained(Layout::SEPARATE)?),
        ("mean of two means", train_wrongly(&experiment)?),
    ];
    let bits = |model: &DecoderModel<f64>| -> Vec<Vec<u64>> {
        model.parameters().iter().map(|parameter| parameter.value().bits()).collect()
    };
    let expected = bits(&models[0].1);
    let row = |(way, model): &(&'static str, DecoderModel<f64>)| {
        Ok(TrainingRow {
            way,
            train_nll: mean_nll(&experiment, model, Partition::Train)?,
            validation_nll: mean_nll(&experiment, model, Partition::Validation)?,
            same_bits: bits(model) == expected,
        })
    };
    models.iter().map(row).collect()
}

fn mean_nll(
    experiment: &ReferenceExperiment,
    model: &DecoderModel<f64>,
    partition: Partition,
) -> anyhow::Result<f64> {
    let batches = experiment.batches(partition, Layout::SEPARATE)?;
    Ok(evaluate(model, partition, &experiment.binding, &batches)?.metrics.mean_nll())
}

/// The same steps by hand, since the trainer cannot be made to take wrong ones.
fn train_wrongly(experiment: &ReferenceExperiment) -> anyhow::Result<DecoderModel<f64>> {
    let microbatches = experiment.batches(Partition::Train, Layout::SEPARATE)?;
    let mut model = experiment.fresh_model(SEED)?;
    let mut optimizer = AdamW::new(AdamWConfig::default(), model.parameters())?;
    for _ in 0..ReferenceExperiment::UPDATES {
        accumulate(&mut model, &experiment.binding, &microbatches, Weighting::EveryMicrobatch)?;
        let kernels = Kernels::detect();
        clip_gradients(kernels, model.parameters_mut(), TrainingConfig::default().clip_limit);
        optimizer.step(kernels, model.parameters_mut(), ReferenceExperiment::LEARNING_RATE);
    }
    Ok(model)
}
