//! What a run would take, before anything is written.

use std::fmt;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

use indicatif::HumanDuration;
use practical::archive::PortableElement;
use practical::model::{DecoderConfig, DecoderModel, ValidConfig};
use practical::trainer::{Run, RunConfig};
use serde::Serialize;

use super::data::{Data, DataRecord};
use super::look::Looks;
use super::memory::Memory;
use super::plan::Plan;
use super::session::run_config;
use crate::output::Report;

/// How long updates are timed, at least: enough to average over a few.
const PROBE: Duration = Duration::from_secs(2);

/// Most updates that are timed.
const MOST_UPDATES: u64 = 20;

/// What a run would take.
#[derive(Debug, Serialize)]
struct DryRun {
    plan: Plan,
    data: DataRecord,
    parameters: usize,
    /// Passes over the training windows.
    epochs: f64,
    memory: Memory,
    /// Measured on the first updates, on this machine, with these threads; absent if the memory is
    /// not there.
    time: Option<Time>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct Time {
    timed_updates: u64,
    targets_per_second: f64,
    seconds_per_look: f64,
    looks: u64,
    estimated_seconds: f64,
}

/// Builds everything, times a few updates and a look on a model that is thrown away, and tells.
pub(super) fn dry_run<E: PortableElement>(
    plan: &Plan,
    data: &Data,
    model: ValidConfig,
) -> anyhow::Result<Report> {
    let windows = plan.training.windows_per_update.get() as f64 * plan.training.updates as f64;
    let memory = Memory::estimate::<E>(plan, data, &model);
    let time = memory.demand().is_ok().then(|| time::<E>(plan, data, model)).transpose()?;
    let report = DryRun {
        plan: plan.clone(),
        data: data.record.clone(),
        parameters: model.parameter_count(),
        epochs: windows / data.train.len() as f64,
        memory,
        time,
    };
    Report::with_text(&report, report.to_string())
}

fn time<E: PortableElement>(plan: &Plan, data: &Data, model: ValidConfig) -> anyhow::Result<Time> {
    let fresh = DecoderModel::<E>::initialize(model, plan.seed);
    let config = run_config(plan, data)?;
    // A large model takes minutes for an update, so the first one is of a single window.
    let one = RunConfig { documents_per_update: NonZeroUsize::MIN, ..config.clone() };
    let mut run = Run::start(one, &data.train, fresh.clone())?;
    let mut timing = Timing::default();
    timing.update(&mut run)?;
    if timing.seconds < PROBE.as_secs_f64() / 10.0 {
        run = Run::start(config, &data.train, fresh)?;
        run.update()?; // its arrays are not there yet; later ones use them again
        timing = Timing::default();
        while timing.updates < MOST_UPDATES.min(plan.training.updates)
            && timing.seconds < PROBE.as_secs_f64()
        {
            timing.update(&mut run)?;
        }
    }
    let per_second = timing.targets as f64 / timing.seconds.max(1e-9);

    let looks = Looks::new(plan, data)?;
    let seconds_per_look = looks.seconds(run.trainer().model())?;

    let per_window = data.record.train.targets as f64 / data.record.train.windows as f64;
    let windows = plan.training.windows_per_update.get() as f64;
    let all_targets = per_window * windows * plan.training.updates as f64;
    let looks = 1 + plan.training.updates.div_ceil(plan.evaluate_every.get());
    Ok(Time {
        timed_updates: timing.updates,
        targets_per_second: per_second,
        seconds_per_look,
        looks,
        estimated_seconds: all_targets / per_second + looks as f64 * seconds_per_look,
    })
}

/// Updates that were timed.
#[derive(Default)]
struct Timing {
    updates: u64,
    targets: usize,
    seconds: f64,
}

impl Timing {
    fn update<E: PortableElement>(&mut self, run: &mut Run<'_, E>) -> anyhow::Result<()> {
        let start = Instant::now();
        self.targets += run.update()?.loss.target_count();
        self.seconds += start.elapsed().as_secs_f64();
        self.updates += 1;
        Ok(())
    }
}

impl fmt::Display for DryRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { plan, data, parameters, epochs, memory, time } = self;
        let DecoderConfig { d_model, n_layers, n_heads, d_ff, context_len, vocab_size, .. } =
            plan.model;
        writeln!(
            f,
            "model       {parameters} parameters: {n_layers} blocks of width {d_model}, {n_heads} heads, \
             feed-forward {d_ff}, context {context_len}, vocabulary {vocab_size}"
        )?;
        for (name, side) in [("training", &data.train), ("validation", &data.validation)] {
            writeln!(
                f,
                "{name:<10}  {} documents, {} bytes, {} windows, {} targets",
                side.documents, side.bytes, side.windows, side.targets
            )?;
        }
        writeln!(
            f,
            "updates     {}, of {} windows: {epochs:.2} passes over the training documents",
            plan.training.updates, plan.training.windows_per_update
        )?;
        writeln!(f, "memory      {memory}")?;
        let Some(time) = time else {
            return writeln!(f, "time        not measured: there is not so much memory");
        };
        writeln!(
            f,
            "time        about {}: {:.0} targets/s, {} looks of {:.1} s",
            HumanDuration(
                Duration::try_from_secs_f64(time.estimated_seconds).unwrap_or(Duration::MAX)
            ),
            time.targets_per_second,
            time.looks,
            time.seconds_per_look
        )
    }
}
