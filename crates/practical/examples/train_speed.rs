//! Time of one training update (forward, backward, clip, AdamW) at real sizes, in f32.
//!
//! `cargo run --release -p llm-from-scratch-practical --example train_speed -- small|medium [RUNS]`
//! prints one JSON line. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

use llm_from_scratch_practical::{corpus, model, trainer};

use corpus::{Partition, VariableBatch, number};
use model::DecoderModel;
use speed::{Timing, documents, size};
use trainer::{AdamWConfig, Schedule, Trainer, TrainingConfig};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = size(arguments.first().map_or("small", String::as_str));
    let runs = arguments.get(1).map_or(5, |runs| runs.parse().expect("a number of runs"));
    let config = size.config.validate().expect("a valid size");
    let binding = size.binding();
    let documents = documents(&size, Partition::Train);
    let batch = VariableBatch::training(&binding, &number(0, &documents)).expect("a batch");
    let training = TrainingConfig {
        optimizer: AdamWConfig { beta2: 0.95, weight_decay: 0.1, ..AdamWConfig::default() },
        schedule: Schedule::Constant { rate: 1e-3 },
        ..TrainingConfig::default()
    };
    let model = DecoderModel::<f32>::initialize(config, 1);
    let mut trainer = Trainer::new(model, training).expect("a valid schedule");

    let batches = [batch];
    let mut losses = Vec::new();
    let timing = Timing::of(runs, || {
        let report = trainer.update(&binding, &batches).expect("a finite loss");
        losses.push(report.loss.mean_nll());
    });
    let tokens = batches[0].target_count();
    println!(
        "{}",
        serde_json::json!({
            "bench": "train",
            "impl": "llm-from-scratch",
            "config": size.name,
            "threads": speed::threads(),
            "batch": documents.len(),
            "T": size.config.context_len,
            "step_s": timing.seconds(),
            "tokens_per_s": tokens as f64 / timing.median,
            "tokens_per_s_best": tokens as f64 / timing.least,
            "loss_first": losses[0],
            "loss_last": losses[losses.len() - 1],
            "peak_mib": speed::peak_mib(),
        })
    );
}
