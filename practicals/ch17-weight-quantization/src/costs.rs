//! The model after: bytes, errors of its weights, divergence of its distributions, losses.

use std::path::Path;

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::{corpus, quantization};
use serde::Serialize;

use corpus::Partition;
use quantization::{
    ErrorTable, QuantizedDecoder, QuantizedModel, TensorError, WeightFormat, distribution_shift,
};

use crate::Scored;

/// Tensors that are named as the worst.
const WORST: usize = 3;

/// What one format costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FormatReport {
    /// `int8` or `int4`.
    pub format: &'static str,
    /// Of codes, scales, gains.
    pub bytes: u64,
    /// Of the original divided by that.
    #[serde(serialize_with = "six_decimals")]
    pub times_smaller: f64,
    /// Identity of the quantized archive.
    pub model_sha256: String,
    /// Whether the archive, written and read back, scores with the same bits.
    pub restored_scores_same_bits: bool,
    /// Losses and distributions on both splits.
    pub splits: Vec<SplitReport>,
    /// Quantized tensors with the largest relative error, the worst first.
    pub worst_tensors: Vec<String>,
    /// Every tensor.
    pub tensors: Vec<TensorReport>,
}

/// What happened to the losses and distributions of a split.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SplitReport {
    /// `train` or `validation`.
    pub split: &'static str,
    /// Of the original and of the quantized model.
    #[serde(flatten)]
    pub loss: Loss,
    /// Divergence of the quantized distributions from the original ones, mean over targets.
    #[serde(serialize_with = "six_decimals")]
    pub mean_kl_nats: f64,
    /// The largest of them.
    #[serde(serialize_with = "six_decimals")]
    pub largest_kl_nats: f64,
    /// Targets at which the most probable token changed.
    pub top_1_flips: u64,
    /// Targets in all.
    pub targets: u64,
}

/// Mean losses in nats per target.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Loss {
    /// Of the original.
    #[serde(serialize_with = "six_decimals")]
    pub nll_before: f64,
    /// Of the quantized model.
    #[serde(serialize_with = "six_decimals")]
    pub nll_after: f64,
    /// The difference.
    #[serde(serialize_with = "six_decimals")]
    pub nll_change: f64,
}

/// The rounding error of a tensor.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TensorReport {
    /// The parameter.
    pub name: String,
    /// The largest error.
    #[serde(serialize_with = "six_decimals")]
    pub max_abs: f64,
    /// The root of the mean squared error.
    #[serde(serialize_with = "six_decimals")]
    pub rms: f64,
    /// That, divided by the root of the mean squared weight.
    #[serde(serialize_with = "six_decimals")]
    pub relative_rms: f64,
    /// Of the original elements.
    pub bytes_before: u64,
    /// Of codes and scales, or of elements that were kept.
    pub bytes_after: u64,
}

impl From<&TensorError> for TensorReport {
    fn from(error: &TensorError) -> Self {
        let TensorError { max_abs, rms, relative_rms, bytes_before, bytes_after, .. } = *error;
        Self { name: error.name.clone(), max_abs, rms, relative_rms, bytes_before, bytes_after }
    }
}

/// Quantizes a model, takes it through its archive, and compares what comes back with the original.
/// With `folder`, the archive is a file there; otherwise it is in memory.
///
/// # Errors
/// A weight without a code; a file that cannot be written; a loss that is not finite.
pub fn measure(
    original: &Scored,
    format: WeightFormat,
    folder: Option<&Path>,
) -> anyhow::Result<FormatReport> {
    let quantized = QuantizedDecoder::quantize(&original.model, format)?;
    let table = ErrorTable::new(&original.model, &quantized)?;
    let unsaved = Scored { model: quantized.decode(), ..original.clone() };
    let archive = QuantizedModel::new(quantized, &original.experiment.tokenizer)?;
    let restored = match folder {
        Some(folder) => {
            let path = folder.join(format.name()).with_extension("safetensors");
            archive.save(&path)?;
            QuantizedModel::load(&path)?
        }
        None => QuantizedModel::from_bytes(&archive.to_bytes())?,
    };
    let after = Scored { model: restored.decoder().decode(), ..original.clone() };
    let mut restored_scores_same_bits = true;
    let mut splits = Vec::new();
    for (split, partition) in [("train", Partition::Train), ("validation", Partition::Validation)] {
        let nll = |model: &Scored| anyhow::Ok(model.score(partition)?.mean_nll);
        let (nll_before, nll_after) = (nll(original)?, nll(&after)?);
        restored_scores_same_bits &= nll(&unsaved)?.to_bits() == nll_after.to_bits();
        let documents = original.experiment.documents(partition);
        let shift = distribution_shift(&original.model, restored.decoder(), documents)?;
        splits.push(SplitReport {
            split,
            loss: Loss { nll_before, nll_after, nll_change: nll_after - nll_before },
            mean_kl_nats: shift.mean_kl_nats,
            largest_kl_nats: shift.largest_kl_nats,
            top_1_flips: shift.top_1_flips,
            targets: shift.targets,
        });
    }
    Ok(FormatReport {
        format: format.name(),
        bytes: table.bytes_after(),
        times_smaller: table.bytes_before() as f64 / table.bytes_after() as f64,
        model_sha256: restored.model_id().to_owned(),
        restored_scores_same_bits,
        splits,
        worst_tensors: table.worst(WORST).iter().map(|tensor| tensor.name.clone()).collect(),
        tensors: table.tensors.iter().map(TensorReport::from).collect(),
    })
}
