//! A small trained model, and the documents it was trained on.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::corpus::{
    BatchBinding, Document, EncodedDocument, Layout, Partition, VariableBatch, batches,
};
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::tokenizer::chapter_four_tokenizer;
use llm_from_scratch_practical::trainer::{Schedule, Trainer, TrainingConfig};

/// What all parts of the chapter work on.
#[derive(Debug)]
pub struct Setup {
    /// Seed 39 after 20 updates on both documents, trained without dropout.
    pub model: DecoderModel<f64>,
    /// What the batches are bound to.
    pub binding: BatchBinding,
    /// `aaab` and `aab`: nine targets.
    pub documents: Vec<EncodedDocument>,
}

impl Setup {
    /// Trains the model.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn trained() -> anyhow::Result<Self> {
        let tokenizer = chapter_four_tokenizer();
        let binding = BatchBinding::new(&tokenizer, 8);
        let encode = |text| {
            EncodedDocument::encode(&Document::new(text, Partition::Train, text), &tokenizer)
        };
        let documents = ["aaab", "aab"].map(encode).into_iter().collect::<Result<Vec<_>, _>>()?;
        let config = DecoderConfig::reference(binding.vocab_size, binding.capacity).validate()?;
        let schedule = Schedule::Constant { rate: 0.02 };
        let training = TrainingConfig { schedule, ..TrainingConfig::default() };
        let mut trainer = Trainer::new(DecoderModel::initialize(config, 39), training)?;
        let batches = batches(Partition::Train, &binding, &documents, Layout::SEPARATE)?;
        for _ in 0..20 {
            trainer.update(&binding, &batches)?;
        }
        Ok(Self { model: trainer.into_model(), binding, documents })
    }

    /// Both documents in batches: one document in each, both in the rows of one, or both packed
    /// into the rows of one.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn layouts(&self) -> anyhow::Result<[Vec<VariableBatch>; 3]> {
        let rows = NonZeroUsize::new(2).expect("2 is not 0");
        let cut = |layout| batches(Partition::Train, &self.binding, &self.documents, layout);
        Ok([cut(Layout::SEPARATE)?, cut(Layout::Padded { rows })?, cut(Layout::Packed { rows })?])
    }
}
