//! `llm inspect`: what a file says about itself, without reading its data.

use std::path::PathBuf;

use clap::Args;
use practical::archive::{Header, inspect, verify};
use serde::Serialize;
use serde_json::Value;

use crate::model::at;
use crate::output::{Console, Report};

/// Show what is in a model's file: sizes, shapes, the declared identity
///
/// Only the header is read, so this takes no time for a file of any size. The identity is then the
/// declared one; --verify reads the data and checks it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm inspect tiny.llm
  llm inspect tiny.llm --verify --json")]
pub(crate) struct InspectArgs {
    /// A model or any other file of this program
    file: PathBuf,
    /// Read all data and check that the identity is the declared one
    #[arg(long)]
    verify: bool,
}

#[derive(Serialize)]
struct Inspection {
    /// What the file holds: `model`, `quantized-model`, a checkpoint.
    kind: String,
    sha256: String,
    /// Whether all data was read and has this digest.
    verified: bool,
    /// Elements of all tensors. Of a quantized model these are codes and scales.
    elements: usize,
    data_bytes: u64,
    /// What is stored beside the tensors; of a tokenizer only its size.
    metadata: Value,
    tensors: Vec<Tensor>,
}

#[derive(Serialize)]
struct Tensor {
    name: String,
    dtype: &'static str,
    shape: String,
    bytes: u64,
}

pub(crate) fn run(args: &InspectArgs, console: &Console) -> anyhow::Result<Report> {
    let path = &args.file;
    let mut header = inspect(path).map_err(|error| at(path, error))?;
    if args.verify {
        let bar = console.bar(header.data_len(), "verifying");
        header = verify(path, |bytes| bar.inc(bytes)).map_err(|error| at(path, error))?;
        bar.finish_and_clear();
    }
    Report::new(&Inspection::new(&header, args.verify)?)
}

impl Inspection {
    fn new(header: &Header, verified: bool) -> anyhow::Result<Self> {
        let mut metadata: Value = header.metadata()?;
        shorten_tokenizers(&mut metadata);
        let tensor = |info: &practical::archive::TensorInfo| Tensor {
            name: info.name().to_owned(),
            dtype: info.dtype().name(),
            shape: format!("{:?}", info.shape()),
            bytes: info.byte_len(),
        };
        Ok(Self {
            kind: header.kind().to_owned(),
            sha256: header.content_sha256().to_owned(),
            verified,
            elements: header.tensors().iter().map(|info| info.element_count()).sum(),
            data_bytes: header.data_len(),
            metadata,
            tensors: header.tensors().iter().map(tensor).collect(),
        })
    }
}

/// Puts the number of its merges in the place of each list of merges, and so on: a vocabulary would
/// fill the screen a thousand times.
fn shorten_tokenizers(metadata: &mut Value) {
    const SHOWN: usize = 32;
    match metadata {
        Value::Array(items) if items.len() > SHOWN => {
            *metadata = Value::String(format!("{} entries", items.len()));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten_tokenizers),
        Value::Object(fields) => fields.values_mut().for_each(shorten_tokenizers),
        _ => {}
    }
}
