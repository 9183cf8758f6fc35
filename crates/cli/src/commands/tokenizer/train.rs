//! `llm tokenizer train`.

use std::path::PathBuf;

use clap::Args;
use practical::tokenizer::{
    FIRST_MERGE_ID, Pretokenizer, Tokenizer, TrainingConfig, WeightedDocument, train,
};
use serde::Serialize;

use crate::args::parse_name;
use crate::documents::{InputArgs, check_outputs, save, texts};
use crate::output::Report;

/// Learn a byte-level BPE tokenizer from documents
///
/// Every byte is a token, so any text can be encoded; the rest of the vocabulary are merges of
/// frequent neighbours.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tokenizer train --input texts/ --vocab-size 2000 --output tokenizer.json
  llm tokenizer train --input book.txt --vocab-size 500 --pretokenizer none --output t.json")]
pub(crate) struct TrainArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Ids of the vocabulary: 258 for the bytes and the two control tokens, the rest are merges
    #[arg(long, value_name = "V", value_parser = clap::value_parser!(u32).range(258..))]
    vocab_size: u32,
    /// How text is cut into pieces that merges do not cross: none, gpt2, gpt2_digits, llama3, qwen2
    #[arg(long, value_parser = parse_name::<Pretokenizer>, default_value = "gpt2")]
    pretokenizer: Pretokenizer,
    /// Do not merge pairs that are seen less often
    #[arg(long, value_name = "COUNT", default_value_t = 2)]
    minimum_count: u64,
    /// The tokenizer's file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Serialize)]
struct Trained {
    sha256: String,
    vocab_size: usize,
    merges: usize,
    documents: usize,
    bytes: usize,
    /// Tokens of the training text by this tokenizer, over its bytes.
    tokens_per_byte: Option<f64>,
}

pub(super) fn run(args: &TrainArgs) -> anyhow::Result<Report> {
    let output = Some(args.output.clone());
    check_outputs(&[("the input", Some(&args.input.input))], &[("the tokenizer", &output)])?;
    let texts = texts(args.input.read()?)?;
    let documents: Vec<_> = texts.iter().map(|(_, text)| WeightedDocument::once(text)).collect();
    let config = TrainingConfig {
        merges: (args.vocab_size - FIRST_MERGE_ID) as usize,
        minimum_count: args.minimum_count,
        pretokenizer: args.pretokenizer,
    };
    let tokenizer = Tokenizer::from_training(&train(&documents, &config)?, args.pretokenizer)?;
    save(&args.output, &tokenizer.to_json())?;
    let bytes: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut tokens = 0;
    for (_, text) in &texts {
        tokens += tokenizer.encode(text)?.len();
    }
    Report::new(&Trained {
        sha256: tokenizer.sha256().to_owned(),
        vocab_size: tokenizer.vocab_size(),
        merges: tokenizer.artifact().merges.len(),
        documents: texts.len(),
        bytes,
        tokens_per_byte: (bytes > 0).then(|| tokens as f64 / bytes as f64),
    })
}
