//! Chapter 1: bytes, counts and surprise.
//!
//! A text is a list of bytes. A language model gives every byte that could come next a probability.
//! The simplest one worth having counts which byte followed which in some documents; how well it
//! does on another text is measured by its surprise. Everything later in the course replaces the
//! counting by something better and keeps the measuring.
//!
//! Read in this order: `Args` (what can be changed), `run`, then `sentence` (the measuring).
#![forbid(unsafe_code)]

mod sentence;

pub use sentence::{Sentence, Target};

use clap::Parser;
use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::baselines::{BigramModel, CountModel};
use llm_from_scratch_practical::corpus::{Document, EncodedDocument, Partition};
use llm_from_scratch_practical::metrics::ExactSum;
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer};
use serde::Serialize;

/// Count which byte follows which in some documents, and measure the surprise of a sentence.
///
/// Prints one JSON object. Fractions are rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A text to count; give the option several times for several documents
    #[arg(long = "document", value_name = "TEXT", default_values = ["banana", "bandana"])]
    pub documents: Vec<String>,
    /// The text to be surprised by
    #[arg(long, value_name = "TEXT", default_value = "band")]
    pub sentence: String,
}

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// Number of ids: 256 bytes, start and end.
    pub vocab_size: usize,
    /// The counted documents.
    pub documents: Vec<DocumentReport>,
    /// All pairs of neighbours in all documents.
    pub transitions: u64,
    /// How often each pair was seen.
    pub counts: Vec<PairCount>,
    /// Whether the probabilities after each id sum to one.
    pub row_sums: RowSums,
    /// The measured text.
    pub sentence: Sentence,
}

/// A document on its way to ids.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentReport {
    /// As it was given.
    pub text: String,
    /// Its UTF-8 bytes, 0 to 255.
    pub bytes: Vec<u8>,
    /// Start, every byte + 2, end.
    pub ids: Vec<TokenId>,
    /// Pairs of neighbours: one fewer than the ids.
    pub transitions: usize,
}

/// One cell of the table of counts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairCount {
    /// The first id of the pair, spelled.
    pub previous: String,
    /// The second id, spelled.
    pub next: String,
    /// How often the second followed the first.
    pub count: u64,
}

/// The sums of the probabilities of all ids, after each id in turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RowSums {
    /// How many rows were added up: one for each id that can stand before.
    pub rows: usize,
    /// The smallest sum.
    #[serde(serialize_with = "six_decimals")]
    pub smallest: f64,
    /// The largest sum.
    #[serde(serialize_with = "six_decimals")]
    pub largest: f64,
}

/// Runs the chapter. Reads nothing but `args` and prints nothing.
///
/// # Errors
/// If there is no document.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let tokenizer = Tokenizer::of_bytes();
    let named = |text: &String| Document::named_by_text(Partition::Train, text);
    let documents: Vec<Document> = args.documents.iter().map(named).collect();
    let documents = EncodedDocument::encode_all(&documents, &tokenizer)?;
    let model = BigramModel::fit(tokenizer.vocab_size(), &documents)?;

    let described = args.documents.iter().zip(&documents).map(|(text, encoded)| DocumentReport {
        text: text.clone(),
        bytes: text.clone().into_bytes(),
        ids: encoded.ids().to_vec(),
        transitions: encoded.target_count(),
    });
    let counts = model.counts().map(|(previous, next, count)| PairCount {
        previous: tokenizer.spelling(previous),
        next: tokenizer.spelling(next),
        count,
    });
    Ok(Report {
        chapter: "01-text-and-counts",
        vocab_size: tokenizer.vocab_size(),
        documents: described.collect(),
        transitions: model.transitions(),
        counts: counts.collect(),
        row_sums: add_up_rows(&model)?,
        sentence: sentence::score(&args.sentence, &tokenizer, &model)?,
    })
}

/// Adds up the probabilities of everything that can follow, for each id that can stand before.
fn add_up_rows(model: &BigramModel) -> anyhow::Result<RowSums> {
    let vocab_size = CountModel::vocab_size(model);
    let mut row = vec![0.0; vocab_size];
    let mut sums = RowSums { rows: 0, smallest: f64::INFINITY, largest: 0.0 };
    for previous in (0..).take(vocab_size) {
        model.fill_row(&[previous], &mut row)?;
        let sum = row.iter().copied().collect::<ExactSum>().value();
        sums.rows += 1;
        sums.smallest = sums.smallest.min(sum);
        sums.largest = sums.largest.max(sum);
    }
    Ok(sums)
}
