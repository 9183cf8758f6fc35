//! Everything that the experiment fixes before it runs.

use llm_from_scratch_practical::{corpus, evaluation, model, tokenizer, trainer};

use corpus::{BatchBinding, Document, EncodedDocument, Layout, Partition, VariableBatch};
use evaluation::{Evaluation, evaluate};
use model::{DecoderConfig, DecoderModel};
use tokenizer::Tokenizer;
use trainer::{Schedule, Trainer, TrainingConfig};

use crate::{ChapterError, ScoreRecord};

/// Key `chapter` of every report.
pub(crate) const CHAPTER: &str = "16-language-model-evaluation";
/// Key `execution` of every report: whichever kernels ran, these are the bits of the scalar
/// reference.
pub(crate) const EXECUTION: &str = "scalar-cpu-f64";
/// Key `data_scope` of every report.
pub(crate) const DATA_SCOPE: &str = "two training and two validation documents, constructed for \
    this chapter; no natural language, no external corpus, and no final test split";

/// Seeds declared before any run.
pub const DECLARED_SEEDS: [u64; 3] = [39, 40, 41];
/// Updates after which both splits are scored.
pub const OBSERVED_UPDATES: [u64; 5] = [0, 10, 20, 40, 80];

const TRAINING_TEXTS: [&str; 2] = ["aaab", "aab"];
const VALIDATION_TEXTS: [&str; 2] = ["abaa", "baa"];
/// Most inputs of a row.
const CAPACITY: usize = 8;
const LEARNING_RATE: f64 = 0.02;

/// The encoded documents of both splits and what they were encoded for.
#[derive(Clone, Debug)]
pub struct Chapter {
    /// Frozen before any document was encoded, and never fitted on them.
    pub tokenizer: Tokenizer,
    /// What every batch is bound to.
    pub binding: BatchBinding,
    /// The documents that training may read.
    pub train: Vec<EncodedDocument>,
    /// The documents that it may not.
    pub validation: Vec<EncodedDocument>,
}

impl Chapter {
    /// The chapter's documents under the chapter-4 tokenizer.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn new() -> Result<Self, ChapterError> {
        Self::encoded_with(tokenizer::chapter_four_tokenizer(), CAPACITY)
    }

    /// The chapter's documents under another tokenizer, such as one restored from a file.
    ///
    /// # Errors
    /// A byte that the tokenizer lacks; a document longer than the capacity.
    pub fn encoded_with(tokenizer: Tokenizer, capacity: usize) -> Result<Self, ChapterError> {
        let documents = |texts: [&str; 2], partition| {
            texts.map(|text| Document::named_by_text(partition, text))
        };
        let train = documents(TRAINING_TEXTS, Partition::Train);
        let validation = documents(VALIDATION_TEXTS, Partition::Validation);
        corpus::check_no_overlap(train.iter().chain(&validation))?;
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
    /// A document longer than the capacity.
    pub fn batches(
        &self,
        partition: Partition,
        layout: Layout,
    ) -> Result<Vec<VariableBatch>, ChapterError> {
        Ok(corpus::batches(partition, &self.binding, self.documents(partition), layout)?)
    }

    /// The fresh decoder of a seed.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn fresh_model(&self, seed: u64) -> Result<DecoderModel<f64>, ChapterError> {
        let config = DecoderConfig::reference(self.binding.vocab_size, CAPACITY);
        Ok(DecoderModel::initialize(config.validate()?, seed))
    }

    /// A trainer with the chapter's schedule: a constant rate, clip limit 1, no decay, no dropout.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn trainer(&self, model: DecoderModel<f64>) -> Result<Trainer<f64>, ChapterError> {
        let schedule = Schedule::Constant { rate: LEARNING_RATE };
        Ok(Trainer::new(model, TrainingConfig { schedule, ..TrainingConfig::default() })?)
    }

    /// A frozen model's losses on a split, in batches of a layout.
    ///
    /// # Errors
    /// A loss that is not finite.
    pub fn score(
        &self,
        model: &DecoderModel<f64>,
        partition: Partition,
        layout: Layout,
    ) -> Result<ScoreRecord, ChapterError> {
        let batches = self.batches(partition, layout)?;
        let evaluation: Evaluation = evaluate(model, partition, &self.binding, &batches)?;
        Ok(ScoreRecord::from(&evaluation))
    }
}
