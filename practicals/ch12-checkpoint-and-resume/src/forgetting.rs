//! A checkpoint in which one part was forgotten, to see that each part is needed.

use std::path::Path;

use llm_from_scratch_practical::archive::{Container, TensorData, Values};
use llm_from_scratch_practical::trainer::CHECKPOINT_KIND;
use serde::Serialize;
use serde_json::{Value, json};

/// What somebody might leave out of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Both moments of every weight.
    Moments,
    /// How far the bias corrections are.
    BiasCorrections,
    /// The number of updates made: schedule and dropout masks begin again.
    UpdateCount,
    /// Which documents come next.
    DataOrder,
}

/// Replaces one part of the checkpoint at `path` by what it was before the first update.
///
/// # Errors
/// No whole checkpoint at `path`, or a file that cannot be written.
pub fn forget(part: Part, path: &Path) -> anyhow::Result<()> {
    let container = Container::load(path, CHECKPOINT_KIND)?;
    let mut metadata: Value = container.header().metadata()?;
    let mut tensors = container.into_tensors();
    let progress = &mut metadata["progress"];
    match part {
        Part::Moments => {
            for tensor in tensors.iter_mut().filter(|tensor| tensor.name.contains("_moment/")) {
                zero(tensor);
            }
        }
        Part::BiasCorrections => progress["powers"] = json!([1.0, 1.0]),
        Part::UpdateCount => progress["updates"] = json!(0),
        Part::DataOrder => (progress["epoch"], progress["taken"]) = (json!(0), json!(0)),
    }
    Ok(Container::new(CHECKPOINT_KIND, &metadata, tensors)?.save(path)?)
}

fn zero(tensor: &mut TensorData<'_>) {
    let count = tensor.shape.iter().product();
    tensor.values = Values::from(vec![0.0_f32; count]);
}
