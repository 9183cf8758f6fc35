//! What is fixed before the experiment runs, and how its models are scored.

use std::ops::Deref;

use llm_from_scratch_practical::{corpus, evaluation, model, tokenizer, trainer};

use corpus::{Layout, Partition};
use evaluation::{Evaluation, evaluate};
use model::DecoderModel;
use tokenizer::Tokenizer;
use trainer::ReferenceExperiment;

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
pub const DECLARED_SEEDS: [u64; 3] = ReferenceExperiment::SEEDS;
/// Updates after which both splits are scored.
pub const OBSERVED_UPDATES: [u64; 5] = [0, 10, 20, 40, ReferenceExperiment::UPDATES];

/// The [`ReferenceExperiment`], scored.
#[derive(Clone, Debug)]
pub struct Chapter(pub ReferenceExperiment);

impl Deref for Chapter {
    type Target = ReferenceExperiment;
    fn deref(&self) -> &ReferenceExperiment {
        &self.0
    }
}

impl Chapter {
    /// The chapter's documents under the chapter-4 tokenizer.
    ///
    /// # Errors
    /// None that the constants can cause.
    pub fn new() -> Result<Self, ChapterError> {
        Ok(Self(ReferenceExperiment::new()?))
    }

    /// The chapter's documents under another tokenizer, such as one restored from a file.
    ///
    /// # Errors
    /// A byte that the tokenizer lacks; a document longer than the capacity.
    pub fn encoded_with(tokenizer: Tokenizer, capacity: usize) -> Result<Self, ChapterError> {
        Ok(Self(ReferenceExperiment::encoded_with(tokenizer, capacity)?))
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
