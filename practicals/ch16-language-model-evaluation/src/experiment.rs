//! The whole experiment.

use std::path::Path;

use serde::Serialize;

use crate::saved::save_and_restore;
use crate::setup::{CHAPTER, DATA_SCOPE, EXECUTION};
use crate::{
    BaselineReport, Chapter, ChapterError, LayoutComparison, Run, SavedModelReport,
    SeedSummaryReport, Seeds, WeightingReport, baseline, compare_layouts, train_and_observe,
    weighting_probe,
};

/// What `experiment` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperimentReport {
    /// Which chapter.
    pub chapter: &'static str,
    /// Whose bits these are.
    pub execution: &'static str,
    /// What was scored.
    pub data_scope: &'static str,
    /// How losses are pooled, and how not.
    pub weighting: WeightingReport,
    /// The fresh model of the first seed under three layouts.
    pub layout_comparison: LayoutComparison,
    /// The count model.
    pub baseline: BaselineReport,
    /// One run for each seed, in the order given.
    pub runs: Vec<Run>,
    /// The spread over seeds.
    pub final_validation_seed_summary: SeedSummaryReport,
    /// The first seed's model, saved and restored.
    pub saved_first_seed_model: SavedModelReport,
}

/// Runs everything for the given seeds. The first seed's trained model is written to `save_model`,
/// or only to memory.
///
/// # Errors
/// A file that cannot be written; divergence.
pub fn experiment(
    seeds: &Seeds,
    save_model: Option<&Path>,
) -> Result<ExperimentReport, ChapterError> {
    let chapter = Chapter::new()?;
    let (first_run, first_model) = train_and_observe(&chapter, seeds.first())?;
    let saved_first_seed_model = save_and_restore(&chapter, &first_run, &first_model, save_model)?;
    let mut runs = vec![first_run];
    for &seed in seeds.others() {
        runs.push(train_and_observe(&chapter, seed)?.0);
    }
    Ok(ExperimentReport {
        chapter: CHAPTER,
        execution: EXECUTION,
        data_scope: DATA_SCOPE,
        weighting: weighting_probe()?,
        layout_comparison: compare_layouts(&chapter, seeds.first())?,
        baseline: baseline(&chapter)?,
        final_validation_seed_summary: SeedSummaryReport::of(&runs)?,
        runs,
        saved_first_seed_model,
    })
}
