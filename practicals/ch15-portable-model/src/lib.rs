//! Chapter 15: one file for a model.
//!
//! A model that another process can use is weights, configuration and tokenizer together. In one file
//! they cannot be mixed up, and a digest over all of it is the model's name: whoever opens a file
//! with that name has that model, or an error.
//!
//! Read in this order: `layout` (the bytes of the file), `damage` (what is refused, and how), `setup`
//! (the model, and what another process does with it).
#![forbid(unsafe_code)]

mod damage;
mod layout;
mod setup;

pub use damage::{ChangedBytes, Damage, damages, try_changed_bytes};
pub use layout::{FilePart, layout};
pub use setup::{OpenedModel, open, trained_model};

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Parser, Subcommand};
use llm_from_scratch_practical::archive::PortableModel;
use serde::Serialize;

/// One file for a model: its bytes, its identity, and what is refused.
///
/// Prints one JSON object. Without a command, writes no file.
#[derive(Debug, Parser)]
#[command(version)]
pub struct Args {
    /// What to do instead
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Change every Nth byte of the file, one at a time; 1 takes minutes
    #[arg(long, default_value = "997", value_name = "N")]
    pub every: NonZeroUsize,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Train the chapter's model and save it
    Save(ModelFile),
    /// Open a saved model and let it write; trains nothing
    Open(ModelFile),
}

/// Option of both.
#[derive(Debug, clap::Args)]
pub struct ModelFile {
    /// The file
    #[arg(long, value_name = "PATH")]
    pub model: PathBuf,
}

/// The result of any command.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Report {
    /// Without a command.
    Inspection(Box<Inspection>),
    /// Of `save` and `open`.
    Model(OpenedModel),
}

/// A model's file, looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Inspection {
    /// Which chapter.
    pub chapter: &'static str,
    /// Identity of the content.
    pub model_sha256: String,
    /// What lies where.
    pub layout: Vec<FilePart>,
    /// Whether a model that was written and read has the bits, and the file, of the first.
    pub round_trip_is_equal: bool,
    /// Bytes changed one at a time.
    pub changed_bytes: ChangedBytes,
    /// Other damage, and what the reader is told.
    pub damage: Vec<Damage>,
}

/// Does what the command line says.
///
/// # Errors
/// A file that cannot be written or read, or is no model.
pub fn run(args: &Args) -> anyhow::Result<Report> {
    Ok(match &args.command {
        Some(Command::Save(file)) => {
            trained_model()?.save(&file.model)?;
            Report::Model(open(&file.model)?)
        }
        Some(Command::Open(file)) => Report::Model(open(&file.model)?),
        None => Report::Inspection(Box::new(inspect(args.every)?)),
    })
}

fn inspect(every: NonZeroUsize) -> anyhow::Result<Inspection> {
    let model = trained_model()?;
    let bytes = model.to_bytes();
    let again = PortableModel::<f64>::from_bytes(&bytes)?;
    Ok(Inspection {
        chapter: "15-portable-model",
        model_sha256: model.model_id().to_owned(),
        layout: layout(&bytes)?,
        round_trip_is_equal: again == model && again.to_bytes() == bytes,
        changed_bytes: try_changed_bytes(&bytes, every),
        damage: damages(&bytes)?,
    })
}
