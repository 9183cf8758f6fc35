//! Chapter 4: a frozen tokenizer, and batches with masks.
//!
//! Ids mean something only with the tokenizer that made them, so it is frozen into a file with an
//! identity before any document is encoded. Encoded documents have different lengths and a batch is a
//! rectangle, so some of its cells hold nothing; a mask says which targets count.
//!
//! Read in this order: `args` (the tokenizer's file), `run` below, `batches`, `refusals`.
#![forbid(unsafe_code)]

mod args;
mod batches;
mod refusals;

pub use args::Args;
pub use batches::BatchReport;
pub use refusals::refusals;

use std::collections::BTreeMap;

use llm_from_scratch_practical::corpus::{Document, EncodedDocument, Partition};
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer};
use serde::Serialize;

/// A text that looks like the names of the two control tokens.
const LOOKS_LIKE_CONTROL: &str = "<|bos|>ab<|eos|>";

/// What the program prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Report {
    /// Which chapter.
    pub chapter: &'static str,
    /// The frozen tokenizer.
    pub tokenizer: TokenizerReport,
    /// The documents as ids.
    pub documents: Vec<DocumentReport>,
    /// A text that looks like control tokens, as ids.
    pub looks_like_control: DocumentReport,
    /// How many of the 256 one-byte texts and of the 65,536 two-byte texts came back unchanged.
    pub texts_that_came_back: usize,
    /// The documents in rectangles.
    pub batches: Vec<BatchReport>,
    /// What is refused, and in which words.
    pub refusals: BTreeMap<&'static str, String>,
}

/// What a tokenizer consists of.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TokenizerReport {
    /// `chapter-4`, or the file.
    pub source: String,
    /// Number of ids.
    pub vocab_size: usize,
    /// The tokens that were learned, spelled, in the order of their ranks.
    pub merges: Vec<String>,
    /// Length of the file.
    pub artifact_bytes: usize,
    /// The identity: SHA-256 of the file.
    pub sha256: String,
}

/// A document as ids.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DocumentReport {
    /// The text.
    pub text: String,
    /// Start, text, end.
    pub ids: Vec<TokenId>,
    /// The same, spelled.
    pub tokens: String,
    /// How many of the ids are control tokens.
    pub control_ids: usize,
    /// Ids that are predicted: all but the first.
    pub targets: usize,
}

/// Runs the chapter. Reads and writes the tokenizer files that `args` names, and prints nothing.
///
/// # Errors
/// If the tokenizer's file is refused or cannot be written, or if a document cannot be encoded or
/// is longer than the capacity.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    let tokenizer = args.tokenizer()?;
    let documents: Vec<Document> =
        args.documents.iter().map(|text| Document::named_by_text(Partition::Train, text)).collect();
    let encoded = EncodedDocument::encode_all(&documents, &tokenizer)?;
    let described = args.documents.iter().map(|text| describe(text, &tokenizer));
    let report = Report {
        chapter: "04-masked-batches",
        documents: described.collect::<anyhow::Result<_>>()?,
        looks_like_control: describe(LOOKS_LIKE_CONTROL, &tokenizer)?,
        texts_that_came_back: round_trips(&tokenizer),
        batches: batches::build(&encoded, &tokenizer, args.capacity, args.rows)?,
        refusals: refusals()?,
        tokenizer: TokenizerReport {
            source: args.source(),
            vocab_size: tokenizer.vocab_size(),
            merges: tokenizer
                .artifact()
                .merges
                .iter()
                .map(|merge| tokenizer.spelling(merge.id))
                .collect(),
            artifact_bytes: tokenizer.to_json().len(),
            sha256: tokenizer.sha256().to_owned(),
        },
    };
    args.save(&tokenizer)?;
    Ok(report)
}

fn describe(text: &str, tokenizer: &Tokenizer) -> anyhow::Result<DocumentReport> {
    let ids = tokenizer.encode_document(text.as_bytes())?;
    let tokens: Vec<String> = ids.iter().map(|&id| tokenizer.spelling(id)).collect();
    Ok(DocumentReport {
        text: text.to_owned(),
        tokens: tokens.join(" "),
        control_ids: ids.iter().filter(|&&id| tokenizer.is_control(id)).count(),
        targets: ids.len().saturating_sub(1),
        ids,
    })
}

/// Encodes and decodes every text of one and of two bytes, valid UTF-8 or not, and counts those
/// that are the same afterwards.
fn round_trips(tokenizer: &Tokenizer) -> usize {
    let comes_back = |text: &[u8]| {
        let ids = tokenizer.encode_document(text);
        ids.and_then(|ids| tokenizer.decode_document(&ids)).is_ok_and(|decoded| decoded == text)
    };
    let one = (0..=u8::MAX).filter(|&byte| comes_back(&[byte])).count();
    let two = (0..=u16::MAX).filter(|number| comes_back(&number.to_be_bytes())).count();
    one + two
}
