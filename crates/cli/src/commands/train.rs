//! `llm train`: a model from somebody's own text.
//!
//! | module | idea |
//! | --- | --- |
//! | `settings` | what can be said, in a file and by flags |
//! | `plan` | the same complete and checked |
//! | `documents`, `cut` | files become documents |
//! | `data` | what the sides share, the tokenizer, the windows |
//! | `folder` | the files that a run writes |
//! | `session` | updates, looks at the validation documents, checkpoints |
//! | `log` | what happened, as JSON lines |
//! | `figure` | the losses as a picture |
//! | `memory` | what a run takes, before it takes it |
//! | `dry_run` | parameters, memory and time, before anything is written |
//! | `report` | the result |

mod cut;
mod data;
mod documents;
mod dry_run;
mod figure;
mod folder;
mod log;
mod look;
mod memory;
mod plan;
mod report;
mod session;
mod settings;

use std::path::PathBuf;

use clap::Args;
use practical::archive::PortableElement;
use practical::model::{DecoderConfig, ValidConfig};

use crate::output::{Console, Report, WrongUsage};
use data::{Corpus, Data};
use folder::Folder;
use memory::Memory;
use plan::Plan;
use session::Session;
use settings::{Dtype, Settings};

/// Train a model on your own text
///
/// Splits the documents into training and validation, trains a tokenizer on the training documents,
/// trains a decoder, and looks at the validation documents on the way. All settings can stand in a
/// TOML file; a flag replaces the setting of its name. The folder of the results has the last model
/// (model.safetensors), the best one (best.safetensors, chosen by its loss on the validation
/// documents and labelled so), the tokenizer, the list of documents, a log and a picture of the losses.
///
/// Ctrl-C finishes the update, writes a checkpoint and stops; --resume goes on to the same bits as if
/// nothing had happened.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  llm train --config run.toml
  llm train --config run.toml --dry-run
  llm train --config run.toml --resume
  llm train --files book.txt --documents paragraphs --out tmp/book --updates 500
  llm train --config run.toml --preset small --peak-rate 0.001 --out tmp/small")]
pub(crate) struct TrainArgs {
    /// Settings in a TOML file; paths in it start at its folder
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Go on from the checkpoint in the folder of the results, if there is one
    #[arg(long)]
    resume: bool,
    /// Only show what would be done: parameters, memory, time measured on a few updates
    #[arg(long, conflicts_with = "resume")]
    dry_run: bool,
    #[command(flatten)]
    settings: Settings,
}

/// Does what was asked for.
pub(crate) fn run(args: &TrainArgs, console: &Console) -> anyhow::Result<Report> {
    let settings = Settings::load(args.config.as_deref(), &args.settings)?;
    let plan = Plan::new(settings).map_err(|error| match args.config {
        Some(_) => error,
        None => WrongUsage::new(format!("{error:#}")).into(), // all of it is the command line
    })?;
    match plan.dtype {
        Dtype::F32 => train_as::<f32>(plan, args, console),
        Dtype::F64 => train_as::<f64>(plan, args, console),
    }
}

/// The same with weights of type `E`.
fn train_as<E: PortableElement>(
    mut plan: Plan,
    args: &TrainArgs,
    console: &Console,
) -> anyhow::Result<Report> {
    if args.dry_run {
        let data = Data::new(Corpus::read(&plan, console)?, &plan, console)?;
        let model = sizes(&mut plan, &data)?;
        return dry_run::dry_run::<E>(&plan, &data, model);
    }
    let folder = Folder::at(&plan.out, args.resume)?;
    let corpus = Corpus::read(&plan, console)?;
    folder.demand_same_documents(&corpus.documents)?;
    let data = Data::new(corpus, &plan, console)?;
    folder.demand_same_tokenizer(&data.tokenizer)?;
    let model = sizes(&mut plan, &data)?;
    Memory::estimate::<E>(&plan, &data, &model).demand()?;
    Session::<E>::start(&plan, &data, model, folder)?.train(console)
}

/// The sizes of the model, now that there is a vocabulary.
fn sizes(plan: &mut Plan, data: &Data) -> anyhow::Result<ValidConfig> {
    plan.model = DecoderConfig { vocab_size: data.tokenizer.vocab_size(), ..plan.model };
    Ok(plan.model.validate()?)
}
