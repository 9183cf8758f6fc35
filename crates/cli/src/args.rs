//! The command line.

use clap::{Args, Parser, value_parser};
use serde::de::DeserializeOwned;
use serde::de::value::{Error, StrDeserializer};

use crate::commands::Command;

/// Right numbers for your own text and models, with one command.
#[derive(Debug, Parser)]
#[command(name = "llm", version, arg_required_else_help = false)]
#[command(after_help = "\
Examples:
  llm tokenizer train --input texts/ --vocab-size 2000 --output tokenizer.json
  llm train --files book.txt --documents paragraphs --out tmp/book --updates 500
  llm evaluate --model tmp/book/best.safetensors --input other-book.txt
  llm generate --model tmp/book/best.safetensors --prompt 'Once upon'")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: GlobalArgs,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What can be said to every command, before or after its name.
#[derive(Debug, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct GlobalArgs {
    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Show no progress (it is shown on a terminal only)
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
    /// Threads to compute with [default: all]; no number depends on it
    #[arg(long, global = true, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,
}

/// A choice by the name that it has in files, for clap.
pub(crate) fn parse_name<T: DeserializeOwned>(name: &str) -> Result<T, Error> {
    T::deserialize(StrDeserializer::new(name))
}

#[cfg(test)]
mod tests;
