//! One loss of one prediction: every value on the way forward, every gradient on the way back.

use llm_from_scratch_practical::autograd::{AutogradContext, Tensor};
use serde::Serialize;

use crate::Args;

/// The names of the nodes, in the order in which they are recorded.
const NAMES: [&str; 8] =
    ["weight", "input", "bias", "target", "product", "prediction", "error", "loss"];

/// The graph of (w x + b - t)^2.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScalarGraph {
    /// What is computed.
    pub formula: &'static str,
    /// The tape after the forward pass, first node first.
    pub forward: Vec<ForwardRow>,
    /// The walk back, from the loss to the leaves.
    pub backward: Vec<BackwardRow>,
}

/// One node of the tape.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForwardRow {
    /// Its place on the tape.
    pub node: usize,
    /// What the formula calls it.
    pub name: &'static str,
    /// The operation that made it; `variable` for a leaf.
    pub operation: &'static str,
    /// What it was computed from.
    pub from: Vec<&'static str>,
    /// Its value.
    pub value: f64,
}

/// One step of the walk back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BackwardRow {
    /// Whose gradient is complete.
    pub name: &'static str,
    /// The operation that made it.
    pub operation: &'static str,
    /// d loss / d this value.
    pub gradient: f64,
    /// Who is passed a share.
    pub to: Vec<&'static str>,
    /// What these have after the step, the sum of all shares so far.
    pub they_have: Vec<f64>,
}

/// Computes the loss of the arguments and walks back from it.
///
/// # Errors
/// None: the tape is fresh and its output a scalar.
pub fn scalar_graph(args: &Args) -> anyhow::Result<ScalarGraph> {
    let context = AutogradContext::recording();
    let [w, x, b, t] = [args.weight, args.input, args.bias, args.target]
        .map(|number| context.variable(&Tensor::scalar(number)));
    let product = context.mul(&w, &x);
    let prediction = context.add(&product, &b);
    let error = context.sub(&prediction, &t);
    let loss = context.mul(&error, &error);

    let values = [&w, &x, &b, &t, &product, &prediction, &error, &loss];
    let rows = context.nodes().into_iter().zip(values).zip(NAMES).enumerate();
    let forward = rows.map(|(node, ((recorded, value), name))| ForwardRow {
        node,
        name,
        operation: recorded.operation,
        from: recorded.parents.iter().map(|&parent| NAMES[parent]).collect(),
        value: value.tensor().item(),
    });
    let forward = forward.collect();

    let mut backward = Vec::new();
    context.backward_watched(&loss, |step| {
        backward.push(BackwardRow {
            name: NAMES[step.node],
            operation: step.operation,
            gradient: step.gradient[0],
            to: step.parents.iter().map(|&(parent, _)| NAMES[parent]).collect(),
            they_have: step.parents.iter().map(|(_, gradient)| gradient[0]).collect(),
        });
    })?;
    let formula = "loss = (weight * input + bias - target)^2";
    Ok(ScalarGraph { formula, forward, backward })
}
