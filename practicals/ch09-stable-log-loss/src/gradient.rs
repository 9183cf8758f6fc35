//! The slope of a token's loss: what the model gave, less what came.

use llm_chapter_kit::{six_decimals, two_digits};
use llm_from_scratch_practical::autograd::{AutogradContext, Tensor, gradient_check};
use llm_from_scratch_practical::metrics::log_softmax;
use serde::Serialize;

/// The loss of the third of four tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GradientReport {
    /// The loss, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll: f64,
    /// One row for each token.
    pub tokens: Vec<GradientRow>,
    /// The largest |gradient - (p - onehot)|.
    #[serde(serialize_with = "two_digits")]
    pub largest_difference: f64,
    /// The largest error of the gradient against central differences.
    #[serde(serialize_with = "two_digits")]
    pub difference_quotient_error: f64,
}

/// One token of the vocabulary.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GradientRow {
    /// Its logit.
    #[serde(serialize_with = "six_decimals")]
    pub logit: f64,
    /// p, its probability.
    #[serde(serialize_with = "six_decimals")]
    pub probability: f64,
    /// 1 for the token that came, otherwise 0.
    pub onehot: f64,
    /// d loss / d logit from the backward pass.
    #[serde(serialize_with = "six_decimals")]
    pub gradient: f64,
}

/// Walks back from the loss of a token of probability 1/8 among 1/2, 1/4, 1/8 and 1/8.
///
/// # Errors
/// None: the tape is fresh and the logits are finite.
pub fn gradient() -> anyhow::Result<GradientReport> {
    let logits = [0.5, 0.25, 0.125, 0.125].map(libm::log);
    let target = 2;
    let tensor = Tensor::new(&[1, 4], logits.to_vec());
    let context = AutogradContext::recording();
    let variable = context.variable(&tensor);
    let loss = context.cross_entropy(&variable, &[target]);
    let gradients = context.backward(&loss.sum)?;
    let gradient = gradients.of(&variable).expect("the loss depends on the logits");
    let probabilities: Vec<f64> = log_softmax(&logits)?.into_iter().map(libm::exp).collect();
    let row = |token: usize| GradientRow {
        logit: logits[token],
        probability: probabilities[token],
        onehot: if token == target as usize { 1.0 } else { 0.0 },
        gradient: gradient.data()[token],
    };
    let tokens: Vec<GradientRow> = (0..logits.len()).map(row).collect();
    let differences = tokens.iter().map(|t| (t.gradient - (t.probability - t.onehot)).abs());
    let check =
        gradient_check(&[tensor], 1e-5, |context, x| context.cross_entropy(&x[0], &[target]).sum);
    Ok(GradientReport {
        nll: loss.token_nll[0],
        largest_difference: differences.fold(0.0, f64::max),
        difference_quotient_error: check.largest_error,
        tokens,
    })
}
