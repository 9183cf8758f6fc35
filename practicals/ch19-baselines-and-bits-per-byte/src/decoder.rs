//! A small decoder, trained on the spot.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::{corpus, model, tokenizer, trainer};

use corpus::{BatchBinding, EncodedDocument};
use model::{DecoderConfig, DecoderModel};
use tokenizer::Tokenizer;
use trainer::{Run, RunConfig, Schedule, TrainingConfig};

/// Most tokens that the decoder reads.
pub const CONTEXT_LEN: usize = 48;
/// Windows of the training documents that an update learns from.
const WINDOWS_PER_UPDATE: NonZeroUsize = NonZeroUsize::new(8).expect("not zero");
/// The learning rate climbs to this and falls again.
const PEAK_RATE: f64 = 0.02;

/// Trains a decoder of one block on the training documents, cut into windows of the context.
///
/// # Errors
/// None that the constants can cause.
pub fn train_decoder(
    documents: &[EncodedDocument],
    tokenizer: &Tokenizer,
    updates: u64,
    seed: u64,
) -> anyhow::Result<DecoderModel<f32>> {
    let config = DecoderConfig {
        d_model: 16,
        n_heads: 2,
        n_kv_heads: 2,
        head_dim: 8,
        d_ff: 32,
        ..DecoderConfig::reference(tokenizer.vocab_size(), CONTEXT_LEN)
    };
    let model = DecoderModel::initialize(config.validate()?, seed);
    let mut windows = Vec::new();
    for document in documents {
        windows.extend(corpus::windows(document, CONTEXT_LEN)?);
    }
    let schedule = Schedule::WarmupCosine {
        peak: PEAK_RATE,
        floor: PEAK_RATE / 20.0,
        warmup: updates / 10,
        updates: updates.max(1),
    };
    let config = RunConfig {
        training: TrainingConfig { schedule, ..TrainingConfig::default() },
        binding: BatchBinding::new(tokenizer, CONTEXT_LEN),
        shuffle_seed: Some(seed),
        documents_per_update: WINDOWS_PER_UPDATE,
        documents_per_microbatch: WINDOWS_PER_UPDATE,
    };
    let mut run = Run::start(config, &windows, model)?;
    for _ in 0..updates {
        run.update()?;
    }
    Ok(run.trainer().model().clone())
}
