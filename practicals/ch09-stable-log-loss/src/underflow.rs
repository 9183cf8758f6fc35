//! One unlikely token among a hundred.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    DocumentScore, bits_to_nats, log_softmax, log_softmax_f32, nats_to_bits, softmax_f32,
    surprisal_nats,
};
use serde::Serialize;

use crate::finite;

/// Tokens of the document, of which all but one cost a bit.
const TOKENS: usize = 100;

/// The token with logit -gap beside one with logit 0.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnderflowReport {
    /// Both logits; the second token is the one that comes.
    pub logits: [f64; 2],
    /// Its probability by softmax in f32.
    pub softmax_f32: f32,
    /// The loss from that probability, nats; null if infinite.
    #[serde(serialize_with = "six_decimals")]
    pub nll_from_softmax: Option<f64>,
    /// Whether the token was lost: its probability is 0 and its loss infinite.
    pub lost: bool,
    /// The loss by log-softmax in f32, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll_from_log_softmax_f32: f64,
    /// The loss by log-softmax in f64, nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll_from_log_softmax: f64,
    /// The same in bits.
    #[serde(serialize_with = "six_decimals")]
    pub bits: f64,
    /// Bits per token of a document of 99 tokens at 1 bit and this one, from softmax in f32.
    #[serde(serialize_with = "six_decimals")]
    pub document_bits_per_token_from_softmax: Option<f64>,
    /// The same from log-softmax.
    #[serde(serialize_with = "six_decimals")]
    pub document_bits_per_token: f64,
}

/// Computes the loss of the token in both ways.
///
/// # Errors
/// A gap that is not finite.
pub fn underflow(gap: f64) -> anyhow::Result<UnderflowReport> {
    let logits = [0.0, 0.0 - gap];
    let logits_f32 = logits.map(|logit| logit as f32);
    let softmax_f32 = softmax_f32(&logits_f32)?[1];
    let nll_from_softmax = surprisal_nats(softmax_f32.into())?;
    let nll_from_log_softmax = 0.0 - log_softmax(&logits)?[1];
    let document = |nll: f64| -> anyhow::Result<f64> {
        let mut logs = vec![0.0 - bits_to_nats(1.0); TOKENS - 1];
        logs.push(0.0 - nll);
        Ok(DocumentScore::from_log_probabilities(&logs)?.bits_per_token())
    };
    Ok(UnderflowReport {
        logits,
        softmax_f32,
        nll_from_softmax: finite(nll_from_softmax),
        lost: nll_from_softmax == f64::INFINITY,
        nll_from_log_softmax_f32: 0.0 - f64::from(log_softmax_f32(&logits_f32)?[1]),
        nll_from_log_softmax,
        bits: nats_to_bits(nll_from_log_softmax),
        document_bits_per_token_from_softmax: finite(document(nll_from_softmax)?),
        document_bits_per_token: document(nll_from_log_softmax)?,
    })
}
