//! Train, freeze, score, go on.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::corpus::{Layout, Partition};
use llm_from_scratch_practical::metrics::{SeedSummary, seed_summary};
use llm_from_scratch_practical::model::DecoderModel;
use serde::Serialize;

use crate::{Chapter, ChapterError, OBSERVED_UPDATES, ScoreRecord};

/// Observed updates between which the sign of overfitting is looked for.
const INTERVALS: [(u64, u64); 2] = [(20, 40), (40, 80)];

/// Losses of one seed's model while it is trained.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Run {
    /// Seed of the initialization.
    pub seed: u64,
    /// Both splits at the observed updates.
    pub checkpoints: Vec<Checkpoint>,
    /// What happened between updates 20, 40 and 80.
    pub overfitting_intervals: Vec<OverfittingInterval>,
    /// The observed update with the lowest validation loss. Other updates were not looked at.
    pub lowest_observed_validation_update: u64,
}

/// A frozen model, scored.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Checkpoint {
    /// Number of updates made before.
    pub update: u64,
    /// Losses on the documents that were trained on.
    pub train: ScoreRecord,
    /// Losses on held-out documents.
    pub validation: ScoreRecord,
}

/// Changes of the mean losses from one observed update to a later one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct OverfittingInterval {
    /// Update at its beginning.
    pub from: u64,
    /// Update at its end.
    pub to: u64,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub train_change: f64,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub validation_change: f64,
    /// The sign of overfitting, decided on unrounded values.
    pub training_fell_and_validation_rose: bool,
}

/// Trains the model of a seed for 80 updates and scores it at the observed ones. Only training
/// documents reach the optimizer: two microbatches of one document each in every update.
///
/// # Errors
/// Divergence, which the chapter's seeds do not show.
pub fn train_and_observe(
    chapter: &Chapter,
    seed: u64,
) -> Result<(Run, DecoderModel<f64>), ChapterError> {
    let microbatches = chapter.batches(Partition::Train, Layout::SEPARATE)?;
    let mut trainer = chapter.trainer(chapter.fresh_model(seed)?)?;
    let mut checkpoints = Vec::with_capacity(OBSERVED_UPDATES.len());
    for update in OBSERVED_UPDATES {
        while trainer.updates() < update {
            trainer.update(&chapter.binding, &microbatches)?;
        }
        let score = |partition| chapter.score(trainer.model(), partition, Layout::SEPARATE);
        let (train, validation) = (score(Partition::Train)?, score(Partition::Validation)?);
        checkpoints.push(Checkpoint { update, train, validation });
    }
    Ok((Run::new(seed, checkpoints), trainer.into_model()))
}

impl Run {
    fn new(seed: u64, checkpoints: Vec<Checkpoint>) -> Self {
        let at = |update| checkpoints.iter().find(move |c| c.update == update);
        let intervals = INTERVALS
            .iter()
            .filter_map(|&(from, to)| Some(OverfittingInterval::between(at(from)?, at(to)?)));
        let overfitting_intervals = intervals.collect();
        let lowest = checkpoints.iter().min_by(|a, b| {
            a.validation.mean_nll.total_cmp(&b.validation.mean_nll) // the earliest of equals
        });
        Self {
            seed,
            lowest_observed_validation_update: lowest.map_or(0, |checkpoint| checkpoint.update),
            overfitting_intervals,
            checkpoints,
        }
    }

    /// Validation loss after the last update, unrounded.
    pub(crate) fn final_validation_nll(&self) -> f64 {
        self.checkpoints.last().map_or(f64::NAN, |checkpoint| checkpoint.validation.mean_nll)
    }
}

impl OverfittingInterval {
    fn between(from: &Checkpoint, to: &Checkpoint) -> Self {
        let train_change = to.train.mean_nll - from.train.mean_nll;
        let validation_change = to.validation.mean_nll - from.validation.mean_nll;
        Self {
            from: from.update,
            to: to.update,
            train_change,
            validation_change,
            training_fell_and_validation_rose: train_change < 0.0 && validation_change > 0.0,
        }
    }
}

/// The spread of the final validation losses over the seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeedSummaryReport {
    /// Number of seeds.
    pub seed_count: usize,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub mean_nll: f64,
    /// Divided by one less than the count; none for one seed.
    #[serde(serialize_with = "six_decimals")]
    pub sample_standard_deviation_nll: Option<f64>,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub minimum_nll: f64,
    /// Nats per target.
    #[serde(serialize_with = "six_decimals")]
    pub maximum_nll: f64,
    /// What the spread says and what it does not.
    pub interpretation: &'static str,
}

impl SeedSummaryReport {
    /// Summarises the last checkpoints of all runs.
    pub(crate) fn of(runs: &[Run]) -> Result<Self, ChapterError> {
        let finals: Vec<f64> = runs.iter().map(Run::final_validation_nll).collect();
        let SeedSummary { count, mean, sample_standard_deviation, minimum, maximum } =
            seed_summary(&finals)?;
        Ok(Self {
            seed_count: count,
            mean_nll: mean,
            sample_standard_deviation_nll: sample_standard_deviation,
            minimum_nll: minimum,
            maximum_nll: maximum,
            interpretation: "how much the initialization moves the final loss on this one \
                constructed validation split; not an interval for any population of texts",
        })
    }
}
