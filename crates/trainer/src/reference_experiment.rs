//! The experiment that several chapters look at: two documents to train on, two held out, and the
//! small decoder that overfits them.
//!
//! Everything is declared before any run: texts, tokenizer, sizes, rate, seeds, number of updates.
//! Chapter 13 takes its updates apart, chapter 16 watches its losses, chapter 17 rounds the weights
//! that it ends with.

use llm_corpus::{
    BatchBinding, Document, EncodedDocument, Layout, Partition, VariableBatch, batches,
    check_no_overlap,
};
use llm_model::{DecoderConfig, DecoderModel};
use llm_tokenizer::{Tokenizer, chapter_four_tokenizer};

use crate::{Schedule, TrainError, Trainer, TrainingConfig};

const TRAINING_TEXTS: [&str; 2] = ["aaab", "aab"];
const VALIDATION_TEXTS: [&str; 2] = ["abaa", "baa"];

/// The encoded documents of both splits and what they were encoded for.
///
/// # Example
/// ```
/// use llm_trainer::ReferenceExperiment;
/// let experiment = ReferenceExperiment::new()?;
/// let targets = |documents: &[llm_corpus::EncodedDocument]| -> Vec<usize> {
///     documents.iter().map(|document| document.target_count()).collect()
/// };
/// assert_eq!(targets(&experiment.train), [5, 4]);
/// assert_eq!(targets(&experiment.validation), [5, 4]);
/// assert_eq!(experiment.fresh_model(39)?.config().vocab_size, 266);
/// # Ok::<(), llm_trainer::TrainError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReferenceExperiment {
    /// Frozen before any document was encoded, and never fitted on them.
    pub tokenizer: Tokenizer,
    /// What every batch is bound to.
    pub binding: BatchBinding,
    /// The documents that training may read.
    pub train: Vec<EncodedDocument>,
    /// The documents that it may not.
    pub validation: Vec<EncodedDocument>,
}

impl ReferenceExperiment {
    /// Seeds of the initializations. The first one's trained model is the saved one, whichever does
    /// best.
    pub const SEEDS: [u64; 3] = [39, 40, 41];
    /// Updates of a run.
    pub const UPDATES: u64 = 80;
    /// The rate of every one of them.
    pub const LEARNING_RATE: f64 = 0.02;
    /// Most inputs of a row, and positions of the model.
    pub const CAPACITY: usize = 8;

    /// The documents under the chapter-4 tokenizer.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn new() -> Result<Self, TrainError> {
        Self::encoded_with(chapter_four_tokenizer(), Self::CAPACITY)
    }

    /// The documents under another tokenizer, such as one restored from a file.
    ///
    /// # Errors
    /// [`TrainError::Documents`] for a byte that the tokenizer lacks.
    pub fn encoded_with(tokenizer: Tokenizer, capacity: usize) -> Result<Self, TrainError> {
        let documents = |texts: [&str; 2], partition| {
            texts.map(|text| Document::named_by_text(partition, text))
        };
        let train = documents(TRAINING_TEXTS, Partition::Train);
        let validation = documents(VALIDATION_TEXTS, Partition::Validation);
        check_no_overlap(train.iter().chain(&validation))?;
        Ok(Self {
            binding: BatchBinding::new(&tokenizer, capacity),
            train: EncodedDocument::encode_all(&train, &tokenizer)?,
            validation: EncodedDocument::encode_all(&validation, &tokenizer)?,
            tokenizer,
        })
    }

    /// The documents of a split.
    pub fn documents(&self, partition: Partition) -> &[EncodedDocument] {
        match partition {
            Partition::Train => &self.train,
            _ => &self.validation,
        }
    }

    /// A split as batches of a layout.
    ///
    /// # Errors
    /// [`TrainError::Documents`] for a document longer than the capacity.
    pub fn batches(
        &self,
        partition: Partition,
        layout: Layout,
    ) -> Result<Vec<VariableBatch>, TrainError> {
        Ok(batches(partition, &self.binding, self.documents(partition), layout)?)
    }

    /// The fresh decoder of a seed.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn fresh_model(&self, seed: u64) -> Result<DecoderModel<f64>, TrainError> {
        let config = DecoderConfig::reference(self.binding.vocab_size, Self::CAPACITY);
        Ok(DecoderModel::initialize(config.validate()?, seed))
    }

    /// A trainer with the declared settings: a constant rate, clip limit 1, no decay, no dropout.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn trainer(&self, model: DecoderModel<f64>) -> Result<Trainer<f64>, TrainError> {
        let schedule = Schedule::Constant { rate: Self::LEARNING_RATE };
        Trainer::new(model, TrainingConfig { schedule, ..TrainingConfig::default() })
    }

    /// The decoder of a seed after [`UPDATES`](Self::UPDATES) updates, each of the training documents
    /// in batches of a layout. Its bits do not depend on the layout.
    ///
    /// # Errors
    /// Divergence, which the declared seeds do not show.
    pub fn trained_model(
        &self,
        seed: u64,
        layout: Layout,
    ) -> Result<DecoderModel<f64>, TrainError> {
        let microbatches = self.batches(Partition::Train, layout)?;
        let mut trainer = self.trainer(self.fresh_model(seed)?)?;
        for _ in 0..Self::UPDATES {
            trainer.update(&self.binding, &microbatches)?;
        }
        Ok(trainer.into_model())
    }
}
