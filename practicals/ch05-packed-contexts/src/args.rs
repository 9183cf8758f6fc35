//! The command line.

use anyhow::ensure;
use clap::Parser;
use llm_from_scratch_practical::corpus::{CorpusError, Document, EncodedDocument, Partition};
use llm_from_scratch_practical::tokenizer::chapter_four_tokenizer;

/// Most inputs of all documents together: every one of them is changed once, and the model asked.
const MOST_INPUTS: usize = 128;

/// Most inputs of the long document: all of its windows are printed.
const MOST_LONG_INPUTS: usize = 1024;

/// Pack documents into rows, and show that a model keeps them apart.
///
/// Prints one JSON object. Losses are nats, rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A text; give the option several times for several documents
    #[arg(long = "document", value_name = "TEXT", default_values = ["abaa", "baa", "ab", "b"])]
    pub documents: Vec<String>,
    /// A text that is cut into windows
    #[arg(long, value_name = "TEXT", default_value = "abbaabbaabba")]
    pub long_document: String,
    /// Most inputs in one row
    #[arg(long, value_name = "N", default_value = "8")]
    pub capacity: usize,
    /// Seed of the untrained decoder that reads the rows
    #[arg(long, value_name = "N", default_value = "39")]
    pub seed: u64,
}

impl Args {
    /// The documents as ids.
    pub(crate) fn encoded(&self) -> anyhow::Result<Vec<EncodedDocument>> {
        let documents: Vec<EncodedDocument> =
            self.documents.iter().map(|text| encode(text)).collect::<Result<_, _>>()?;
        let inputs: usize = documents.iter().map(EncodedDocument::target_count).sum();
        ensure!(
            inputs <= MOST_INPUTS,
            "the documents have {inputs} inputs, expected at most {MOST_INPUTS} together: give \
             fewer or shorter ones"
        );
        Ok(documents)
    }

    /// The document that is cut, as ids.
    pub(crate) fn encoded_long(&self) -> anyhow::Result<EncodedDocument> {
        let document = encode(&self.long_document)?;
        let inputs = document.target_count();
        ensure!(
            inputs <= MOST_LONG_INPUTS,
            "the long document has {inputs} inputs, expected at most {MOST_LONG_INPUTS}: give a \
             shorter one"
        );
        Ok(document)
    }
}

/// A text in the frame of the chapter-4 tokenizer.
pub(crate) fn encode(text: &str) -> Result<EncodedDocument, CorpusError> {
    let document = Document::new(text, Partition::Validation, text);
    EncodedDocument::encode(&document, &chapter_four_tokenizer())
}
