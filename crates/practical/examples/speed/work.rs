//! What is timed: one training update, and scoring one batch.

use std::time::Instant;

use llm_from_scratch_practical::{corpus, evaluation, model, trainer};

use corpus::{Partition, VariableBatch, number};
use evaluation::evaluate;
use model::DecoderModel;
use trainer::{AdamWConfig, Schedule, Trainer, TrainingConfig};

use super::{Size, Timing, UNCOUNTED, documents, peak_mib, threads};

/// A timing, and the mean losses of the first and the last run, in nats.
pub(crate) struct Timed {
    pub(crate) timing: Timing,
    pub(crate) losses: [f64; 2],
    /// Targets of a run.
    pub(crate) tokens: usize,
}

impl Timed {
    /// As a JSON object. A run has `flops` additions and multiplications.
    pub(crate) fn report(&self, bench: &str, size: &Size, flops: f64) -> serde_json::Value {
        serde_json::json!({
            "bench": bench,
            "impl": "llm-from-scratch",
            "config": size.name,
            "threads": threads(),
            "batch": size.batch,
            "T": size.config.context_len,
            "step_s": self.timing.seconds(),
            "tokens_per_s": self.tokens as f64 / self.timing.median,
            "tokens_per_s_best": self.tokens as f64 / self.timing.least,
            "gflops": flops / self.timing.median / 1e9,
            "loss_first": self.losses[0],
            "loss_last": self.losses[1],
            "peak_mib": peak_mib(),
        })
    }
}

/// Updates (forward, backward, clip, AdamW) in f32.
pub(crate) fn train(size: &Size, runs: usize) -> Timed {
    let binding = size.binding();
    let documents = documents(size, Partition::Train);
    let batch = VariableBatch::training(&binding, &number(0, &documents)).expect("a batch");
    let training = TrainingConfig {
        optimizer: AdamWConfig { beta2: 0.95, weight_decay: 0.1, ..AdamWConfig::default() },
        schedule: Schedule::Constant { rate: 1e-3 },
        ..TrainingConfig::default()
    };
    let model = DecoderModel::<f32>::initialize(size.config.validate().expect("a valid size"), 1);
    let mut trainer = Trainer::new(model, training).expect("a valid schedule");
    let tokens = batch.target_count();
    let batches = [batch];
    let mut losses = Vec::new();
    let timing = Timing::of(runs, || {
        let report = trainer.update(&binding, &batches).expect("a finite loss");
        losses.push(report.loss.mean_nll());
    });
    Timed { timing, losses: [losses[0], losses[losses.len() - 1]], tokens }
}

/// Forward and the loss of every target, in f32: a batch again and again in one evaluation.
pub(crate) fn score(size: &Size, runs: usize) -> Timed {
    let binding = size.binding();
    let documents = documents(size, Partition::Test);
    let batch = VariableBatch::padded(Partition::Test, &binding, &number(0, &documents));
    let batch = batch.expect("a batch");
    let model = DecoderModel::<f32>::initialize(size.config.validate().expect("a valid size"), 1);
    let mut times = Vec::new();
    let batches = (0..UNCOUNTED + runs.max(1)).map(|_| {
        times.push(Instant::now());
        &batch
    });
    let score = evaluate(&model, Partition::Test, &binding, batches).expect("finite losses");
    times.push(Instant::now());
    let loss = score.metrics.mean_nll();
    Timed { timing: Timing::between(&times), losses: [loss; 2], tokens: batch.target_count() }
}
