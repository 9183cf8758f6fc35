//! Chapter 16: compare training and held-out loss.
//!
//! An optimizer sees the targets of the training documents and nothing else. Freezing the weights
//! now and then and scoring both splits by the same rules shows what that does: training loss keeps
//! falling while held-out loss turns and rises.
//!
//! Read in this order: `setup` (what is fixed), `weighting` (how losses are pooled), `layouts`
//! (storage does not matter), `baseline` (what a count model reaches), `runs` (train, freeze,
//! score), `saved` (the model in a file), `experiment` (all of it), `figure`.
#![forbid(unsafe_code)]

mod args;
mod baseline;
mod error;
mod experiment;
mod figure;
mod layouts;
mod records;
mod runs;
mod saved;
mod setup;
mod weighting;

pub use args::{Args, Command, EvaluateArgs, ExperimentArgs, Seeds, run};
pub use baseline::{BaselineReport, baseline};
pub use error::ChapterError;
pub use experiment::{ExperimentReport, experiment};
pub use figure::render_figure;
pub use layouts::{LayoutComparison, compare_layouts};
pub use records::ScoreRecord;
pub use runs::{Checkpoint, OverfittingInterval, Run, SeedSummaryReport, train_and_observe};
pub use saved::{SavedEvaluation, SavedModelReport, Scores, evaluate_saved};
pub use setup::{Chapter, DECLARED_SEEDS, OBSERVED_UPDATES};
pub use weighting::{WeightingReport, weighting_probe};
