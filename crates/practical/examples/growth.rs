//! How the time of training and scoring grows with each size of the model, beside what the count of
//! operations says, in f32.
//!
//! `cargo run --release -p llm-from-scratch-practical --example growth -- [RUNS]` doubles one size at a
//! time and prints one JSON line for each; an exponent of 1 means that twice the size takes twice the
//! time. `RAYON_NUM_THREADS` sets the threads.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

mod speed;

use llm_from_scratch_practical::model::DecoderConfig;
use speed::{Size, work};

/// What grows, from which size, how often it is doubled, and how a decoder of that size is made.
type Growth = (&'static str, usize, u32, fn(usize) -> Size);

const GROWTHS: [Growth; 5] = [
    ("sequence length", 128, 4, |t| size(|c| c.context_len = t, 2)),
    ("width", 64, 3, |d| {
        size(|c| (c.d_model, c.n_heads, c.n_kv_heads, c.d_ff) = (d, d / 32, d / 32, 3 * d), 4)
    }),
    ("layers", 1, 3, |n| size(|c| c.n_layers = n, 4)),
    ("vocabulary", 512, 4, |v| size(|c| c.vocab_size = v, 4)),
    ("batch", 1, 4, |batch| size(|_| (), batch)),
];

fn size(change: impl FnOnce(&mut DecoderConfig), batch: usize) -> Size {
    let mut config = DecoderConfig {
        d_model: 128,
        n_layers: 2,
        n_heads: 4,
        n_kv_heads: 4,
        head_dim: 32,
        d_ff: 344,
        ..DecoderConfig::reference(512, 128)
    };
    change(&mut config);
    Size { name: "growth", config, batch }
}

fn main() {
    let runs = std::env::args().nth(1).map_or(7, |runs| runs.parse().expect("a number of runs"));
    for (what, first, doublings, size) in GROWTHS {
        let mut before: Option<[f64; 4]> = None;
        for value in (0..=doublings).map(|doubling| first << doubling) {
            let size = size(value);
            let [forward, backward] = speed::flops(&size);
            let timings = [work::train(&size, runs).timing, work::score(&size, runs).timing];
            let now = [forward + backward, timings[0].median, forward, timings[1].median];
            // All sizes double, so an exponent is the logarithm to base 2 of a quotient.
            let exponents = before.map(|before| [0, 1, 2, 3].map(|i| (now[i] / before[i]).log2()));
            println!(
                "{}",
                serde_json::json!({
                    "bench": "growth",
                    "grows": what,
                    "size": value,
                    "threads": speed::threads(),
                    "train_s": now[1],
                    "score_s": now[3],
                    "train_exponent": exponents.map(|e| e[1]),
                    "train_exponent_counted": exponents.map(|e| e[0]),
                    "score_exponent": exponents.map(|e| e[3]),
                    "score_exponent_counted": exponents.map(|e| e[2]),
                })
            );
            before = Some(now);
        }
    }
}
