//! Chapter 3: byte-pair encoding, learning what to read together.
//!
//! With single bytes a text is long, and a model spends its effort on spelling. Byte-pair encoding
//! looks for the two neighbours that stand together most often, makes them one token, and does it
//! again. What counts, what ties, and where replacing begins has to be said exactly, or two programs
//! learn two vocabularies.
//!
//! Read in this order: `args`, `run` below, `steps` (training in slow motion), `rules`.
#![forbid(unsafe_code)]

mod args;
mod rules;
mod steps;

pub use args::{Args, Rule};
pub use rules::{Length, RuleAtWork};
pub use steps::Step;

use anyhow::ensure;
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer, train, train_by_recounting};
use serde::Serialize;

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The texts that were learned from.
    pub documents: Vec<String>,
    /// Merges that were learned; fewer than asked for if the pairs ran out.
    pub merges: usize,
    /// Number of ids now: 258 and one for each merge.
    pub vocab_size: usize,
    /// The first steps.
    pub steps: Vec<Step>,
    /// Whether the trainer that counts everything again learned the same, at every rank.
    pub trainers_agree: bool,
    /// A text that was not learned from.
    pub held_out: Encoded,
    /// The rules of training, one by one.
    pub rules: Vec<RuleAtWork>,
    /// Six sentences with vocabularies of several sizes.
    pub lengths: Vec<Length>,
}

/// A text as tokens.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Encoded {
    /// The text.
    pub text: String,
    /// Its ids.
    pub ids: Vec<TokenId>,
    /// The same, spelled.
    pub tokens: String,
    /// What the ids give back.
    pub decoded: String,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// If the weights do not fit the documents or are too large, or if the two trainers differ, which
/// would be a bug.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let documents = args.weighted()?;
    let config = args.config();
    let learned = train(&documents, &config)?;
    let trainers_agree = train_by_recounting(&documents, &config)? == learned;
    ensure!(trainers_agree, "the two trainers learned different merges: please report these texts");

    let tokenizer = Tokenizer::from_training(&learned, config.pretokenizer)?;
    Ok(Report {
        chapter: "03-bpe-training",
        documents: args.documents.clone(),
        merges: learned.len(),
        vocab_size: tokenizer.vocab_size(),
        steps: steps::steps(&documents, &config, &learned)?,
        trainers_agree,
        held_out: encode(&args.held_out, &tokenizer)?,
        rules: rules::rules()?,
        lengths: rules::lengths()?,
    })
}

fn encode(text: &str, tokenizer: &Tokenizer) -> anyhow::Result<Encoded> {
    let ids = tokenizer.encode(text.as_bytes())?;
    Ok(Encoded {
        text: text.to_owned(),
        tokens: steps::spelled(tokenizer, text.as_bytes())?,
        decoded: String::from_utf8(tokenizer.decode(&ids)?)?,
        ids,
    })
}
