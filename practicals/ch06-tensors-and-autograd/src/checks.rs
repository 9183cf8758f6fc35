//! Gradients against difference quotients: which step is best, and every operation.

use llm_chapter_kit::two_digits;
use llm_from_scratch_practical::autograd::{Tensor, check_operations, gradient_check};
use serde::Serialize;

/// The error of a central difference of exp at 1, whose slope is e.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StepRow {
    /// The step h of (f(x + h) - f(x - h)) / 2h.
    pub step: f64,
    /// |quotient - gradient| / max(1, |quotient|, |gradient|), two digits of it.
    #[serde(serialize_with = "two_digits")]
    pub error: f64,
}

/// Steps from a tenth to a millionth of a millionth.
pub fn step_rows() -> Vec<StepRow> {
    let steps = [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 1e-10, 1e-12];
    let row = |step| {
        let one = Tensor::scalar(1.0);
        let check = gradient_check(&[one], step, |context, x| context.exp(&x[0]));
        StepRow { step, error: check.largest_error }
    };
    steps.map(row).to_vec()
}

/// One operation, checked in every element of every input.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OperationRow {
    /// Its name on the tape.
    pub operation: &'static str,
    /// Shapes of its inputs.
    pub inputs: String,
    /// How many elements were compared.
    pub compared: usize,
    /// The largest error, measured as in [`StepRow`], at a step of 1e-5.
    #[serde(serialize_with = "two_digits")]
    pub largest_error: f64,
}

/// The library's own table, measured here.
pub fn operation_rows() -> Vec<OperationRow> {
    let checks = check_operations().into_iter();
    let row = checks.map(|checked| OperationRow {
        operation: checked.operation,
        inputs: checked.shapes.iter().map(|s| format!("{s:?}")).collect::<Vec<_>>().join(" "),
        compared: checked.check.compared,
        largest_error: checked.check.largest_error,
    });
    row.collect()
}
