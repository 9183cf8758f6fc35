//! The same text under two tokenizers.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{baselines, evaluation, tokenizer};

use baselines::{KNESER_NEY_DISCOUNT, NgramModel, Smoothing};
use evaluation::WindowRule;
use serde::Serialize;
use tokenizer::Tokenizer;

use crate::models::{bits_per_byte, score};
use crate::setup::{Corpus, bpe_tokenizer, byte_tokenizer};

/// Merges of the byte-pair tokenizer.
const MERGES: usize = 60;

/// A model of the same kind and the same training documents, under one tokenizer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TokenizerReport {
    /// Which tokenizer.
    pub tokenizer: &'static str,
    /// Its ids.
    pub vocab_size: usize,
    /// Which model.
    pub model: &'static str,
    /// Targets of the held-out documents.
    pub held_out_tokens: usize,
    /// Bytes of the held-out documents: the same under every tokenizer.
    pub held_out_bytes: u64,
    /// Per token: not comparable.
    #[serde(serialize_with = "six_decimals")]
    pub nats_per_token: f64,
    /// Per byte: comparable.
    #[serde(serialize_with = "six_decimals")]
    pub bits_per_byte: f64,
}

/// Fits a trigram under each tokenizer and scores the held-out documents.
///
/// # Errors
/// None that the constants can cause.
pub fn tokenizers(corpus: &Corpus) -> anyhow::Result<Vec<TokenizerReport>> {
    let bytes = byte_tokenizer()?;
    let pairs = bpe_tokenizer(&corpus.train, MERGES)?;
    [("bytes", bytes), ("byte pairs", pairs)]
        .into_iter()
        .map(|(name, tokenizer)| report(corpus, name, &tokenizer))
        .collect()
}

fn report(
    corpus: &Corpus,
    name: &'static str,
    tokenizer: &Tokenizer,
) -> anyhow::Result<TokenizerReport> {
    let encoded = corpus.encode(tokenizer)?;
    let smoothing = Smoothing::KneserNey { discount: KNESER_NEY_DISCOUNT };
    let model = NgramModel::fit(tokenizer.vocab_size(), 3, smoothing, &encoded.to_fit)?;
    let (summary, _) = score(&model, &encoded.held_out, WindowRule::WHOLE)?;
    Ok(TokenizerReport {
        tokenizer: name,
        vocab_size: tokenizer.vocab_size(),
        model: "trigram, Kneser-Ney",
        held_out_tokens: summary.target_count(),
        held_out_bytes: summary.byte_count().unwrap_or(0),
        nats_per_token: summary.nats_per_token()?,
        bits_per_byte: bits_per_byte(&summary)?,
    })
}
