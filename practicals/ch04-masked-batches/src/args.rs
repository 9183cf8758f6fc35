//! The command line, and the tokenizer's file.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use llm_chapter_kit::read_at_most;
use llm_from_scratch_practical::archive::write_atomically;
use llm_from_scratch_practical::tokenizer::{
    MAX_ARTIFACT_BYTES, Tokenizer, chapter_four_tokenizer,
};

/// Encode documents with a frozen tokenizer and put them into batches with masks.
///
/// Prints one JSON object. Fractions are rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A text; give the option several times for several documents
    #[arg(
        long = "document",
        value_name = "TEXT",
        default_values = ["then there", "aaab", "b"]
    )]
    pub documents: Vec<String>,
    /// Most documents in one batch, one in each row
    #[arg(long, value_name = "N", default_value = "2")]
    pub rows: NonZeroUsize,
    /// Most inputs in one row
    #[arg(long, value_name = "N", default_value = "16")]
    pub capacity: usize,
    /// Write the tokenizer to this file
    #[arg(long, value_name = "PATH")]
    pub save_tokenizer: Option<PathBuf>,
    /// Use the tokenizer in this file instead of the chapter's own
    #[arg(long, value_name = "PATH")]
    pub load_tokenizer: Option<PathBuf>,
}

impl Args {
    /// Where the tokenizer comes from, in words.
    pub(crate) fn source(&self) -> String {
        let file = self.load_tokenizer.as_ref();
        file.map_or("chapter-4".to_owned(), |path| path.display().to_string())
    }

    /// The tokenizer, checked.
    pub(crate) fn tokenizer(&self) -> anyhow::Result<Tokenizer> {
        let Some(path) = &self.load_tokenizer else { return Ok(chapter_four_tokenizer()) };
        Tokenizer::from_json(&read_at_most(path, MAX_ARTIFACT_BYTES as u64)?)
            .with_context(|| format!("cannot use the tokenizer {}", path.display()))
    }

    /// Writes the tokenizer if that was asked for.
    pub(crate) fn save(&self, tokenizer: &Tokenizer) -> anyhow::Result<()> {
        let Some(path) = &self.save_tokenizer else { return Ok(()) };
        Ok(write_atomically(path, |file| file.write_all(&tokenizer.to_json()))?)
    }
}
