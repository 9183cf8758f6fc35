//! Five tokens, from whole distributions to every number that describes them.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{
    DocumentScore, MetricError, SplitMix64, TopKCounter, row_with_rank, surprisal_bits,
    surprisal_nats, target_ranks,
};
use serde::Serialize;

/// Tokens of the vocabulary.
const VOCAB_SIZE: usize = 100;
/// For each token of the document: the probability that it gets, its rank, and the probability of
/// all tokens ranked before it together.
const TOKENS: [(f64, usize, f64); 5] =
    [(0.5, 1, 0.0), (0.25, 2, 0.6), (0.9, 1, 0.0), (0.01, 37, 0.72), (0.6, 1, 0.0)];
/// The set sizes for which top-k errors are shown.
const KS: [usize; 6] = [1, 2, 5, 10, 36, 37];

/// The scores of one token.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TokenReport {
    /// What the model gave to the token that came.
    pub probability: f64,
    /// Its place among all tokens; nothing ties with it.
    pub rank: usize,
    /// Surprisal in bits.
    #[serde(serialize_with = "six_decimals")]
    pub bits: f64,
    /// The same in nats.
    #[serde(serialize_with = "six_decimals")]
    pub nats: f64,
    /// Whether it was not the first guess.
    pub top_1_miss: bool,
    /// Whether it was not among the first five.
    pub top_5_miss: bool,
}

/// How often the token was not among the k best.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TopKReport {
    /// How many guesses.
    pub k: usize,
    /// Share of the tokens.
    #[serde(serialize_with = "six_decimals")]
    pub error: f64,
}

/// Everything about the document.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkedDocument {
    /// Its tokens in order.
    pub tokens: Vec<TokenReport>,
    /// Product of the probabilities.
    #[serde(serialize_with = "six_decimals")]
    pub likelihood: f64,
    /// Sum of the surprisals in bits.
    #[serde(serialize_with = "six_decimals")]
    pub nll_bits: f64,
    /// The same in nats.
    #[serde(serialize_with = "six_decimals")]
    pub nll_nats: f64,
    /// Mean surprisal in bits.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_token: f64,
    /// The same in nats.
    #[serde(serialize_with = "six_decimals")]
    pub nats_per_token: f64,
    /// 2 to the bits per token, e to the nats per token.
    #[serde(serialize_with = "six_decimals")]
    pub perplexity: f64,
    /// One over the perplexity.
    #[serde(serialize_with = "six_decimals")]
    pub geometric_mean_probability: f64,
    /// Another mean, and not what perplexity is made of.
    #[serde(serialize_with = "six_decimals")]
    pub arithmetic_mean_probability: f64,
    /// What the dearest token contributes to the bits per token.
    #[serde(serialize_with = "six_decimals")]
    pub share_of_dearest_token: f64,
    /// For several k, from one pass.
    pub top_k_errors: Vec<TopKReport>,
}

/// Writes the distributions out and scores the document with them.
///
/// # Errors
/// None that the constants can cause.
pub fn worked_document(stream: &mut SplitMix64) -> Result<WorkedDocument, MetricError> {
    let mut counter = TopKCounter::new(&KS, VOCAB_SIZE)?;
    let mut probabilities = Vec::new();
    let mut tokens = Vec::new();
    for (probability, rank, mass_above) in TOKENS {
        let (row, token) = row_with_rank(VOCAB_SIZE, probability, rank, mass_above, stream)?;
        // From here on only the row and the token count, as with a real model.
        let ranks = target_ranks(&row, token)?;
        counter.add(ranks)?;
        probabilities.push(row[token]);
        tokens.push(TokenReport {
            probability: row[token],
            rank: ranks.worst,
            bits: surprisal_bits(row[token])?,
            nats: surprisal_nats(row[token])?,
            top_1_miss: ranks.worst > 1,
            top_5_miss: ranks.worst > 5,
        });
    }
    let score = DocumentScore::from_probabilities(&probabilities)?;
    let dearest = tokens.iter().map(|token| token.bits).fold(0.0, f64::max);
    let top_k = counter.errors()?.iter().map(|e| TopKReport { k: e.k, error: e.pessimistic() });
    Ok(WorkedDocument {
        likelihood: score.likelihood(),
        nll_bits: score.nll_bits(),
        nll_nats: score.nll_nats(),
        bits_per_token: score.bits_per_token(),
        nats_per_token: score.nats_per_token(),
        perplexity: score.perplexity(),
        geometric_mean_probability: score.geometric_mean_probability(),
        arithmetic_mean_probability: score.arithmetic_mean_probability(),
        share_of_dearest_token: dearest / tokens.len() as f64,
        top_k_errors: top_k.collect(),
        tokens,
    })
}
