//! `llm export`: a model for the tools of the field.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use practical::interop::gguf::{self, Quantization};
use practical::interop::hugging_face;
use serde::Serialize;

use crate::documents::check_outputs;
use crate::model::{OpenModel, with_decoder};
use crate::output::Report;

/// Write a model in a form that other programs open
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm export hf folder --model tiny.llm
  llm export gguf tiny.gguf --model tiny.llm")]
pub(crate) struct ExportArgs {
    #[command(subcommand)]
    to: To,
}

#[derive(Debug, Subcommand)]
enum To {
    Hf(HfArgs),
    Gguf(GgufArgs),
}

/// A Hugging Face folder that transformers opens as LlamaForCausalLM
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm export hf folder --model tiny.llm")]
struct HfArgs {
    /// The folder, new or empty
    folder: PathBuf,
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
}

/// A GGUF file for llama.cpp
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm export gguf tiny.gguf --model tiny.llm
  llm export gguf tiny-q8.gguf --model tiny.llm --weights q8_0")]
struct GgufArgs {
    /// The new file
    file: PathBuf,
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The form of the weight matrices
    #[arg(long, value_enum, default_value_t = Form::F32)]
    weights: Form,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// 32-bit floats
    F32,
    /// Blocks of 32 codes of 8 bits
    #[value(name = "q8_0")]
    Q8,
    /// Blocks of 32 codes of 4 bits
    #[value(name = "q4_0")]
    Q4,
}

#[derive(Serialize)]
struct Exported {
    model_sha256: String,
    /// Whether the other program can encode text with what was written.
    has_tokenizer: bool,
    /// Matrices whose rows are not divisible by the block size; of GGUF files only.
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors_left_in_f32: Option<Vec<String>>,
    /// Where the other program behaves differently, one sentence each.
    notes: Vec<String>,
}

pub(crate) fn run(args: &ExportArgs) -> anyhow::Result<Report> {
    match &args.to {
        To::Hf(args) => hf(args),
        To::Gguf(args) => gguf(args),
    }
}

fn hf(args: &HfArgs) -> anyhow::Result<Report> {
    let model = OpenModel::load(&args.model)?;
    let tokenizer = model.tokenizer();
    let exported = with_decoder!(&model.weights, decoder => {
        hugging_face::export(decoder, tokenizer, &args.folder)?
    });
    Report::new(&Exported {
        has_tokenizer: tokenizer.is_some(),
        model_sha256: model.sha256,
        tensors_left_in_f32: None,
        notes: exported.notes,
    })
}

fn gguf(args: &GgufArgs) -> anyhow::Result<Report> {
    let output = Some(args.file.clone());
    check_outputs(&[("the model", Some(&args.model))], &[("the export", &output)])?;
    let model = OpenModel::load(&args.model)?;
    let tokenizer = model.tokenizer();
    let form = match args.weights {
        Form::F32 => Quantization::F32,
        Form::Q8 => Quantization::Q8_0,
        Form::Q4 => Quantization::Q4_0,
    };
    let exported = with_decoder!(&model.weights, decoder => {
        gguf::export(decoder, tokenizer, &args.file, form)?
    });
    Report::new(&Exported {
        model_sha256: model.sha256,
        has_tokenizer: exported.has_tokenizer,
        tensors_left_in_f32: Some(exported.tensors_left_in_f32),
        notes: exported.notes,
    })
}
