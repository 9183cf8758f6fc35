//! `llm tokenizer encode` and `decode`.

use std::io::Read;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use practical::tokenizer::TokenId;
use serde::Serialize;

use super::open;
use crate::documents::{InputArgs, texts};
use crate::output::Report;

/// Print the ids of texts, one line for each document
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tokenizer encode tokenizer.json --input book.txt
  echo hello | llm tokenizer encode tiny.llm --input - --document --json")]
pub(crate) struct EncodeArgs {
    /// The tokenizer's file, or a model's
    tokenizer: PathBuf,
    #[command(flatten)]
    input: InputArgs,
    /// Put start and end token around each text, as far as the tokenizer does
    #[arg(long)]
    document: bool,
}

#[derive(Serialize)]
struct Encoded {
    tokenizer_sha256: String,
    documents: Vec<EncodedText>,
}

#[derive(Serialize)]
struct EncodedText {
    id: String,
    bytes: usize,
    ids: Vec<TokenId>,
    /// The tokens as people write them, spaces as ␣ and other bytes escaped.
    tokens: Vec<String>,
}

pub(super) fn encode(args: &EncodeArgs) -> anyhow::Result<Report> {
    let tokenizer = open(&args.tokenizer)?;
    let mut documents = Vec::new();
    for (id, text) in texts(args.input.read()?)? {
        let ids = match args.document {
            true => tokenizer.encode_document(&text),
            false => tokenizer.encode(&text),
        };
        let ids = ids.with_context(|| format!("document `{id}`"))?;
        let tokens = ids.iter().map(|&id| tokenizer.spelling(id)).collect();
        documents.push(EncodedText { id, bytes: text.len(), ids, tokens });
    }
    let line = |document: &EncodedText| {
        let ids: Vec<String> = document.ids.iter().map(ToString::to_string).collect();
        ids.join(" ") + "\n"
    };
    let text: String = documents.iter().map(line).collect();
    let encoded = Encoded { tokenizer_sha256: tokenizer.sha256().to_owned(), documents };
    Report::with_text(&encoded, text)
}

/// Print the bytes that ids stand for, exactly
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tokenizer decode tokenizer.json 74 103 110
  llm tokenizer encode tokenizer.json --input a.txt | llm tokenizer decode tokenizer.json > b.txt")]
pub(crate) struct DecodeArgs {
    /// The tokenizer's file, or a model's
    tokenizer: PathBuf,
    /// Ids; without any they are read from standard input, separated by white space
    ids: Vec<TokenId>,
}

#[derive(Serialize)]
struct Decoded {
    ids: Vec<TokenId>,
    /// Bytes that are no UTF-8 are shown as U+FFFD; without --json the exact bytes are printed.
    text: String,
    bytes: usize,
}

pub(super) fn decode(args: &DecodeArgs) -> anyhow::Result<Report> {
    let tokenizer = open(&args.tokenizer)?;
    let mut ids = args.ids.clone();
    if ids.is_empty() {
        let mut given = String::new();
        std::io::stdin().lock().read_to_string(&mut given).context("standard input")?;
        for (place, word) in given.split_whitespace().enumerate() {
            let expected = || format!("standard input: word {} is {word:?}, no id", place + 1);
            ids.push(word.parse().with_context(expected)?);
        }
    }
    let text = tokenizer.decode(&ids)?;
    let decoded = Decoded { ids, bytes: text.len(), text: String::from_utf8_lossy(&text).into() };
    Report::with_text(&decoded, text)
}
