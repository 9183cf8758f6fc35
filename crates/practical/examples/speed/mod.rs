//! Sizes, documents and timing that the benchmarks share.

#![allow(dead_code, reason = "each benchmark uses its part of this")]

pub(crate) mod work;

use std::time::Instant;

use llm_from_scratch_practical::{corpus, model};

use corpus::{BatchBinding, EncodedDocument, Partition};
use model::{DecoderConfig, SplitMix64};

/// A decoder, and how many documents of full length make a batch.
pub(crate) struct Size {
    /// What it is called on the command line.
    pub(crate) name: &'static str,
    /// Its sizes.
    pub(crate) config: DecoderConfig,
    /// Documents of a batch.
    pub(crate) batch: usize,
}

impl Size {
    /// What its batches are bound to.
    pub(crate) fn binding(&self) -> BatchBinding {
        let (vocab_size, capacity) = (self.config.vocab_size, self.config.context_len);
        BatchBinding { tokenizer_sha256: "none".into(), vocab_size, capacity }
    }
}

/// The sizes by name; ends the program for another name.
pub(crate) fn size(name: &str) -> Size {
    let decoder =
        |vocab_size, d_model, n_layers, heads: (usize, usize), d_ff, context_len| DecoderConfig {
            d_model,
            n_layers,
            n_heads: heads.0,
            n_kv_heads: heads.1,
            head_dim: d_model / heads.0,
            d_ff,
            ..DecoderConfig::reference(vocab_size, context_len)
        };
    match name {
        "small" => {
            Size { name: "small", config: decoder(512, 128, 4, (4, 4), 344, 128), batch: 16 }
        }
        "medium" => {
            Size { name: "medium", config: decoder(4096, 384, 6, (6, 6), 1024, 256), batch: 8 }
        }
        "llama-135m" => Size {
            name: "llama-135m",
            config: decoder(49152, 576, 30, (9, 3), 1536, 512),
            batch: 1,
        },
        _ => panic!("`{name}` is no size, expected small, medium or llama-135m"),
    }
}

/// Additions and multiplications of one pass over a batch of full documents, forward and backward.
///
/// Counted are the matrix products; of attention only the causal half, which is all that is
/// computed. The backward pass has two products for each one forward, and in attention five for
/// two, since it computes the scores again.
pub(crate) fn flops(size: &Size) -> [f64; 2] {
    let c = &size.config;
    let (queries, keys) = (c.n_heads * c.head_dim, c.n_kv_heads * c.head_dim);
    let block = c.d_model * (2 * queries + 2 * keys + 3 * c.d_ff);
    let of_token = c.n_layers * block + c.vocab_size * c.d_model;
    let pairs = c.context_len * (c.context_len + 1) / 2;
    let of_document = c.n_layers * 2 * queries * pairs;
    let weights = (2 * size.batch * c.context_len * of_token) as f64;
    let attention = (2 * size.batch * of_document) as f64;
    [weights + attention, 2.0 * weights + 2.5 * attention]
}

/// Random documents that fill the context.
pub(crate) fn documents(size: &Size, partition: Partition) -> Vec<EncodedDocument> {
    let mut stream = SplitMix64::new(7);
    let mut id = || (stream.unit() * size.config.vocab_size as f64) as u32;
    (0..size.batch)
        .map(|i| {
            let ids = (0..=size.config.context_len).map(|_| id()).collect();
            EncodedDocument::from_ids(i.to_string(), partition, ids).expect("two ids or more")
        })
        .collect()
}

/// Runs before those that are counted.
pub(crate) const UNCOUNTED: usize = 2;

/// Seconds of several runs.
pub(crate) struct Timing {
    /// Of the fastest.
    pub(crate) least: f64,
    /// Half are faster.
    pub(crate) median: f64,
    /// Of the slowest.
    pub(crate) most: f64,
}

impl Timing {
    /// Times `run`, after two runs that are not counted.
    pub(crate) fn of(runs: usize, mut run: impl FnMut()) -> Self {
        let mut times = vec![Instant::now()];
        for _ in 0..UNCOUNTED + runs.max(1) {
            run();
            times.push(Instant::now());
        }
        Self::between(&times)
    }

    /// The times between these, without the first two. Panics if no other is left.
    pub(crate) fn between(times: &[Instant]) -> Self {
        let runs = times[UNCOUNTED..].windows(2);
        let mut seconds: Vec<f64> = runs.map(|run| (run[1] - run[0]).as_secs_f64()).collect();
        seconds.sort_by(f64::total_cmp);
        let (least, most) = (seconds[0], seconds[seconds.len() - 1]);
        Self { least, median: seconds[seconds.len() / 2], most }
    }

    /// As a JSON object.
    pub(crate) fn seconds(&self) -> serde_json::Value {
        serde_json::json!({"min": self.least, "median": self.median, "max": self.most})
    }
}

/// Threads of the pool.
pub(crate) fn threads() -> usize {
    std::env::var("RAYON_NUM_THREADS")
        .ok()
        .and_then(|threads| threads.parse().ok())
        .unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Largest resident memory so far, where the system tells.
pub(crate) fn peak_mib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}
