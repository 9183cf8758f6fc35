//! A bigram and a trigram write, and each reads what the other wrote.

use crate::scores::WHOLE_TEXT;
use crate::writers::write;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::baselines::NgramModel;
use llm_from_scratch_practical::evaluation::cross_likelihood;
use llm_from_scratch_practical::model::{Decoding, Filters};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

/// What one model's texts cost it and the other, in nats per token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reading {
    /// Who wrote, by sampling from its own distribution.
    pub writer: &'static str,
    /// Who reads.
    pub judge: &'static str,
    /// What the texts cost the writer: an estimate of its entropy.
    #[serde(serialize_with = "six_decimals")]
    pub writer_nats: f64,
    /// What they cost the judge.
    #[serde(serialize_with = "six_decimals")]
    pub judge_nats: f64,
    /// The difference: an estimate of the divergence.
    #[serde(serialize_with = "six_decimals")]
    pub excess: f64,
    /// Standard error of the difference, texts being the units.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
}

/// Both models as writer and as judge.
pub fn each_other(
    bigram: &NgramModel,
    trigram: &NgramModel,
    count: usize,
    seed: u64,
    tokenizer: &Tokenizer,
) -> anyhow::Result<Vec<Reading>> {
    let roles = [("bigram", bigram, "trigram", trigram), ("trigram", trigram, "bigram", bigram)];
    let mut readings = Vec::new();
    for (writer, of_writer, judge, of_judge) in roles {
        let decoding = Decoding::Sample { filters: Filters::default(), seed };
        let texts = write((writer, decoding), of_writer, count, tokenizer)?.framed;
        let found = cross_likelihood(of_writer, of_judge, &texts, WHOLE_TEXT)?;
        readings.push(Reading {
            writer,
            judge,
            writer_nats: found.writer.mean,
            judge_nats: found.judge.mean,
            excess: found.excess.mean,
            standard_error: found.excess.standard_error.unwrap_or(0.0),
        });
    }
    Ok(readings)
}
