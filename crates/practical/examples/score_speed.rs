//! Time of scoring documents (forward and the loss of every target) at real sizes, in f32.
//!
//! `cargo run --release -p llm-from-scratch-practical --example score_speed -- SIZE [RUNS]` with the
//! sizes small, medium and llama-135m prints one JSON line. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size = speed::size(arguments.first().map_or("medium", String::as_str));
    let runs = arguments.get(1).map_or(5, |runs| runs.parse().expect("a number of runs"));
    let [forward, _] = speed::flops(&size);
    let timed = speed::work::score(&size, runs);
    println!("{}", timed.report("score", &size, forward));
}
