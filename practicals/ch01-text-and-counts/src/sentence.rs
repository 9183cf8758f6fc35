//! Surprise, target by target.

use llm_chapter_kit::{MetricRecord, six_decimals};
use llm_from_scratch_practical::baselines::{BigramModel, score_bigram_transitions};
use llm_from_scratch_practical::metrics::{random_guess_nats, surprisal_bits, surprisal_nats};
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer};
use serde::Serialize;

/// How surprised the model is by a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sentence {
    /// The text.
    pub text: String,
    /// One line for each id that is predicted: all but the start.
    pub targets: Vec<Target>,
    /// Sum of the surprises, nats.
    #[serde(serialize_with = "six_decimals")]
    pub total_nll: f64,
    /// Number of targets, mean surprise, perplexity.
    #[serde(flatten)]
    pub metrics: MetricRecord,
    /// Mean surprise of a model that thinks all ids equally likely, nats.
    #[serde(serialize_with = "six_decimals")]
    pub uniform_nll: f64,
}

/// One prediction.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Target {
    /// What the model saw, spelled.
    pub previous: String,
    /// What came, spelled.
    pub next: String,
    /// C(u, v): how often this pair was counted.
    pub count: u64,
    /// C(u): how often anything was counted after `previous`.
    pub seen: u64,
    /// (C(u, v) + 1) / (C(u) + V).
    #[serde(serialize_with = "six_decimals")]
    pub probability: f64,
    /// Minus the natural logarithm of the probability.
    #[serde(serialize_with = "six_decimals")]
    pub nats: f64,
    /// Minus the logarithm to base 2.
    #[serde(serialize_with = "six_decimals")]
    pub bits: f64,
}

/// The surprise of each target of a text, and of all together.
pub(crate) fn score(
    text: &str,
    tokenizer: &Tokenizer,
    model: &BigramModel,
) -> anyhow::Result<Sentence> {
    let ids = tokenizer.encode_document(text.as_bytes())?;
    let pairs: Vec<(TokenId, TokenId)> = ids.windows(2).map(|pair| (pair[0], pair[1])).collect();
    let target = |&(previous, next): &(TokenId, TokenId)| -> anyhow::Result<Target> {
        let probability = model.probability(previous, next)?;
        Ok(Target {
            previous: tokenizer.spelling(previous),
            next: tokenizer.spelling(next),
            count: model.transition_count(previous, next),
            seen: model.context_count(previous),
            probability,
            nats: surprisal_nats(probability)?,
            bits: surprisal_bits(probability)?,
        })
    };
    let targets = pairs.iter().map(target).collect::<anyhow::Result<_>>()?;
    let metrics = score_bigram_transitions(model, pairs)?;
    Ok(Sentence {
        text: text.to_owned(),
        targets,
        total_nll: metrics.total_nll(),
        metrics: MetricRecord::from(&metrics),
        uniform_nll: random_guess_nats(tokenizer.vocab_size())?,
    })
}
