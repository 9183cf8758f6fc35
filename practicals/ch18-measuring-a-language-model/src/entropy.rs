//! What text costs at least, and what a model adds; exactly and by sampling.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    LinkTrial, LinkTrialPlan, MetricError, SampledCrossEntropy, entropy_bits, kl_divergence_bits,
    random_guess_bits, sampled_cross_entropies,
};
use serde::Serialize;

/// The distribution of the text: entropy 0.5 * 1 + 0.25 * 2 + 2 * 0.125 * 3 = 1.75 bits.
const TEXT: [f64; 4] = [0.5, 0.25, 0.125, 0.125];
/// The models that predict it.
const MODELS: [(&str, [f64; 4]); 3] =
    [("the text's own", TEXT), ("uniform", [0.25; 4]), ("too peaked", [0.7, 0.1, 0.1, 0.1])];
/// Tokens of a row of the trial, its set sizes, and the tokens of its documents.
const TRIAL_VOCAB_SIZE: NonZeroUsize = NonZeroUsize::new(100).expect("not zero");
const TRIAL_KS: [usize; 4] = [1, 5, 10, 50];
const TRIAL_DOCUMENT: NonZeroUsize = NonZeroUsize::new(40).expect("not zero");

/// One model on the text. All in bits per token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct EntropyRow {
    /// Which model.
    pub model: &'static str,
    /// What text costs with it on average.
    #[serde(serialize_with = "six_decimals")]
    pub cross_entropy: f64,
    /// How much of that it adds to the entropy.
    #[serde(serialize_with = "six_decimals")]
    pub divergence: f64,
    /// What a sampled text cost.
    #[serde(serialize_with = "six_decimals")]
    pub sampled: f64,
    /// How far a sample of this size is usually off.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
}

/// The three models.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EntropyReport {
    /// Of the text, in bits per token.
    #[serde(serialize_with = "six_decimals")]
    pub entropy: f64,
    /// Of the sample.
    pub sampled_tokens: NonZeroUsize,
    /// One for each model.
    pub models: Vec<EntropyRow>,
}

/// Compares three models of one text.
///
/// # Errors
/// None that the constants can cause.
pub fn entropy_table(tokens: NonZeroUsize, seed: u64) -> Result<EntropyReport, MetricError> {
    let rows = MODELS.each_ref().map(|(_, row)| row.as_slice());
    let sampled = sampled_cross_entropies(&TEXT, &rows, tokens, seed)?;
    let report = |(&(model, row), found): (&(&'static str, [f64; 4]), _)| {
        let SampledCrossEntropy {
            exact_bits: cross_entropy,
            sampled_bits: sampled,
            standard_error_bits: standard_error,
        } = found;
        let divergence = kl_divergence_bits(&TEXT, &row)?;
        Ok(EntropyRow { model, cross_entropy, divergence, sampled, standard_error })
    };
    Ok(EntropyReport {
        entropy: entropy_bits(&TEXT)?,
        sampled_tokens: tokens,
        models: MODELS.iter().zip(sampled).map(report).collect::<Result<_, MetricError>>()?,
    })
}

/// Random distributions against the claims about surprisal and rank.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LinksReport {
    /// Rows, each with one target.
    pub rows: usize,
    /// Tokens of a row.
    pub vocab_size: usize,
    /// Documents of 40 targets.
    pub documents: usize,
    /// Targets that break the first or the third claim for some k.
    pub token_violations: usize,
    /// Documents that break the second claim for some k.
    pub document_violations: usize,
    /// The most bits that a first guess cost.
    #[serde(serialize_with = "six_decimals")]
    pub dearest_first_guess: f64,
    /// The most that the third claim allows.
    #[serde(serialize_with = "six_decimals")]
    pub allowed: f64,
}

/// Tries the claims out.
///
/// # Errors
/// None that the constants can cause.
pub fn links(draws: NonZeroUsize, seed: u64) -> Result<LinksReport, MetricError> {
    let plan = LinkTrialPlan {
        draws: draws.get(),
        vocab_size: TRIAL_VOCAB_SIZE,
        concentration: 0.1,
        floor: 1e-12,
        tokens_per_document: TRIAL_DOCUMENT,
        ks: TRIAL_KS.to_vec(),
    };
    let LinkTrial {
        tokens: rows,
        documents,
        token_violations,
        document_violations,
        dearest_first_bits: dearest_first_guess,
        ..
    } = plan.run(seed)?;
    let vocab_size = TRIAL_VOCAB_SIZE.get();
    Ok(LinksReport {
        rows,
        vocab_size,
        documents,
        token_violations,
        document_violations,
        dearest_first_guess,
        allowed: random_guess_bits(vocab_size)?,
    })
}
