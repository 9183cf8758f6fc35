//! A quantized model in a file that another process can score.

use std::path::Path;

use llm_chapter_kit::MetricRecord;
use llm_from_scratch_practical::{corpus, quantization, trainer};
use serde::Serialize;

use corpus::Partition;
use quantization::QuantizedModel;
use trainer::ReferenceExperiment;

use crate::Scored;
use crate::models::unusable;

/// What `evaluate` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SavedEvaluation {
    /// Which chapter.
    pub chapter: &'static str,
    /// `int8` or `int4`, as the file says.
    pub format: &'static str,
    /// Identity of the quantized archive.
    pub model_sha256: String,
    /// Losses of the documents that the model was trained on.
    pub train: MetricRecord,
    /// Losses of the held-out ones.
    pub validation: MetricRecord,
}

/// Restores codes, scales and tokenizer from a file alone and scores the four documents.
///
/// # Errors
/// A file that is missing, damaged or no quantized model of 64-bit gains; a loss that is not finite.
pub fn evaluate_saved(path: &Path) -> anyhow::Result<SavedEvaluation> {
    let archive = QuantizedModel::<f64>::load(path)
        .map_err(|error| unusable(path, "quantized model", error))?;
    let (tokenizer, model) = (archive.tokenizer().clone(), archive.decoder().decode());
    let capacity = model.config().context_len;
    let experiment = ReferenceExperiment::encoded_with(tokenizer, capacity)?;
    let scored = Scored { experiment, model };
    Ok(SavedEvaluation {
        chapter: "17-weight-quantization",
        format: archive.decoder().format().name(),
        model_sha256: archive.model_id().to_owned(),
        train: scored.score(Partition::Train)?,
        validation: scored.score(Partition::Validation)?,
    })
}
