//! What happened in a run, one JSON object per line.
//!
//! A run that goes on cuts off what is behind its checkpoint and then writes the same lines again, but
//! for the seconds. So the log of a run that was killed is the log of one that was not.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};

use anyhow::{Context, ensure};
use practical::metrics::ExactSum;
use practical::trainer::UpdateReport;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The log of a run: as a file, and what the picture and the choice of the best model need of it.
pub(super) struct Log {
    file: File,
    pub(super) updates: Vec<UpdateEvent>,
    pub(super) looks: Vec<LookEvent>,
}

/// One update.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct UpdateEvent {
    /// Updates made, this one included.
    pub(super) update: u64,
    /// Sum of the losses of its targets before the step.
    pub(super) nats: f64,
    pub(super) targets: usize,
    pub(super) nats_per_token: f64,
    /// Before clipping.
    pub(super) gradient_norm: f64,
    pub(super) clipped: bool,
    pub(super) rate: f64,
    pub(super) seconds: f64,
}

/// One look at the model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LookEvent {
    /// Updates made.
    pub(super) update: u64,
    /// Mean loss of the updates since the look before, each with the weights before its step; absent
    /// before the first update.
    pub(super) train_nats_per_token: Option<f64>,
    /// Absent without validation documents.
    pub(super) validation: Option<Validation>,
    /// Whether the validation loss is the lowest so far.
    pub(super) best: bool,
    /// The prompt and what the model writes behind it.
    pub(super) sample: Option<String>,
    pub(super) seconds: f64,
}

/// The loss on the validation documents.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Validation {
    pub(super) nats_per_token: f64,
    pub(super) bits_per_byte: f64,
}

/// A line of the file.
#[derive(Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    /// The first line: the plan and the data.
    Start {
        run: Value,
    },
    Update(UpdateEvent),
    Look(LookEvent),
}

impl Log {
    /// An empty log with the plan and the data at its head.
    pub(super) fn start(file: File, run: Value) -> anyhow::Result<Self> {
        file.set_len(0)?;
        let mut log = Self { file, updates: Vec::new(), looks: Vec::new() };
        log.write(&Event::Start { run })?;
        Ok(log)
    }

    /// The log up to `update`; what came later, or is no whole line, is cut off.
    ///
    /// # Errors
    /// If it does not reach so far. Then nobody knows which of the earlier models was the best.
    pub(super) fn resume(mut file: File, update: u64) -> anyhow::Result<Self> {
        let (mut updates, mut looks, mut kept) = (Vec::new(), Vec::new(), 0);
        file.rewind()?;
        let mut lines = BufReader::new(&file);
        let mut line = Vec::new();
        while lines.read_until(b'\n', &mut line).context("cannot read the log")? > 0 {
            if !line.ends_with(b"\n") {
                break;
            }
            match serde_json::from_slice(&line) {
                Ok(Event::Start { .. }) => {}
                Ok(Event::Update(event)) if event.update <= update => updates.push(event),
                Ok(Event::Look(event)) if event.update <= update => looks.push(event),
                _ => break,
            }
            kept += line.len() as u64;
            line.clear();
        }
        let last = updates.last().map_or(0, |event: &UpdateEvent| event.update);
        ensure!(
            last == update,
            "the log ends at update {last}, the checkpoint is of update {update}: bring back the log of \
             this run, or start another run with another --out"
        );
        file.set_len(kept)?;
        file.seek(SeekFrom::End(0))?;
        Ok(Self { file, updates, looks })
    }

    pub(super) fn update(&mut self, event: UpdateEvent) -> anyhow::Result<()> {
        self.write(&Event::Update(event.clone()))?;
        self.updates.push(event);
        Ok(())
    }

    pub(super) fn look(&mut self, event: LookEvent) -> anyhow::Result<()> {
        self.write(&Event::Look(event.clone()))?;
        self.looks.push(event);
        Ok(())
    }

    fn write(&mut self, event: &Event) -> anyhow::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.file.write_all(&line).context("cannot write the log")
    }

    /// Forces all lines to the disk: a checkpoint must not be there before what led to it.
    pub(super) fn sync(&self) -> anyhow::Result<()> {
        self.file.sync_data().context("cannot write the log")
    }

    /// The look with the lowest validation loss, the first among equals.
    pub(super) fn best(&self) -> Option<(&LookEvent, Validation)> {
        let looks = self.looks.iter().filter_map(|look| Some((look, look.validation?)));
        looks.min_by(|(_, a), (_, b)| a.nats_per_token.total_cmp(&b.nats_per_token))
    }

    /// Mean training loss per token of the updates since the last look.
    pub(super) fn train_loss_since_look(&self) -> Option<f64> {
        let since = self.looks.last().map_or(0, |look| look.update);
        let first = self.updates.partition_point(|event| event.update <= since);
        let (mut nats, mut targets) = (ExactSum::new(), 0);
        for event in &self.updates[first..] {
            nats.add(event.nats);
            targets += event.targets;
        }
        (targets > 0).then(|| nats.value() / targets as f64)
    }
}

impl UpdateEvent {
    pub(super) fn new(update: u64, report: &UpdateReport, seconds: f64) -> Self {
        Self {
            update,
            nats: report.loss.total_nll(),
            targets: report.loss.target_count(),
            nats_per_token: report.loss.mean_nll(),
            gradient_norm: report.gradient_norm,
            clipped: report.clipped,
            rate: report.rate,
            seconds,
        }
    }
}

#[cfg(test)]
pub(super) mod tests;
