//! `llm quantize`: a smaller file of a model, and what that costs.

use std::path::PathBuf;
use std::{fmt, fs};

use anyhow::bail;
use clap::{Args, ValueEnum};
use practical::archive::{MODEL_KIND, PortableElement, inspect};
use practical::model::DecoderModel;
use practical::quantization::{ErrorTable, QuantizedDecoder, QuantizedModel, WeightFormat};
use serde::Serialize;

use crate::documents::check_outputs;
use crate::model::{OpenModel, at, with_decoder};
use crate::output::Report;

/// Round the weights of a model to 8 or 4 bits
///
/// The new file is scored like any other; `llm compare` tells what rounding costs on your texts.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm quantize --model tiny.llm --weights int8 --output tiny-int8.llm
  llm quantize --model tiny.llm --weights int4 --output tiny-int4.llm --json")]
pub(crate) struct QuantizeArgs {
    /// The model's file
    #[arg(long, value_name = "FILE")]
    model: PathBuf,
    /// The form of the weights
    #[arg(long, value_enum)]
    weights: Form,
    /// The new file
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Form {
    /// One byte each, one scale for each output channel
    Int8,
    /// Half a byte each, one scale for each 32 inputs of an output channel
    Int4,
}

#[derive(Serialize)]
struct Quantized {
    from_sha256: String,
    sha256: String,
    weights: &'static str,
    bytes_before: u64,
    bytes_after: u64,
    tensors: Vec<Tensor>,
}

/// What rounding did to one tensor.
#[derive(Serialize)]
struct Tensor {
    name: String,
    bytes_before: u64,
    bytes_after: u64,
    largest_error: f64,
    /// Root of the mean squared error over that of the mean squared weight.
    relative_rms: f64,
}

pub(crate) fn run(args: &QuantizeArgs) -> anyhow::Result<Report> {
    let output = Some(args.output.clone());
    check_outputs(&[("the model", Some(&args.model))], &[("the new model", &output)])?;
    let header = inspect(&args.model).map_err(|error| at(&args.model, error))?;
    if header.kind() != MODEL_KIND {
        let (file, kind) = (args.model.display(), header.kind());
        bail!("{file} holds a {kind:?}: only a {MODEL_KIND:?} can be rounded");
    }
    let model = OpenModel::load(&args.model)?;
    with_decoder!(&model.weights, decoder => quantize(args, decoder, &model))
}

fn quantize<E: PortableElement>(
    args: &QuantizeArgs,
    decoder: &DecoderModel<E>,
    model: &OpenModel,
) -> anyhow::Result<Report> {
    let format = match args.weights {
        Form::Int8 => WeightFormat::Int8,
        Form::Int4 => WeightFormat::Int4,
    };
    let rounded = QuantizedDecoder::quantize(decoder, format)?;
    let errors = ErrorTable::new(decoder, &rounded)?;
    let mut quantized = QuantizedModel::new(rounded, &model.stored_tokenizer)?;
    if let Some(selection) = &model.selection {
        quantized = quantized.selected(selection.clone())?;
    }
    quantized.save(&args.output)?;
    let size = |path| fs::metadata(path).map(|metadata| metadata.len());
    let tensor = |error: practical::quantization::TensorError| Tensor {
        name: error.name,
        bytes_before: error.bytes_before,
        bytes_after: error.bytes_after,
        largest_error: error.max_abs,
        relative_rms: error.relative_rms,
    };
    let report = Quantized {
        from_sha256: model.sha256.clone(),
        sha256: quantized.model_id().to_owned(),
        weights: format.name(),
        bytes_before: size(&args.model)?,
        bytes_after: size(&args.output)?,
        tensors: errors.tensors.into_iter().map(tensor).collect(),
    };
    Report::with_text(&report, report.to_string())
}

impl fmt::Display for Quantized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.tensors.iter().map(|tensor| tensor.name.len()).max().unwrap_or(0);
        writeln!(f, "{:width$}  {:>12}  {:>12}  relative error", "tensor", "bytes", self.weights)?;
        for Tensor { name, bytes_before, bytes_after, relative_rms, .. } in &self.tensors {
            writeln!(f, "{name:width$}  {bytes_before:>12}  {bytes_after:>12}  {relative_rms:.6}")?;
        }
        let Self { bytes_before, bytes_after, sha256, .. } = self;
        writeln!(f, "{:width$}  {bytes_before:>12}  {bytes_after:>12}", "file")?;
        writeln!(f, "sha256 {sha256}")
    }
}
