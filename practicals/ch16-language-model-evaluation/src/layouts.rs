//! The same documents stored in three ways.

use std::num::NonZeroUsize;

use llm_from_scratch_practical::corpus::{Layout, Partition};
use serde::Serialize;

use crate::{Chapter, ChapterError, ScoreRecord};

/// Most that two layouts' means may differ; they do not differ at all, and the test says so.
const TOLERANCE: f64 = 1e-12;

/// Validation losses of one fresh model under three layouts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct LayoutComparison {
    /// One document per batch.
    pub separate: ScoreRecord,
    /// All documents in one batch, one per row.
    pub padded: ScoreRecord,
    /// All documents in one batch, as many per row as fit.
    pub packed: ScoreRecord,
    /// Rows of the packed batch.
    pub packed_rows: usize,
    /// Between the means of any two layouts, nats per target, unrounded.
    pub largest_absolute_nll_difference: f64,
    /// What the difference is compared with.
    pub tolerance: f64,
    /// Whether the three means are the same f64.
    pub bitwise_equal: bool,
}

/// Scores the fresh model of a seed on validation under three layouts.
///
/// # Errors
/// [`ChapterError::LayoutsDisagree`] if the means differ by more than the tolerance.
pub fn compare_layouts(chapter: &Chapter, seed: u64) -> Result<LayoutComparison, ChapterError> {
    let (model, partition) = (chapter.fresh_model(seed)?, Partition::Validation);
    let rows = NonZeroUsize::new(chapter.validation.len()).unwrap_or(NonZeroUsize::MIN);
    let packed_layout = Layout::Packed { rows };
    let separate = chapter.score(&model, partition, Layout::SEPARATE)?;
    let padded = chapter.score(&model, partition, Layout::Padded { rows })?;
    let packed = chapter.score(&model, partition, packed_layout)?;
    let packed_batches = chapter.batches(partition, packed_layout)?;

    let means = [separate, padded, packed].map(|record| record.mean_nll);
    let lowest = means.into_iter().fold(f64::INFINITY, f64::min);
    let highest = means.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let difference = highest - lowest;
    if difference.is_nan() || difference > TOLERANCE {
        return Err(ChapterError::LayoutsDisagree { difference, tolerance: TOLERANCE });
    }
    Ok(LayoutComparison {
        separate,
        padded,
        packed,
        packed_rows: packed_batches.iter().map(|batch| batch.rows()).sum(),
        largest_absolute_nll_difference: difference,
        tolerance: TOLERANCE,
        bitwise_equal: means.iter().all(|mean| mean.to_bits() == means[0].to_bits()),
    })
}
