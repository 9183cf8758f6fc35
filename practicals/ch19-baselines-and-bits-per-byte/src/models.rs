//! Every model on both splits, in bits per byte.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{baselines, evaluation, tokenizer};

use baselines::{BigramModel, KNESER_NEY_DISCOUNT, NgramModel, Smoothing, SourceModel};
use evaluation::{
    FramedDocument, LanguageModel, RecordSummary, ScoringCounts, WindowRule, score_documents,
};
use serde::Serialize;
use tokenizer::Tokenizer;

use crate::decoder::{CONTEXT_LEN, train_decoder};
use crate::setup::{Corpus, EncodedCorpus};

/// What additive smoothing adds to every count.
const K: f64 = 0.01;
/// Windows that are scored at a time; changes no bit.
pub const BATCH: NonZeroUsize = NonZeroUsize::new(16).expect("not zero");
/// Windows for the decoder: as long as its context allows, each half new.
pub const DECODER_RULE: WindowRule =
    WindowRule { window: CONTEXT_LEN + 1, stride: CONTEXT_LEN / 2, bos_per_window: false };

/// A model, how it reads long documents, and what it counted.
pub struct Contestant {
    /// What it is called in reports.
    pub name: &'static str,
    /// The model.
    pub model: Box<dyn LanguageModel>,
    /// Windows that it is scored in.
    pub rule: WindowRule,
    /// Different n-grams that it keeps; none if it does not count.
    pub kept_ngrams: Option<usize>,
}

/// All models of the chapter under the byte tokenizer, fitted on the training documents.
///
/// # Errors
/// None that the constants can cause.
pub fn contestants(
    corpus: &Corpus,
    encoded: &EncodedCorpus,
    tokenizer: &Tokenizer,
    updates: u64,
    seed: u64,
) -> anyhow::Result<Vec<Contestant>> {
    let vocab_size = tokenizer.vocab_size();
    let additive = Smoothing::AddK { k: K };
    let kneser_ney = Smoothing::KneserNey { discount: KNESER_NEY_DISCOUNT };
    let mut all = vec![whole("uniform", NgramModel::uniform(vocab_size)?, None)];
    for (name, order, smoothing) in [
        ("unigram, add 0.01", 1, additive),
        ("bigram, add 0.01", 2, additive),
        ("trigram, add 0.01", 3, additive),
        ("5-gram, add 0.01", 5, additive),
        ("trigram, Kneser-Ney", 3, kneser_ney),
        ("5-gram, Kneser-Ney", 5, kneser_ney),
    ] {
        let model = NgramModel::fit(vocab_size, order, smoothing, &encoded.to_fit)?;
        let kept = model.ngram_count();
        all.push(whole(name, model, Some(kept)));
    }
    all.insert(2, whole("bigram, add 1", BigramModel::fit(vocab_size, &encoded.to_fit)?, None));
    let decoder = train_decoder(&encoded.to_fit, tokenizer, updates, seed)?;
    all.push(Contestant { rule: DECODER_RULE, ..whole("decoder", decoder, None) });
    all.push(whole(
        "the source itself",
        SourceModel::new(corpus.grammar.clone(), tokenizer)?,
        None,
    ));
    Ok(all)
}

fn whole(
    name: &'static str,
    model: impl LanguageModel + 'static,
    kept_ngrams: Option<usize>,
) -> Contestant {
    Contestant { name, model: Box::new(model), rule: WindowRule::WHOLE, kept_ngrams }
}

/// Scores documents in one pass.
///
/// # Errors
/// A score that is not finite.
pub fn score(
    model: &dyn LanguageModel,
    documents: &[FramedDocument],
    rule: WindowRule,
) -> anyhow::Result<(RecordSummary, ScoringCounts)> {
    let mut summary = RecordSummary::new();
    let counts = score_documents(model, documents, rule, BATCH, |record| summary.add(&record))?;
    Ok((summary, counts))
}

/// Bits per byte of all targets, the end tokens included.
///
/// # Errors
/// As [`RecordSummary::bits_per_byte`]; for records without bytes.
pub fn bits_per_byte(summary: &RecordSummary) -> anyhow::Result<f64> {
    summary.bits_per_byte()?.ok_or_else(|| anyhow::anyhow!("records without bytes"))
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelReport {
    /// Which.
    pub model: &'static str,
    /// Different n-grams that it keeps.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kept_ngrams: Option<usize>,
    /// On the documents that it was fitted on.
    #[serde(serialize_with = "six_decimals")]
    pub train_bits_per_byte: f64,
    /// On the others.
    #[serde(serialize_with = "six_decimals")]
    pub held_out_bits_per_byte: f64,
    /// How much of that is above what the source needs for the same documents.
    #[serde(serialize_with = "six_decimals")]
    pub above_the_source: f64,
    /// On the held-out documents, nats per token.
    #[serde(serialize_with = "six_decimals")]
    pub held_out_nats_per_token: f64,
    /// e to that.
    #[serde(serialize_with = "six_decimals")]
    pub held_out_perplexity: f64,
    /// Share of held-out tokens that were not the first guess, ties broken against the model.
    #[serde(serialize_with = "six_decimals")]
    pub held_out_top_1_error: f64,
}

/// Scores every model on both splits. The last one is the source.
///
/// # Errors
/// As [`score`].
pub fn compare(
    contestants: &[Contestant],
    encoded: &EncodedCorpus,
) -> anyhow::Result<Vec<ModelReport>> {
    let mut rows = Vec::new();
    for Contestant { name, model, rule, kept_ngrams } in contestants {
        let (train, _) = score(model.as_ref(), &encoded.train, *rule)?;
        let (held_out, _) = score(model.as_ref(), &encoded.held_out, *rule)?;
        rows.push(ModelReport {
            model: name,
            kept_ngrams: *kept_ngrams,
            train_bits_per_byte: bits_per_byte(&train)?,
            held_out_bits_per_byte: bits_per_byte(&held_out)?,
            above_the_source: 0.0,
            held_out_nats_per_token: held_out.nats_per_token()?,
            held_out_perplexity: held_out.perplexity()?,
            held_out_top_1_error: held_out.top_k_error(&[1], model.vocab_size())?[0].pessimistic(),
        });
    }
    let floor = rows.last().map_or(0.0, |source| source.held_out_bits_per_byte);
    rows.iter_mut().for_each(|row| row.above_the_source = row.held_out_bits_per_byte - floor);
    Ok(rows)
}
