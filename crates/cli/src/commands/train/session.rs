//! The loop: updates, looks, checkpoints, and three ways to end.

use std::num::NonZeroU64;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, ensure};
use indicatif::ProgressBar;
use llm_chapter_kit::with_causes;
use practical::archive::{PortableElement, PortableModel, Selection};
use practical::model::{DecoderModel, ValidConfig};
use practical::trainer::{Run, RunConfig};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::data::Data;
use super::figure::loss_figure;
use super::folder::Folder;
use super::log::{Log, LookEvent, UpdateEvent};
use super::look::Looks;
use super::plan::Plan;
use super::report::{Ending, RunReport};
use crate::documents::{save, save_json};
use crate::output::{Console, Report};

/// A run and everything beside its weights.
pub(super) struct Session<'a, E> {
    plan: &'a Plan,
    data: &'a Data,
    folder: Folder,
    run: Run<'a, E>,
    looks: Looks<'a>,
    log: Log,
    /// Updates in the checkpoint in the folder.
    saved: u64,
    started: Instant,
    /// Updates that were made before this process.
    resumed_at: u64,
}

/// What the library calls a run.
pub(super) fn run_config(plan: &Plan, data: &Data) -> anyhow::Result<RunConfig> {
    Ok(RunConfig {
        training: plan.training_config()?,
        binding: data.binding.clone(),
        shuffle_seed: Some(plan.seed),
        documents_per_update: plan.training.windows_per_update,
        documents_per_microbatch: plan.training.windows_per_microbatch,
    })
}

impl<'a, E: PortableElement> Session<'a, E> {
    /// Starts at update 0, or goes on from the checkpoint.
    pub(super) fn start(
        plan: &'a Plan,
        data: &'a Data,
        model: ValidConfig,
        mut folder: Folder,
    ) -> anyhow::Result<Self> {
        let looks = Looks::new(plan, data)?;
        let config = run_config(plan, data)?;
        let file = folder.open()?;
        let (run, log) = if folder.resumes {
            let path = folder.checkpoint();
            let run = Run::resume(&path, config, &data.train, model)
                .with_context(|| path.display().to_string())?;
            let log = Log::resume(file, run.trainer().updates())?;
            if log.best().is_some() {
                folder.demand_whole_best()?;
            }
            (run, log)
        } else {
            folder.write_data(data)?;
            let run = Run::start(config, &data.train, DecoderModel::initialize(model, plan.seed))?;
            let head = serde_json::json!({ "plan": plan, "data": data.record });
            let log = Log::start(file, head)?;
            run.save(folder.checkpoint())?;
            (run, log)
        };
        let resumed_at = run.trainer().updates();
        let (saved, started) = (resumed_at, Instant::now());
        Ok(Self { plan, data, folder, run, looks, log, saved, started, resumed_at })
    }

    /// Trains to the last update.
    ///
    /// # Errors
    /// If the loss or a gradient is not finite, if somebody pressed Ctrl-C, if a file cannot be
    /// written. A good checkpoint is in the folder then.
    pub(super) fn train(mut self, console: &Console) -> anyhow::Result<Report> {
        let stop = stop_signal()?;
        // Counted in windows, of which there are several a second.
        let windows = |updates: u64| updates.saturating_mul(self.windows_per_update());
        let bar = console.bar(windows(self.plan.training.updates), "training");
        bar.set_position(windows(self.updates()));
        bar.reset_eta();
        let reached_the_end = self
            .update_until_the_end(&bar, &stop)
            .map_err(|error| self.with_what_is_kept(&error))?;
        bar.finish_and_clear();
        ensure!(
            reached_the_end,
            "stopped by a signal after update {} of {}: go on with the same command and --resume",
            self.updates(),
            self.plan.training.updates
        );
        self.finish()
    }

    fn windows_per_update(&self) -> u64 {
        self.plan.training.windows_per_update.get() as u64
    }

    fn updates(&self) -> u64 {
        self.run.trainer().updates()
    }

    /// Whether the last update was made; it was not if `stop` was set before. A checkpoint is written
    /// in both cases.
    fn update_until_the_end(
        &mut self,
        bar: &ProgressBar,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        loop {
            let done = self.updates();
            if self.look_is_due(done) {
                self.look(done, bar)?;
            }
            let is_last = done == self.plan.training.updates;
            if is_last || stop.load(Ordering::Relaxed) {
                self.checkpoint()?;
                return Ok(is_last);
            }
            self.update(bar)?;
        }
    }

    fn update(&mut self, bar: &ProgressBar) -> anyhow::Result<()> {
        let start = Instant::now();
        let report = self.run.update()?;
        let event = UpdateEvent::new(self.updates(), &report, start.elapsed().as_secs_f64());
        bar.inc(self.windows_per_update());
        bar.set_message(format!("update {}, loss {:.3}", event.update, event.nats_per_token));
        self.log.update(event)?;
        if is_due(self.updates(), self.plan.training.checkpoint_every) {
            self.checkpoint()?;
        }
        Ok(())
    }

    /// Before the first update, at intervals, and after the last; once each.
    fn look_is_due(&self, done: u64) -> bool {
        let due = is_due(done, self.plan.evaluate_every) || done == self.plan.training.updates;
        due && self.log.looks.last().is_none_or(|last| last.update < done)
    }

    fn look(&mut self, update: u64, bar: &ProgressBar) -> anyhow::Result<()> {
        let start = Instant::now();
        let model = self.run.trainer().model();
        let validation = self.looks.validation(model)?;
        let best = validation.is_some_and(|now| {
            self.log.best().is_none_or(|(_, best)| now.nats_per_token < best.nats_per_token)
        });
        if let Some(validation) = validation.filter(|_| best) {
            let selection = Selection {
                selected_on: "validation".to_owned(),
                update,
                nats_per_token: validation.nats_per_token,
            };
            // Before the line in the log: a run that is killed in between looks again.
            self.portable()?.selected(selection)?.save(self.folder.best())?;
        }
        let event = LookEvent {
            update,
            train_nats_per_token: self.log.train_loss_since_look(),
            validation,
            best,
            sample: self.looks.sample(model, update)?,
            seconds: start.elapsed().as_secs_f64(),
        };
        bar.println(event.to_string());
        bar.reset_eta();
        self.log.look(event)?;
        save(&self.folder.figure(), loss_figure(&self.log)?.as_bytes())
    }

    fn portable(&self) -> anyhow::Result<PortableModel<E>> {
        Ok(PortableModel::new(self.run.trainer().model(), &self.data.tokenizer)?)
    }

    fn checkpoint(&mut self) -> anyhow::Result<()> {
        self.log.sync()?;
        self.run.save(self.folder.checkpoint())?;
        self.saved = self.updates();
        Ok(())
    }

    fn finish(self) -> anyhow::Result<Report> {
        let model = self.portable()?;
        model.save(self.folder.model())?;
        let trained = self.log.updates.iter().filter(|event| event.update > self.resumed_at);
        let report = RunReport::new(
            self.plan,
            self.data,
            &self.log,
            &self.folder,
            Ending {
                parameters: self.run.trainer().model().config().parameter_count(),
                model_sha256: model.model_id().to_owned(),
                run_sha256: self.run.identity()?,
                seconds: self.started.elapsed().as_secs_f64(),
                targets: trained.map(|event| event.targets).sum(),
            },
        );
        save_json(&self.folder.report(), &report)?;
        Report::with_text(&report, report.to_string())
    }

    /// An error with what somebody whose run has failed needs to know.
    fn with_what_is_kept(&self, error: &anyhow::Error) -> anyhow::Error {
        let (saved, name) = (self.saved, self.folder.path().display());
        let error = with_causes(error);
        anyhow::anyhow!("{error}; the checkpoint of update {saved} is kept in {name}")
    }
}

fn is_due(updates: u64, every: NonZeroU64) -> bool {
    updates.is_multiple_of(every.get())
}

/// Set by the first Ctrl-C (or a request to end); a second one ends the process at once, which loses
/// nothing but the updates since the last checkpoint.
fn stop_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
