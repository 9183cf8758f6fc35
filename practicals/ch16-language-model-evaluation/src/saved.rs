//! The trained model in a file that another process can use.

use std::num::NonZeroUsize;
use std::path::Path;

use llm_from_scratch_practical::archive::{ArchiveError, PortableModel};
use llm_from_scratch_practical::corpus::{Layout, Partition};
use llm_from_scratch_practical::model::DecoderModel;
use serde::Serialize;

use crate::setup::{CHAPTER, DATA_SCOPE, EXECUTION};
use crate::{Chapter, ChapterError, OBSERVED_UPDATES, Run, ScoreRecord};

/// The saved model, scored after it was restored.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SavedModelReport {
    /// The first seed of the experiment, whichever seed did best.
    pub seed: u64,
    /// The last update, whichever update did best.
    pub update: u64,
    /// Identity of the archive's content.
    pub model_sha256: String,
    /// `"in-memory"` or `"on-disk"`.
    pub round_trip: &'static str,
    /// Losses of the restored model.
    pub train: ScoreRecord,
    /// Losses of the restored model.
    pub validation: ScoreRecord,
    /// Whether they are the same f64 as before saving.
    pub matches_unsaved_model: bool,
}

/// Saves the trained model of a run to `path`, or to memory, restores it and scores what came back.
///
/// # Errors
/// A file that cannot be written or read back.
pub(crate) fn save_and_restore(
    chapter: &Chapter,
    run: &Run,
    model: &DecoderModel<f64>,
    path: Option<&Path>,
) -> Result<SavedModelReport, ChapterError> {
    let portable = PortableModel::new(model, &chapter.tokenizer)?;
    let restored = match path {
        Some(path) => {
            portable.save(path)?;
            load(path)?
        }
        None => PortableModel::from_bytes(&portable.to_bytes())?,
    };
    let scores = score(&restored, NonZeroUsize::MIN)?;
    let unsaved = run.checkpoints.last();
    let matches =
        unsaved.is_some_and(|c| c.train == scores.train && c.validation == scores.validation);
    Ok(SavedModelReport {
        seed: run.seed,
        update: OBSERVED_UPDATES[OBSERVED_UPDATES.len() - 1],
        model_sha256: restored.model_id().to_owned(),
        round_trip: if path.is_some() { "on-disk" } else { "in-memory" },
        train: scores.train,
        validation: scores.validation,
        matches_unsaved_model: matches,
    })
}

/// What `evaluate` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SavedEvaluation {
    /// Which chapter.
    pub chapter: &'static str,
    /// Whose bits these are.
    pub execution: &'static str,
    /// What was scored.
    pub data_scope: &'static str,
    /// Identity of the archive's content.
    pub model_sha256: String,
    /// Documents per batch.
    pub batch_rows: NonZeroUsize,
    /// Both splits.
    pub scores: Scores,
}

/// Losses of both splits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The documents that the chapter trains on.
    pub train: ScoreRecord,
    /// The documents that it holds out.
    pub validation: ScoreRecord,
}

/// Restores model and tokenizer from a file alone, encodes the four documents and scores them.
/// Nothing is trained and no tokenizer fitted.
///
/// # Errors
/// A file that is missing, damaged or no model of 64-bit weights; a loss that is not finite.
pub fn evaluate_saved(path: &Path, rows: NonZeroUsize) -> Result<SavedEvaluation, ChapterError> {
    let portable = load(path)?;
    Ok(SavedEvaluation {
        chapter: CHAPTER,
        execution: EXECUTION,
        data_scope: DATA_SCOPE,
        scores: score(&portable, rows)?,
        model_sha256: portable.model_id().to_owned(),
        batch_rows: rows,
    })
}

/// A model file of 64-bit weights.
fn load(path: &Path) -> Result<PortableModel<f64>, ChapterError> {
    PortableModel::load(path).map_err(|source| match source {
        ArchiveError::Io { .. } => ChapterError::Archive(source), // names the path itself
        _ => ChapterError::SavedModel { path: path.to_owned(), source },
    })
}

fn score(portable: &PortableModel<f64>, rows: NonZeroUsize) -> Result<Scores, ChapterError> {
    let (model, tokenizer) = portable.restore_text();
    let chapter = Chapter::encoded_with(tokenizer, model.config().context_len)?;
    let layout = Layout::Padded { rows };
    Ok(Scores {
        train: chapter.score(&model, Partition::Train, layout)?,
        validation: chapter.score(&model, Partition::Validation, layout)?,
    })
}
