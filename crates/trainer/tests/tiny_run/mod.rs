//! A small training run that uses everything a checkpoint must keep: warm-up and cosine, weight
//! decay, clipping, dropout, a shuffled order, updates that cross the end of an epoch.

use std::num::NonZeroUsize;

use llm_corpus::{BatchBinding, EncodedDocument, Partition};
use llm_model::{DecoderConfig, DecoderModel, DropoutProbability, SplitMix64, ValidConfig};
use llm_trainer::{AdamWConfig, RunConfig, Schedule, TrainingConfig};

/// Eleven documents of 2 to 9 ids.
pub(crate) fn documents() -> Vec<EncodedDocument> {
    let mut stream = SplitMix64::new(5);
    let mut below = |bound: u64| stream.next_u64() % bound;
    let mut document = |i: usize| {
        let len = 2 + below(8);
        let ids = (0..len).map(|_| 95 + below(8) as u32).collect();
        EncodedDocument::from_ids(format!("d{i}"), Partition::Train, ids).expect("two ids")
    };
    (0..11).map(&mut document).collect()
}

/// The settings; `updates` is the length of the schedule.
pub(crate) fn config(updates: u64) -> RunConfig {
    RunConfig {
        training: TrainingConfig {
            optimizer: AdamWConfig { weight_decay: 0.1, ..AdamWConfig::default() },
            schedule: Schedule::WarmupCosine { peak: 0.02, floor: 0.002, warmup: 3, updates },
            clip_limit: 0.5,
            dropout: DropoutProbability::new(0.2).expect("below 1"),
            dropout_seed: 17,
        },
        // As many ids as the tokenizer of chapter 4 has; the program that is killed needs no text.
        binding: BatchBinding { tokenizer_sha256: "none".into(), vocab_size: 266, capacity: 8 },
        shuffle_seed: Some(3),
        documents_per_update: NonZeroUsize::new(4).expect("4"),
        documents_per_microbatch: NonZeroUsize::new(3).expect("3"),
    }
}

/// The sizes: grouped heads, biases, two blocks, a head of its own.
pub(crate) fn model_config() -> ValidConfig {
    let config = DecoderConfig {
        n_layers: 2,
        n_kv_heads: 1,
        attention_bias: true,
        tied_head: false,
        ..DecoderConfig::reference(config(1).binding.vocab_size, 8)
    };
    config.validate().expect("possible sizes")
}

/// The weights before the first update.
pub(crate) fn fresh(config: ValidConfig) -> DecoderModel<f32> {
    DecoderModel::initialize(config, 39)
}
