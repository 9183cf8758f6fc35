//! `llm import`: models that others trained.

use std::path::PathBuf;

use anyhow::anyhow;
use clap::{Args, Subcommand, ValueEnum};
use llm_chapter_kit::with_causes;
use practical::interop::InteropError;
use practical::interop::hugging_face::{self, ImportOptions};
use practical::tokenizer::TokenId;
use serde::Serialize;

use crate::documents::check_outputs;
use crate::model::WeightElement;
use crate::output::Report;

/// Make a model's file of a model from elsewhere
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm import hf SmolLM2-135M --output smollm2.llm")]
pub(crate) struct ImportArgs {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, Subcommand)]
enum From {
    Hf(HfArgs),
}

/// A Hugging Face folder of the Llama family
///
/// Reads config.json, model.safetensors (or its shards) and tokenizer.json. What the folder asks
/// for and this decoder cannot do is refused by name, never approximated.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm import hf SmolLM2-135M --output smollm2.llm
  llm import hf folder --output model.llm --no-tokenizer --dtype f64")]
struct HfArgs {
    /// The folder
    folder: PathBuf,
    /// The model's file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Leave the tokenizer; the model can then be scored on ids
    #[arg(long)]
    no_tokenizer: bool,
    /// Number format to compute in; weights of f16, bf16 and f32 fit both exactly
    #[arg(long, value_enum, default_value_t = Dtype::F32)]
    dtype: Dtype,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Dtype {
    F32,
    F64,
}

#[derive(Serialize)]
struct Imported {
    model_sha256: String,
    dtype: &'static str,
    parameters: usize,
    context: usize,
    vocab_size: usize,
    tokenizer_sha256: Option<String>,
    /// The folder's tokens for the ends of a document, and whether its tokenizer puts them there.
    start_token: Option<TokenId>,
    end_token: Option<TokenId>,
    prepends_start: bool,
    appends_end: bool,
    notes: Vec<String>,
}

pub(crate) fn run(args: &ImportArgs) -> anyhow::Result<Report> {
    let From::Hf(args) = &args.from;
    match args.dtype {
        Dtype::F32 => import::<f32>(args),
        Dtype::F64 => import::<f64>(args),
    }
}

fn import<E: WeightElement>(args: &HfArgs) -> anyhow::Result<Report> {
    let output = Some(args.output.clone());
    check_outputs(&[("the folder", Some(&args.folder))], &[("the model", &output)])?;
    let options = ImportOptions { tokenizer: !args.no_tokenizer };
    let imported = hugging_face::import::<E>(&args.folder, &options).map_err(with_way_out)?;
    let portable = imported.portable()?;
    portable.save(&args.output)?;
    let (config, ends) = (imported.model.config(), imported.boundaries);
    Report::new(&Imported {
        model_sha256: portable.model_id().to_owned(),
        dtype: E::NAME,
        parameters: config.parameter_count(),
        context: config.context_len,
        vocab_size: config.vocab_size,
        tokenizer_sha256: imported.tokenizer.map(|tokenizer| tokenizer.sha256().to_owned()),
        start_token: ends.start,
        end_token: ends.end,
        prepends_start: ends.prepends_start,
        appends_end: ends.appends_end,
        notes: imported.notes,
    })
}

/// Why a folder was refused, with the option that helps if its tokenizer is the reason.
fn with_way_out(error: InteropError) -> anyhow::Error {
    let is_about_tokenizer = error.is_about_tokenizer();
    let error = anyhow::Error::new(error);
    match is_about_tokenizer {
        true => anyhow!("{}; --no-tokenizer imports the model without it", with_causes(&error)),
        false => error,
    }
}
