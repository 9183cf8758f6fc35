//! A whole model: the state that its optimizer keeps, and what weight decay reaches.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::autograd::Kernels;
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::trainer::{AdamW, AdamWConfig};
use serde::Serialize;

/// The optimizer's state of a small decoder.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelState {
    /// Numbers that are trained.
    pub weights: usize,
    /// Numbers that the optimizer keeps beside them.
    pub moments: usize,
    /// Every parameter.
    pub parameters: Vec<ParameterState>,
}

/// One parameter after one step with gradients of zero, so that decay is all that can move it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterState {
    /// Its name.
    pub name: String,
    /// Its shape; one length for a gain, two for a matrix.
    pub shape: Vec<usize>,
    /// Numbers in its two moments.
    pub moments: usize,
    /// What is left of its first element, as a share.
    #[serde(serialize_with = "six_decimals")]
    pub kept: f64,
}

/// Takes one step with gradients of zero in a fresh decoder of width 8 and looks at what moved.
///
/// # Errors
/// Numbers of the optimizer that cannot be.
pub fn model_state(config: AdamWConfig, rate: f64) -> anyhow::Result<ModelState> {
    let fresh = DecoderModel::<f64>::initialize(DecoderConfig::reference(266, 8).validate()?, 39);
    let mut model = fresh.clone();
    let mut optimizer = AdamW::new(config, model.parameters())?;
    optimizer.step(Kernels::detect(), model.parameters_mut(), rate);

    let before_and_after = fresh.parameters().iter().zip(model.parameters());
    let parameters: Vec<_> = before_and_after
        .zip(optimizer.moments())
        .map(|((before, after), moments)| ParameterState {
            name: before.name().to_owned(),
            shape: before.value().shape().to_vec(),
            moments: moments[0].len() + moments[1].len(),
            kept: after.value().data()[0] / before.value().data()[0],
        })
        .collect();
    Ok(ModelState {
        weights: fresh.parameters().iter().map(|parameter| parameter.value().len()).sum(),
        moments: parameters.iter().map(|parameter| parameter.moments).sum(),
        parameters,
    })
}
