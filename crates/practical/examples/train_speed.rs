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
    let [forward, backward] = speed::flops(&size);
    let timed = speed::work::train(&size, runs);
    println!("{}", timed.report("train", &size, forward + backward));
}
