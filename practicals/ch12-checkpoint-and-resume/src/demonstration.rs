//! One run in one piece, the same run interrupted, and runs from checkpoints that lack something.

use std::fs;
use std::path::Path;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::archive::inspect;
use llm_from_scratch_practical::trainer::Run;
use serde::Serialize;
use serde_json::Value;

use crate::{Part, Setup, forget};

/// Updates of every run.
const UPDATES: u64 = 40;
/// Updates between checkpoints.
const EVERY: u64 = 5;
/// Where the interrupted run dies: two updates behind its third checkpoint.
const INTERRUPTED_AT: u64 = 17;

/// What the chapter shows.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demonstration {
    /// Which chapter.
    pub chapter: &'static str,
    /// The checkpoint that the interrupted run left behind.
    pub checkpoint: CheckpointContent,
    /// Updates that were made and lost.
    pub lost_updates: u64,
    /// Identity of the run in one piece, behind its last update.
    pub uninterrupted_sha256: String,
    /// Identity of the run that went on from the checkpoint.
    pub resumed_sha256: String,
    /// How runs ended that went on from it, with all of it and without a part.
    pub endings: Vec<Ending>,
}

/// What a checkpoint holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CheckpointContent {
    /// Updates made.
    pub updates: u64,
    /// Number of the pass over the documents, from 0.
    pub epoch: u64,
    /// Documents of that pass that were taken.
    pub documents_taken: u64,
    /// Mask elements that dropout has drawn.
    pub dropout_drawn: u64,
    /// Products of all beta1 and of all beta2.
    pub powers: [f64; 2],
    /// Weights and two moments for each parameter.
    pub tensors: usize,
    /// Their bytes.
    pub tensor_bytes: u64,
    /// Bytes of the file: the tensors and the header.
    pub file_bytes: u64,
    /// Identity of the tokenizer.
    pub tokenizer_sha256: String,
    /// Identity of the documents in their order.
    pub documents_sha256: String,
}

/// The end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ending {
    /// What was missing in the checkpoint; nothing in the first.
    pub forgotten: Option<Part>,
    /// Updates made behind the checkpoint.
    pub more_updates: u64,
    /// Loss of the training documents, nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Whether the identity is that of the run in one piece.
    pub same_bits: bool,
}

/// Runs all of it in a temporary folder.
///
/// # Errors
/// No place for temporary files.
pub fn demonstrate() -> anyhow::Result<Demonstration> {
    let setup = Setup::new(UPDATES)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("run.safetensors");

    let mut whole = setup.start()?;
    update_until(&mut whole, UPDATES)?;
    let uninterrupted_sha256 = whole.identity()?;

    let mut killed = setup.start()?;
    while killed.trainer().updates() < INTERRUPTED_AT {
        killed.update()?;
        if killed.trainer().updates().is_multiple_of(EVERY) {
            killed.save(&path)?;
        }
    }
    drop(killed); // all that is left of it is the file

    let checkpoint = content(&path)?;
    let mut resumed = setup.resume(&path)?;
    update_until(&mut resumed, UPDATES)?;

    let parts = [Part::Moments, Part::BiasCorrections, Part::UpdateCount, Part::DataOrder];
    let mut endings = Vec::new();
    for forgotten in std::iter::once(None).chain(parts.map(Some)) {
        let copy = folder.path().join("copy.safetensors");
        fs::copy(&path, &copy)?;
        if let Some(part) = forgotten {
            forget(part, &copy)?;
        }
        let mut run = setup.resume(&copy)?;
        let more_updates = UPDATES - run.trainer().updates();
        update_until(&mut run, UPDATES)?;
        let mean_nll = setup.mean_nll(run.trainer().model())?;
        let same_bits = run.identity()? == uninterrupted_sha256;
        endings.push(Ending { forgotten, more_updates, mean_nll, same_bits });
    }
    Ok(Demonstration {
        chapter: "12-checkpoint-and-resume",
        lost_updates: INTERRUPTED_AT - checkpoint.updates,
        checkpoint,
        uninterrupted_sha256,
        resumed_sha256: resumed.identity()?,
        endings,
    })
}

fn update_until(run: &mut Run<'_, f32>, updates: u64) -> anyhow::Result<()> {
    while run.trainer().updates() < updates {
        run.update()?;
    }
    Ok(())
}

/// Reads what the header of a checkpoint says.
fn content(path: &Path) -> anyhow::Result<CheckpointContent> {
    /// The part of the metadata that is shown; the rest is the configuration.
    #[derive(serde::Deserialize)]
    struct Metadata {
        progress: Value,
        run: Value,
    }
    let header = inspect(path)?;
    let Metadata { progress, run } = header.metadata()?;
    let text = |key: &str| run[key].as_str().unwrap_or_default().to_owned();
    let count = |key: &str| progress[key].as_u64().unwrap_or_default();
    Ok(CheckpointContent {
        updates: count("updates"),
        epoch: count("epoch"),
        documents_taken: count("taken"),
        dropout_drawn: count("dropout_drawn"),
        powers: serde_json::from_value(progress["powers"].clone())?,
        tensors: header.tensors().len(),
        tensor_bytes: header.data_len(),
        file_bytes: fs::metadata(path)?.len(),
        tokenizer_sha256: text("tokenizer_sha256"),
        documents_sha256: text("documents_sha256"),
    })
}
