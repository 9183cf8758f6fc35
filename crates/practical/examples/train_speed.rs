//! Time of one training update (forward, backward, clip, AdamW) at real sizes, in f32.
//!
//! `cargo run --release -p llm-from-scratch-practical --example train_speed -- small|medium [RUNS]`
//! prints one JSON line. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = speed::size(arguments.first().map_or("small", String::as_str));
    let runs = arguments.get(1).map_or(5, |runs| runs.parse().expect("a number of runs"));
    let timed = speed::work::train(&size, runs);
    let flops = speed::flops(&size);
    println!(
        "{}",
        serde_json::json!({
            "bench": "train",
            "impl": "llm-from-scratch",
            "config": size.name,
            "threads": speed::threads(),
            "batch": size.batch,
            "T": size.config.context_len,
            "step_s": timed.timing.seconds(),
            "tokens_per_s": timed.tokens as f64 / timed.timing.median,
            "tokens_per_s_best": timed.tokens as f64 / timed.timing.least,
            "gflops": (flops[0] + flops[1]) / timed.timing.median / 1e9,
            "loss_first": timed.losses[0],
            "loss_last": timed.losses[1],
            "peak_mib": speed::peak_mib(),
        })
    );
}
