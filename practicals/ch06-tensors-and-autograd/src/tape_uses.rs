//! What a tape holds: nothing without a variable, nothing without recording, nothing after its use.

use llm_from_scratch_practical::autograd::{AutogradContext, Tensor, TensorValue};
use serde::Serialize;

/// Counts of recorded nodes for one computation, `sum(x * x + c)`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TapeUses {
    /// Recording, x a variable: the leaf and three operations.
    pub recorded_with_a_variable: usize,
    /// Recording, x a constant: nothing could ever ask for a gradient.
    pub recorded_with_constants: usize,
    /// Not recording.
    pub recorded_without_gradient: usize,
    /// Whether all three gave the same bits.
    pub same_bits: bool,
    /// On the first tape after its walk back.
    pub recorded_after_backward: usize,
    /// What a second walk over it is told.
    pub second_backward: String,
    /// What a walk back is told where nothing was recorded.
    pub backward_without_gradient: String,
}

/// Computes the same sum in three ways and walks back.
///
/// # Errors
/// None: the first walk over the first tape is allowed.
pub fn tape_uses() -> anyhow::Result<TapeUses> {
    let numbers = Tensor::new(&[3], vec![1.0, -2.0, 0.5]);
    let recording = AutogradContext::recording();
    let with_variable = computation(&recording, &recording.variable(&numbers));
    let recorded_with_a_variable = recording.recorded_nodes();

    let constants = AutogradContext::recording();
    let with_constants = computation(&constants, &constants.constant(&numbers));
    let no_grad = AutogradContext::no_grad();
    let without_gradient = computation(&no_grad, &no_grad.variable(&numbers));

    let outputs = [&with_variable, &with_constants, &without_gradient];
    let bits = outputs.map(|output| output.tensor().bits());
    recording.backward(&with_variable)?;
    let refusal = |context: &AutogradContext<f64>, output: &TensorValue<f64>| {
        context.backward(output).expect_err("it has no tape to walk over").to_string()
    };
    Ok(TapeUses {
        recorded_with_a_variable,
        recorded_with_constants: constants.recorded_nodes(),
        recorded_without_gradient: no_grad.recorded_nodes(),
        same_bits: bits.iter().all(|other| *other == bits[0]),
        recorded_after_backward: recording.recorded_nodes(),
        second_backward: refusal(&recording, &with_variable),
        backward_without_gradient: refusal(&no_grad, &without_gradient),
    })
}

/// `sum(x * x + c)` with a constant c.
fn computation(context: &AutogradContext<f64>, x: &TensorValue<f64>) -> TensorValue<f64> {
    let c = context.constant(&Tensor::scalar(0.25));
    let c = context.broadcast_to(&c, x.shape()); // a constant too: not recorded
    context.sum(&context.add(&context.mul(x, x), &c))
}
