//! One token that ruins a mean, and one that single precision loses.

use std::f64::consts::LN_10;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    DocumentLoss, MetricError, OneBadToken, PredictionSmoothing, bits_to_nats, log_softmax,
    log_softmax_f32, nats_to_bits, random_guess_bits, softmax_f32, surprisal_bits,
};
use serde::Serialize;

use crate::guessing::VOCAB_SIZE;

/// Tokens of the document, the bad one included.
const TOKENS: usize = 100;
/// Surprisal of each other token in bits: all have probability one half.
const CLEAN_BITS: f64 = 1.0;
/// How far the logit of the token that single precision loses lies below the other one.
const LOGIT_GAP: f32 = 110.0;
/// Share of the uniform guess in smoothed predictions.
const ALPHA: f64 = 0.1;

/// The document with one bad token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BadTokenRow {
    /// Digits of the bad token's probability: it is ten to the minus this.
    #[serde(serialize_with = "six_decimals")]
    pub minus_log10_probability: f64,
    /// Its surprisal in bits.
    #[serde(serialize_with = "six_decimals")]
    pub bits: f64,
    /// Of the document.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_token: f64,
    /// What the bad token contributes to it.
    #[serde(serialize_with = "six_decimals")]
    pub share: f64,
    /// How far it lies above that of a document without a bad token.
    #[serde(serialize_with = "six_decimals")]
    pub rise: f64,
}

/// Softmax and log-softmax of the logits 0 and -110 in single precision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SinglePrecision {
    /// How far the second logit lies below the first.
    pub logit_gap: f32,
    /// Softmax of the second.
    pub softmax_probability: f32,
    /// The surprisal that this would mean.
    pub softmax_surprisal: String,
    /// Negative log-softmax of the second.
    pub log_softmax_nats: f32,
    /// The same in bits.
    #[serde(serialize_with = "six_decimals")]
    pub log_softmax_bits: f64,
    /// Of the document with this bad token.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_token: f64,
}

/// Everything about the bad token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BadTokenReport {
    /// Tokens of the document.
    pub tokens: usize,
    /// The most that one token can change its top-k error.
    #[serde(serialize_with = "six_decimals")]
    pub largest_change_of_top_k_error: f64,
    /// No bad token, a bad one, and the one that makes the document as bad as guessing.
    pub documents: Vec<BadTokenRow>,
    /// Where probabilities end before logarithms do.
    pub single_precision: SinglePrecision,
    /// Why no bound can be made from bits per token.
    pub bits_per_token_are_bounded: String,
    /// The most that a token can cost when a tenth of every prediction is the uniform guess.
    #[serde(serialize_with = "six_decimals")]
    pub smoothed_bits_at_most: f64,
}

/// Computes them.
///
/// # Errors
/// None that the constants can cause.
pub fn bad_token() -> Result<BadTokenReport, MetricError> {
    let clean = OneBadToken::new(TOKENS, CLEAN_BITS, CLEAN_BITS)?;
    let as_bad_as_guessing = clean.bits_to_reach(random_guess_bits(VOCAB_SIZE)?);
    let rows = [CLEAN_BITS, surprisal_bits(1e-30)?, as_bad_as_guessing].map(row);
    let refusal = DocumentLoss::BitsPerToken.interval().err();
    Ok(BadTokenReport {
        tokens: TOKENS,
        largest_change_of_top_k_error: clean.largest_top_k_change(),
        documents: rows.into_iter().collect::<Result<_, _>>()?,
        single_precision: single_precision()?,
        bits_per_token_are_bounded: refusal.map_or("yes".into(), |error| format!("no: {error}")),
        smoothed_bits_at_most: PredictionSmoothing::new(ALPHA, VOCAB_SIZE)?.loss_interval().highest,
    })
}

/// The document with a bad token of so many bits.
pub(crate) fn row(bits: f64) -> Result<BadTokenRow, MetricError> {
    let document = OneBadToken::new(TOKENS, CLEAN_BITS, bits)?;
    // The probability itself may be below the smallest float; its logarithm is not.
    Ok(BadTokenRow {
        minus_log10_probability: bits_to_nats(bits) / LN_10,
        bits,
        bits_per_token: document.bits_per_token(),
        share: document.share_bits(),
        rise: document.rise_bits(),
    })
}

fn single_precision() -> Result<SinglePrecision, MetricError> {
    let logits = [0.0, -LOGIT_GAP];
    let probability = softmax_f32(&logits)?[1];
    let bits = surprisal_bits(f64::from(probability))?;
    let log_probability = log_softmax_f32(&logits)?[1];
    let exact = log_softmax(&logits.map(f64::from))?[1];
    let log_softmax_bits = nats_to_bits(-exact);
    Ok(SinglePrecision {
        logit_gap: LOGIT_GAP,
        softmax_probability: probability,
        softmax_surprisal: if bits.is_finite() { bits.to_string() } else { "infinite".into() },
        log_softmax_nats: -log_probability,
        log_softmax_bits,
        bits_per_token: row(log_softmax_bits)?.bits_per_token,
    })
}
