//! The command line.

use anyhow::ensure;
use clap::{Parser, ValueEnum};
use llm_from_scratch_practical::tokenizer::{Pretokenizer, TrainingConfig, WeightedDocument};

/// Learn which bytes to read together from the pairs that are most frequent in some documents.
///
/// Prints one JSON object. Fractions are rounded to six decimals only here.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// A text to learn from; give the option several times for several documents
    #[arg(long = "document", value_name = "TEXT", default_values = ["abab", "abac"])]
    pub documents: Vec<String>,
    /// How often each document counts, separated by commas; every document once if nothing is said
    #[arg(long, value_name = "N", value_delimiter = ',')]
    pub weights: Vec<u64>,
    /// Most merges to learn
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(..=1000))]
    pub merges: u16,
    /// Fewest times that a pair must be counted to be merged
    #[arg(long, value_name = "N", default_value = "1")]
    pub minimum_count: u64,
    /// How documents are cut into pieces first
    #[arg(long, value_enum, default_value_t = Rule::None)]
    pub pretokenizer: Rule,
    /// A text to encode with what was learned
    #[arg(long, value_name = "TEXT", default_value = "acac")]
    pub held_out: String,
}

/// A rule that cuts documents into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Rule {
    /// A document is one piece
    None,
    /// Words with the space before them, numbers and punctuation are pieces of their own
    Gpt2,
}

impl From<Rule> for Pretokenizer {
    fn from(rule: Rule) -> Self {
        match rule {
            Rule::None => Self::None,
            Rule::Gpt2 => Self::Gpt2,
        }
    }
}

impl Args {
    /// What is to be learned.
    pub(crate) fn config(&self) -> TrainingConfig {
        TrainingConfig {
            merges: usize::from(self.merges),
            minimum_count: self.minimum_count,
            pretokenizer: self.pretokenizer.into(),
        }
    }

    /// The documents with their weights.
    pub(crate) fn weighted(&self) -> anyhow::Result<Vec<WeightedDocument<'_>>> {
        let (documents, weights) = (self.documents.len(), self.weights.len());
        ensure!(
            weights == 0 || weights == documents,
            "{weights} weights for {documents} documents, expected one weight for each or none"
        );
        let weights = self.weights.iter().copied().chain(std::iter::repeat(1));
        let texts = self.documents.iter().map(String::as_bytes);
        Ok(texts.zip(weights).map(|(text, weight)| WeightedDocument { text, weight }).collect())
    }
}
