//! The result of a run, and how people read what happens on the way.

use std::fmt;

use serde::Serialize;

use super::data::{Data, DataRecord};
use super::folder::Folder;
use super::log::{Log, LookEvent};
use super::plan::Plan;

/// The result of a run.
#[derive(Debug, Serialize)]
pub(super) struct RunReport {
    updates: u64,
    /// Computed here and not before the run was interrupted.
    seconds: f64,
    targets_per_second: f64,
    parameters: usize,
    data: DataRecord,
    last: LastReport,
    /// Absent without validation documents.
    best: Option<BestReport>,
    /// How often the validation documents were looked at: the lowest of many losses is low by luck too.
    looks: usize,
    /// Digest of weights, optimizer and settings at the end.
    run_sha256: String,
    folder: String,
}

/// The model after the last update.
#[derive(Debug, Serialize)]
struct LastReport {
    model: String,
    model_sha256: String,
    /// Mean over the updates since the look before the last one, each before its step.
    train_nats_per_token: Option<f64>,
    validation_nats_per_token: Option<f64>,
    validation_bits_per_byte: Option<f64>,
}

/// The model with the lowest validation loss.
#[derive(Debug, Serialize)]
struct BestReport {
    model: String,
    selected_on: &'static str,
    update: u64,
    validation_nats_per_token: f64,
    validation_bits_per_byte: f64,
}

/// What only the end of a run knows.
pub(super) struct Ending {
    pub(super) parameters: usize,
    pub(super) model_sha256: String,
    pub(super) run_sha256: String,
    pub(super) seconds: f64,
    /// Learned from in these seconds.
    pub(super) targets: usize,
}

impl RunReport {
    pub(super) fn new(
        plan: &Plan,
        data: &Data,
        log: &Log,
        folder: &Folder,
        ending: Ending,
    ) -> Self {
        let name = |path: std::path::PathBuf| path.display().to_string();
        let last = log.looks.last();
        let validation = last.and_then(|look| look.validation);
        Self {
            updates: plan.training.updates,
            seconds: ending.seconds,
            targets_per_second: ending.targets as f64 / ending.seconds,
            parameters: ending.parameters,
            data: data.record.clone(),
            last: LastReport {
                model: name(folder.model()),
                model_sha256: ending.model_sha256,
                train_nats_per_token: last.and_then(|look| look.train_nats_per_token),
                validation_nats_per_token: validation.map(|v| v.nats_per_token),
                validation_bits_per_byte: validation.map(|v| v.bits_per_byte),
            },
            best: log.best().map(|(look, validation)| BestReport {
                model: name(folder.best()),
                selected_on: "validation",
                update: look.update,
                validation_nats_per_token: validation.nats_per_token,
                validation_bits_per_byte: validation.bits_per_byte,
            }),
            looks: log.looks.len(),
            run_sha256: ending.run_sha256,
            folder: folder.path().display().to_string(),
        }
    }
}

/// What people want to know first; the rest is in the JSON.
impl fmt::Display for RunReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { updates, seconds, parameters, data, last, best, looks, folder, .. } = self;
        let (train, held_out) = (&data.train, &data.validation);
        writeln!(
            f,
            "{updates} updates of a model with {parameters} parameters in {seconds:.1} s \
             ({:.0} targets/s)",
            self.targets_per_second
        )?;
        for (name, side) in [("training", train), ("validation", held_out)] {
            let (documents, bytes, targets) = (side.documents, side.bytes, side.targets);
            writeln!(f, "{name:<10}  {documents} documents, {bytes} bytes, {targets} targets")?;
        }
        if data.overlapping_documents > 0 {
            let count = data.overlapping_documents;
            writeln!(f, "careful: {count} validation documents stand in training, or nearly")?;
        }
        if let Some(loss) = last.train_nats_per_token {
            writeln!(f, "last        {loss:.4} nats per token on the latest training windows")?;
        }
        if let (Some(nats), Some(bits)) =
            (last.validation_nats_per_token, last.validation_bits_per_byte)
        {
            writeln!(
                f,
                "            {nats:.4} nats per token on validation, {bits:.4} bits per byte"
            )?;
        }
        writeln!(f, "            {}", last.model)?;
        if let Some(best) = best {
            let BestReport { update, validation_nats_per_token: nats, .. } = best;
            let bits = best.validation_bits_per_byte;
            writeln!(
                f,
                "best        {nats:.4} nats per token on validation, {bits:.4} bits per byte"
            )?;
            writeln!(
                f,
                "            at update {update}, selected on validation: the lowest of {looks} looks, so a \
                 little too low"
            )?;
            writeln!(f, "            {}", best.model)?;
        }
        writeln!(f, "everything  {folder}")
    }
}

/// A look, for people who watch: `update 100  train 3.2  validation 3.4 (2.1 bits per byte), best`.
impl fmt::Display for LookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "update {:>6}", self.update)?;
        if let Some(loss) = self.train_nats_per_token {
            write!(f, "  train {loss:.4}")?;
        }
        if let Some(validation) = self.validation {
            let (nats, bits) = (validation.nats_per_token, validation.bits_per_byte);
            write!(f, "  validation {nats:.4} nats per token, {bits:.4} bits per byte")?;
        }
        if self.best {
            f.write_str("  best so far")?;
        }
        if let Some(sample) = &self.sample {
            write!(f, "\n  {}", visible_line(sample))?;
        }
        Ok(())
    }
}

/// A text on one line, line ends as `⏎` and other control characters as blanks: a model can write what
/// it likes, also what moves the cursor.
fn visible_line(text: &str) -> String {
    let visible = |c: char| match c {
        '\n' => '⏎',
        c if c.is_control() => ' ',
        c => c,
    };
    text.chars().map(visible).collect()
}
