//! What counting pairs of tokens reaches on the same targets.

use llm_chapter_kit::MetricRecord;
use llm_from_scratch_practical::baselines::BigramModel;
use llm_from_scratch_practical::corpus::{Layout, Partition};
use llm_from_scratch_practical::evaluation::score_bigram;
use serde::Serialize;

use crate::{Chapter, ChapterError};

/// The add-one bigram, fitted on the training documents and frozen.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BaselineReport {
    /// Which model it is.
    pub model: &'static str,
    /// Ids it spreads probability over.
    pub vocabulary_size: usize,
    /// Pairs it counted.
    pub training_transitions: u64,
    /// Its losses on the targets it was fitted on.
    pub train: MetricRecord,
    /// Its losses on held-out targets.
    pub validation: MetricRecord,
}

/// Fits on the training split and scores both.
///
/// # Errors
/// None that the constants can cause.
pub fn baseline(chapter: &Chapter) -> Result<BaselineReport, ChapterError> {
    let vocabulary_size = chapter.binding.vocab_size;
    let bigram = BigramModel::fit(vocabulary_size, &chapter.train)?;
    let score = |partition| -> Result<MetricRecord, ChapterError> {
        let batches = chapter.batches(partition, Layout::SEPARATE)?;
        let metrics = score_bigram(&bigram, partition, &chapter.binding, &batches)?;
        Ok(MetricRecord::from(&metrics))
    };
    Ok(BaselineReport {
        model: "add-one-bigram",
        vocabulary_size,
        training_transitions: bigram.transitions(),
        train: score(Partition::Train)?,
        validation: score(Partition::Validation)?,
    })
}
