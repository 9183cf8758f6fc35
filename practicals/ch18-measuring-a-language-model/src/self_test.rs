//! Answers of the self-test; the lesson asks the questions.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    DocumentScore, MetricError, Ranks, SyntheticCorpus, TopKCounter, nats_to_bits,
    perplexity_from_bits, random_guess_bits,
};
use serde::Serialize;

use crate::guessing::VOCAB_SIZE;

/// Of the first question: what four tokens got, and where they were ranked.
const PROBABILITIES: [f64; 4] = [0.5, 0.25, 0.125, 0.0625];
const RANKS: [usize; 4] = [1, 1, 3, 2];
/// Of the third: what a paper prints for a model, in nats and in bits per token.
const PRINTED_NATS: f64 = 3.01;
const PRINTED_BITS: f64 = 4.35;

/// A document of four tokens.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FourTokens {
    /// Of the document.
    #[serde(serialize_with = "six_decimals")]
    pub nll_bits: f64,
    /// Of the document.
    #[serde(serialize_with = "six_decimals")]
    pub nll_nats: f64,
    /// Per token.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_token: f64,
    /// Per token.
    #[serde(serialize_with = "six_decimals")]
    pub nats_per_token: f64,
    /// 2 to the bits per token.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// Share that was not the first guess.
    #[serde(serialize_with = "six_decimals")]
    pub top_1_error: f64,
    /// Share that was not among the first two.
    #[serde(serialize_with = "six_decimals")]
    pub top_2_error: f64,
}

/// A comparison with guessing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AgainstGuessing {
    /// The printed nats in bits.
    #[serde(serialize_with = "six_decimals")]
    pub nats_in_bits: f64,
    /// Bits of guessing over bits of the model.
    #[serde(serialize_with = "six_decimals")]
    pub ratio: f64,
    /// Bits of guessing over nats of the model, which means nothing.
    #[serde(serialize_with = "six_decimals")]
    pub ratio_of_mixed_units: f64,
    /// How many times fewer equally likely choices than all tokens.
    #[serde(serialize_with = "six_decimals")]
    pub times_fewer_choices: f64,
}

/// Answers to the three questions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SelfTest {
    /// Of the first.
    pub four_tokens: FourTokens,
    /// Of the second: the average that weighs documents alike, bits per token.
    #[serde(serialize_with = "six_decimals")]
    pub document_level: f64,
    /// And the one that was printed instead.
    #[serde(serialize_with = "six_decimals")]
    pub token_level: f64,
    /// Of the third.
    pub against_guessing: AgainstGuessing,
}

/// Computes the answers.
///
/// # Errors
/// As [`SyntheticCorpus::falling_averages`].
pub fn self_test(corpus: &SyntheticCorpus) -> Result<SelfTest, MetricError> {
    let averages = corpus.falling_averages()?;
    let guessing = random_guess_bits(VOCAB_SIZE)?;
    Ok(SelfTest {
        four_tokens: four_tokens()?,
        document_level: averages.document_level,
        token_level: averages.token_level,
        against_guessing: AgainstGuessing {
            nats_in_bits: nats_to_bits(PRINTED_NATS),
            ratio: guessing / PRINTED_BITS,
            ratio_of_mixed_units: guessing / PRINTED_NATS,
            times_fewer_choices: VOCAB_SIZE as f64 / perplexity_from_bits(PRINTED_BITS),
        },
    })
}

fn four_tokens() -> Result<FourTokens, MetricError> {
    let score = DocumentScore::from_probabilities(&PROBABILITIES)?;
    let mut counter = TopKCounter::new(&[1, 2], VOCAB_SIZE)?;
    for rank in RANKS {
        counter.add(Ranks::from_bounds(rank, rank)?)?;
    }
    let errors = counter.errors()?;
    Ok(FourTokens {
        nll_bits: score.nll_bits(),
        nll_nats: score.nll_nats(),
        bits_per_token: score.bits_per_token(),
        nats_per_token: score.nats_per_token(),
        perplexity: score.perplexity(),
        top_1_error: errors[0].pessimistic(),
        top_2_error: errors[1].pessimistic(),
    })
}
