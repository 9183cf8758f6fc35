//! What is timed: one training update, and scoring one batch.

use llm_from_scratch_practical::{corpus, evaluation, model, trainer};

use corpus::{Partition, VariableBatch, number};
use evaluation::evaluate;
use model::DecoderModel;
use trainer::{AdamWConfig, Schedule, Trainer, TrainingConfig};

use super::{Size, Timing, documents, peak_mib, threads};

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
    timed(runs, tokens, || {
        let report = trainer.update(&binding, &batches).expect("a finite loss");
        report.loss.mean_nll()
    })
}

/// Forward and the loss of every target, in f32.
pub(crate) fn score(size: &Size, runs: usize) -> Timed {
    let binding = size.binding();
    let documents = documents(size, Partition::Test);
    let batch = VariableBatch::padded(Partition::Test, &binding, &number(0, &documents));
    let batches = [batch.expect("a batch")];
    let model = DecoderModel::<f32>::initialize(size.config.validate().expect("a valid size"), 1);
    timed(runs, batches[0].target_count(), || {
        let score = evaluate(&model, Partition::Test, &binding, &batches).expect("finite losses");
        score.metrics.mean_nll()
    })
}

fn timed(runs: usize, tokens: usize, mut loss: impl FnMut() -> f64) -> Timed {
    let mut losses = Vec::new();
    let timing = Timing::of(runs, || losses.push(loss()));
    Timed { timing, losses: [losses[0], losses[losses.len() - 1]], tokens }
}
