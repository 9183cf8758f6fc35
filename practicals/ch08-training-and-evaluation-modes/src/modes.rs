//! The loss of one model in both modes, and what each does to the stream of masks.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::AutogradContext;
use llm_from_scratch_practical::metrics::MetricSummary;
use llm_from_scratch_practical::model::{DropoutMode, DropoutProbability, DropoutStream};
use serde::Serialize;

use crate::Setup;

/// Updates whose masks are tried.
const UPDATES: u64 = 4;

/// Losses of both documents, nats per target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModeReport {
    /// `DropoutMode::Eval` with the probability of the command line.
    #[serde(serialize_with = "six_decimals")]
    pub evaluation_nll: f64,
    /// Whether every token's loss has the same bits as in a pass that knows no dropout.
    pub evaluation_equals_no_dropout: bool,
    /// `DropoutMode::Train`, with the masks of four updates.
    pub training: Vec<TrainingLoss>,
    /// Mask elements drawn before evaluation, which comes after the passes in training mode.
    pub drawn_before_evaluation: u64,
    /// The same after it.
    pub drawn_after_evaluation: u64,
    /// Whether update 0, once more, gives the same bits.
    pub repeated_update_equal: bool,
    /// Whether training mode without recording gives the same bits as with it: turning gradients off
    /// does not turn dropout off.
    pub no_grad_still_drops: bool,
}

/// One pass in training mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrainingLoss {
    /// Whose masks.
    pub update: u64,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub nll: f64,
    /// Mask elements drawn so far.
    pub drawn: u64,
}

/// Scores the documents in both modes.
///
/// # Errors
/// None for the documents of the chapter.
pub fn modes(
    setup: &Setup,
    probability: DropoutProbability,
    seed: u64,
) -> anyhow::Result<ModeReport> {
    let no_grad = AutogradContext::no_grad();
    let mut stream = DropoutStream::new(seed);
    let mut training = Vec::new();
    let mut first = Vec::new();
    for update in 0..UPDATES {
        stream.set_update(update);
        let losses = losses(setup, &no_grad, probability, DropoutMode::Train(&mut stream))?;
        training.push(TrainingLoss { update, nll: mean(&losses)?, drawn: stream.drawn() });
        if update == 0 {
            first = losses;
        }
    }
    let drawn_before_evaluation = stream.drawn();
    let evaluation = losses(setup, &no_grad, probability, DropoutMode::Eval)?;
    let drawn_after_evaluation = stream.drawn();
    let [_, padded, _] = setup.layouts()?;
    let plain = setup.model.loss_padded_with_context(&no_grad, &padded[0], &setup.binding)?;

    stream.set_update(0);
    let repeated = losses(setup, &no_grad, probability, DropoutMode::Train(&mut stream))?;
    let recording = AutogradContext::recording();
    let recorded = losses(setup, &recording, probability, DropoutMode::Train(&mut stream))?;
    Ok(ModeReport {
        evaluation_nll: mean(&evaluation)?,
        evaluation_equals_no_dropout: evaluation == plain.token_nll(),
        training,
        drawn_before_evaluation,
        drawn_after_evaluation,
        repeated_update_equal: repeated == first,
        no_grad_still_drops: recorded == first,
    })
}

/// The loss of every target of both documents, as one padded batch.
fn losses(
    setup: &Setup,
    context: &AutogradContext<f64>,
    probability: DropoutProbability,
    mode: DropoutMode<'_>,
) -> anyhow::Result<Vec<f64>> {
    let [_, padded, _] = setup.layouts()?;
    let loss =
        setup.model.loss_with_dropout(context, &padded[0], &setup.binding, probability, mode)?;
    Ok(loss.token_nll().to_vec())
}

fn mean(losses: &[f64]) -> anyhow::Result<f64> {
    Ok(MetricSummary::from_token_nlls(losses)?.mean_nll())
}
