//! What a mask depends on, and what not.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::AutogradContext;
use llm_from_scratch_practical::corpus::VariableBatch;
use llm_from_scratch_practical::model::{
    DropoutMode, DropoutProbability, DropoutStream, MaskPlace,
};
use serde::Serialize;

use crate::Setup;

/// Masks, and losses under masks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MaskReport {
    /// Masks that differ in one thing each from the first.
    pub examples: Vec<ExampleMask>,
    /// Whether separate, padded and packed batches have losses of the same bits in training mode.
    pub layouts_equal: bool,
    /// Whether two microbatches of one document leave the same gradients as one batch of both.
    pub microbatches_equal: bool,
}

/// The factors of the eight features of one token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExampleMask {
    /// What is different from the first mask.
    pub different: &'static str,
    /// 0 drops, anything else keeps.
    #[serde(serialize_with = "six_decimals")]
    pub mask: Vec<f64>,
}

/// Draws masks, and computes losses and gradients under them in several layouts.
///
/// # Errors
/// None for the documents of the chapter.
pub fn masks(
    setup: &Setup,
    probability: DropoutProbability,
    seed: u64,
) -> anyhow::Result<MaskReport> {
    let [separate, padded, packed] = setup.layouts()?;
    let pass = |batches: &[VariableBatch]| losses_and_gradients(setup, batches, probability, seed);
    let (separate_losses, separate_gradients) = pass(&separate)?;
    let (padded_losses, padded_gradients) = pass(&padded)?;
    let (packed_losses, _) = pass(&packed)?;
    Ok(MaskReport {
        examples: examples(probability, seed),
        layouts_equal: separate_losses == padded_losses && padded_losses == packed_losses,
        microbatches_equal: separate_gradients == padded_gradients,
    })
}

/// The masks of one token under one change after another.
fn examples(probability: DropoutProbability, seed: u64) -> Vec<ExampleMask> {
    let first = MaskPlace { document: 0, site: 0, position: 0 };
    let stream = DropoutStream::new(seed);
    let other_seed = DropoutStream::new(seed.wrapping_add(1));
    let mut other_update = stream.clone();
    other_update.set_update(1);
    let cases = [
        ("nothing", &stream, first),
        ("nothing, drawn again", &stream, first),
        ("position 1", &stream, MaskPlace { position: 1, ..first }),
        ("site 1", &stream, MaskPlace { site: 1, ..first }),
        ("document 1", &stream, MaskPlace { document: 1, ..first }),
        ("update 1", &other_update, first),
        ("seed", &other_seed, first),
    ];
    cases
        .map(|(different, stream, place)| ExampleMask {
            different,
            mask: stream.mask(place, 8, probability),
        })
        .to_vec()
}

/// The bits of every target's loss and of every gradient, in training mode at update 0.
fn losses_and_gradients(
    setup: &Setup,
    batches: &[VariableBatch],
    probability: DropoutProbability,
    seed: u64,
) -> anyhow::Result<(Vec<u64>, Vec<u64>)> {
    let mut model = setup.model.clone();
    model.clear_gradients();
    let mut stream = DropoutStream::new(seed);
    let mut losses = Vec::new();
    for batch in batches {
        let context = AutogradContext::recording();
        let mode = DropoutMode::Train(&mut stream);
        let loss = model.loss_with_dropout(&context, batch, &setup.binding, probability, mode)?;
        losses.extend(loss.token_nll().iter().map(|nll| nll.to_bits()));
        let sum = loss.sum().expect("the context records");
        model.backward(&context, sum)?;
    }
    model.merge_tied_gradient();
    let gradients = model.parameters().iter().filter_map(|parameter| parameter.gradient());
    Ok((losses, gradients.flatten().map(|g| g.to_bits()).collect()))
}
