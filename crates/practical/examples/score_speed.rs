//! Time of scoring documents (forward and the loss of every target) at real sizes, in f32.
//!
//! `cargo run --release -p llm-from-scratch-practical --example score_speed -- SIZE [RUNS]` with the
//! sizes small, medium and llama-135m prints one JSON line. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

use llm_from_scratch_practical::{corpus, evaluation, model};

use corpus::{Partition, VariableBatch, number};
use evaluation::evaluate;
use model::DecoderModel;
use speed::{Timing, documents, size};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = size(arguments.first().map_or("medium", String::as_str));
    let runs = arguments.get(1).map_or(5, |runs| runs.parse().expect("a number of runs"));
    let config = size.config.validate().expect("a valid size");
    let binding = size.binding();
    let documents = documents(&size, Partition::Test);
    let batch = VariableBatch::padded(Partition::Test, &binding, &number(0, &documents));
    let batches = [batch.expect("a batch")];
    let model = DecoderModel::<f32>::initialize(config, 1);

    let mut nll = 0.0;
    let timing = Timing::of(runs, || {
        let score = evaluate(&model, Partition::Test, &binding, &batches).expect("finite losses");
        nll = score.metrics.mean_nll();
    });
    let tokens = batches[0].target_count();
    println!(
        "{}",
        serde_json::json!({
            "bench": "score",
            "impl": "llm-from-scratch",
            "config": size.name,
            "threads": speed::threads(),
            "batch": documents.len(),
            "T": size.config.context_len,
            "step_s": timing.seconds(),
            "tokens_per_s": tokens as f64 / timing.median,
            "tokens_per_s_best": tokens as f64 / timing.least,
            "nll": nll,
            "peak_mib": speed::peak_mib(),
        })
    );
}
