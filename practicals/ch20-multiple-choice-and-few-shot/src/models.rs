//! The two models that are asked: a small decoder, trained here, and a trigram.

use llm_from_scratch_practical::{baselines, corpus, evaluation, model, tokenizer, trainer};

use baselines::{NgramModel, Smoothing};
use corpus::{BatchBinding, EncodedDocument, NumberedDocument, VariableBatch};
use evaluation::LanguageModel;
use model::{DecoderConfig, DecoderModel};
use tokenizer::Tokenizer;
use trainer::{DataOrder, Schedule, Trainer, TrainingConfig};

use crate::world;

/// Seed of texts, weights and the order of documents.
const SEED: u64 = 20;
/// Training documents.
pub const DOCUMENTS: usize = 160;
/// Updates of the decoder, of `DOCUMENTS_PER_UPDATE` documents each.
pub const UPDATES: u64 = 65;
const DOCUMENTS_PER_UPDATE: usize = 8;
/// Most ids that the decoder reads: a start token, four lines and a rest.
const CONTEXT_LEN: usize = 64;

/// Both models, of the same texts and the same tokenizer.
#[derive(Debug)]
pub struct Models {
    /// Every word of the world is one token.
    pub tokenizer: Tokenizer,
    /// One block of width 16: sees the whole prompt.
    pub decoder: DecoderModel<f32>,
    /// Sees the last two tokens.
    pub trigram: NgramModel,
}

impl Models {
    /// The decoder and its number format.
    pub(crate) fn decoder(&self) -> (&dyn LanguageModel, &'static str) {
        (&self.decoder, "f32")
    }

    /// The trigram and its number format.
    pub(crate) fn trigram(&self) -> (&dyn LanguageModel, &'static str) {
        (&self.trigram, "f64")
    }

    /// Trains both. The decoder's updates can be fewer or more.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn train(updates: u64) -> anyhow::Result<Self> {
        let tokenizer = world::word_tokenizer()?;
        let documents = world::training_documents(SEED, DOCUMENTS);
        let documents = EncodedDocument::encode_all(&documents, &tokenizer)?;
        let smoothing = Smoothing::Interpolated { strength: 1.0 };
        let trigram = NgramModel::fit(tokenizer.vocab_size(), 3, smoothing, &documents)?;

        let config = DecoderConfig {
            d_model: 16,
            head_dim: 8,
            d_ff: 32,
            ..DecoderConfig::reference(tokenizer.vocab_size(), CONTEXT_LEN)
        };
        let fresh = DecoderModel::<f32>::initialize(config.validate()?, SEED);
        let schedule = Schedule::Constant { rate: 0.02 };
        let mut trainer =
            Trainer::new(fresh, TrainingConfig { schedule, ..TrainingConfig::default() })?;
        let binding = BatchBinding::new(&tokenizer, CONTEXT_LEN);
        let mut order = DataOrder::shuffled(documents.len(), SEED);
        for _ in 0..updates {
            let taken = order.take(DOCUMENTS_PER_UPDATE);
            let numbered: Vec<NumberedDocument<'_>> = (0..)
                .zip(taken)
                .map(|(ordinal, place)| NumberedDocument { ordinal, document: &documents[place] })
                .collect();
            let batch = VariableBatch::training(&binding, &numbered)?;
            trainer.update(&binding, &[batch])?;
        }
        Ok(Self { tokenizer, decoder: trainer.into_model(), trigram })
    }
}
