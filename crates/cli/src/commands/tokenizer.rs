//! `llm tokenizer`: learn one, use one, look at one.

mod inspect;
mod text;
mod train;

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::Context;
use clap::{Args, Subcommand};
use llm_chapter_kit::read_at_most;
use practical::tokenizer::{MAX_ARTIFACT_BYTES, Tokenizer};

use crate::model::OpenModel;
use crate::output::Report;

/// Train a tokenizer, encode and decode with it, show what is in it
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm tokenizer train --input texts/ --vocab-size 2000 --output tokenizer.json
  llm tokenizer inspect tokenizer.json")]
pub(crate) struct TokenizerArgs {
    #[command(subcommand)]
    command: TokenizerCommand,
}

#[derive(Debug, Subcommand)]
enum TokenizerCommand {
    Train(train::TrainArgs),
    Encode(text::EncodeArgs),
    Decode(text::DecodeArgs),
    Inspect(inspect::InspectArgs),
}

pub(crate) fn run(args: &TokenizerArgs) -> anyhow::Result<Report> {
    match &args.command {
        TokenizerCommand::Train(args) => train::run(args),
        TokenizerCommand::Encode(args) => text::encode(args),
        TokenizerCommand::Decode(args) => text::decode(args),
        TokenizerCommand::Inspect(args) => inspect::run(args),
    }
}

/// A tokenizer from its own file, or the one in a model's file.
fn open(path: &Path) -> anyhow::Result<Tokenizer> {
    let mut first = [0];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    read.with_context(|| format!("cannot read {}", path.display()))?;
    // A model's file begins with the length of its header, a multiple of 8, which `{` is not.
    if first != *b"{" {
        return Ok(OpenModel::load(path)?.text_tokenizer()?.clone());
    }
    read_artifact(path)
}

/// A tokenizer from its own file.
pub(crate) fn read_artifact(path: &Path) -> anyhow::Result<Tokenizer> {
    let json = read_at_most(path, MAX_ARTIFACT_BYTES as u64)?;
    Tokenizer::from_json(&json).with_context(|| path.display().to_string())
}
