//! Documents in rectangles.

use std::num::NonZeroUsize;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::corpus::{
    BatchBinding, CorpusError, EncodedDocument, Layout, Partition, VariableBatch, batches,
};
use llm_from_scratch_practical::tokenizer::{TokenId, Tokenizer};
use serde::Serialize;

/// One batch. Inputs, targets and mask have a list for each row; a missing id is padding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BatchReport {
    /// What the model reads.
    pub inputs: Vec<Vec<Option<TokenId>>>,
    /// What it should predict at the same place: the inputs shifted by one.
    pub targets: Vec<Vec<Option<TokenId>>>,
    /// 1 where the target counts.
    pub loss_mask: Vec<Vec<u8>>,
    /// Inputs of each row.
    pub lengths: Vec<usize>,
    /// Rows times columns.
    pub cells: usize,
    /// Cells whose target counts.
    pub target_count: usize,
    /// The mean of a loss of 1 nat for every target, taken over targets: 1.
    #[serde(serialize_with = "six_decimals")]
    pub mean_over_targets: f64,
    /// The same losses over all cells: a mistake that makes a model look better the more padding
    /// its batches have.
    #[serde(serialize_with = "six_decimals")]
    pub incorrect_mean_over_cells: f64,
}

/// Batches of at most `rows` documents in the order given.
///
/// # Errors
/// A document longer than the capacity.
pub(crate) fn build(
    documents: &[EncodedDocument],
    tokenizer: &Tokenizer,
    capacity: usize,
    rows: NonZeroUsize,
) -> Result<Vec<BatchReport>, CorpusError> {
    let binding = BatchBinding::new(tokenizer, capacity);
    let batches = batches(Partition::Train, &binding, documents, Layout::Padded { rows })?;
    Ok(batches.iter().map(describe).collect())
}

fn describe(batch: &VariableBatch) -> BatchReport {
    let cells = batch.rows() * batch.width();
    let mask = batch.loss_mask().chunks(batch.width());
    let total_nll = batch.target_count() as f64; // 1 nat for each target
    BatchReport {
        inputs: batch.input_rows(),
        targets: batch.target_rows(),
        loss_mask: mask.map(|row| row.iter().map(|&counts| u8::from(counts)).collect()).collect(),
        lengths: batch.lengths().to_vec(),
        cells,
        target_count: batch.target_count(),
        mean_over_targets: total_nll / batch.target_count() as f64,
        incorrect_mean_over_cells: total_nll / cells as f64,
    }
}
