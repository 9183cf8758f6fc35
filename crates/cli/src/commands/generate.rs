//! `llm generate`: text from a model.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use clap::Args;
use practical::model::{Decoding, Filters, GenerationConfig, ModelError, Stop};
use serde::Serialize;

use crate::documents::{StartChoice, start_token};
use crate::model::OpenModel;
use crate::output::{Console, Report, WrongUsage};

/// Continue a text
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm generate --model tiny.llm --prompt 'Once upon'
  llm generate --model tiny.llm --prompt 'Once upon' --temperature 0.8 --top-p 0.9 --seed 7
  llm generate --model tiny.llm --greedy --tokens 20 --json")]
pub(crate) struct GenerateArgs {
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// What stands before the new text
    #[arg(long, default_value = "")]
    prompt: String,
    /// Most new tokens
    #[arg(long, value_name = "N", default_value_t = 100)]
    tokens: usize,
    /// Always take the most likely token
    #[arg(long, conflicts_with_all = ["temperature", "top_k", "top_p"])]
    greedy: bool,
    /// Divide the logits by this: below 1 the likely becomes likelier
    #[arg(long, value_name = "T", default_value_t = 1.0)]
    temperature: f64,
    /// Choose among the K likeliest tokens
    #[arg(long, value_name = "K")]
    top_k: Option<usize>,
    /// Choose among the likeliest tokens that together have this probability
    #[arg(long, value_name = "P")]
    top_p: Option<f64>,
    /// Seed of the random numbers: the same seed gives the same text
    #[arg(long, default_value_t = 39)]
    seed: u64,
    /// What stands before the prompt [default: bos if the tokenizer begins documents, otherwise none]
    #[arg(long, value_enum)]
    start_token: Option<StartChoice>,
}

#[derive(Serialize)]
struct Generated {
    model_sha256: String,
    prompt: String,
    /// The new text; bytes that are no UTF-8 are shown as U+FFFD.
    text: String,
    ids: Vec<u32>,
    /// `end_token`, `max_new_tokens` or `capacity`.
    stop: &'static str,
}

pub(crate) fn run(args: &GenerateArgs, console: &Console) -> anyhow::Result<Report> {
    let model = OpenModel::load(&args.model)?;
    let tokenizer = model.text_tokenizer()?;
    let mut prompt = Vec::from_iter(start_token(args.start_token, tokenizer).id(tokenizer)?);
    prompt.extend(tokenizer.encode(args.prompt.as_bytes()).context("--prompt")?);
    let (given, most) = (prompt.len(), model.config().context_len);
    ensure!(
        (1..=most).contains(&given),
        "the prompt has {given} tokens, expected 1 to {most} (the model's context)"
    );
    let filters = Filters { temperature: args.temperature, top_k: args.top_k, top_p: args.top_p };
    let decoding = match args.greedy {
        true => Decoding::Greedy,
        false => Decoding::Sample { filters, seed: args.seed },
    };
    let config = GenerationConfig {
        decoding,
        end_token: tokenizer.end_token(),
        max_new_tokens: args.tokens,
    };
    let bar = console.bar(args.tokens as u64, "writing");
    let generation = model.generate(&prompt, &config, |_| bar.inc(1));
    let generation = generation.map_err(|error| match error {
        ModelError::InvalidConfig { .. } => WrongUsage::new(error.to_string()).into(),
        error => anyhow::Error::from(error),
    })?;
    bar.finish_and_clear();
    let new = tokenizer.decode(&generation.ids)?;
    let record = Generated {
        model_sha256: model.sha256.clone(),
        prompt: args.prompt.clone(),
        text: String::from_utf8_lossy(&new).into_owned(),
        stop: match generation.stop {
            Stop::EndToken => "end_token",
            Stop::MaxNewTokens => "max_new_tokens",
            Stop::Capacity => "capacity",
        },
        ids: generation.ids,
    };
    let text = [args.prompt.as_bytes(), &new, b"\n"].concat();
    Report::with_text(&record, text)
}
