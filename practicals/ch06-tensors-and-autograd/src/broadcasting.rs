//! A row that meets every row of a matrix, and the sum along an axis that undoes it.

use llm_from_scratch_practical::autograd::{AutogradContext, Tensor};
use serde::Serialize;

/// The sum of `matrix * row`, forward and back.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BroadcastingReport {
    /// Shape `[2, 3]`.
    pub matrix: Vec<Vec<f64>>,
    /// Shape `[3]`; repeated to `[2, 3]`.
    pub row: Vec<f64>,
    /// Sums of `matrix * row` along axis 1, shape `[2, 1]`.
    pub sums_along_axis_1: Vec<f64>,
    /// The sum of these: what is differentiated.
    pub total: f64,
    /// The operations on the tape.
    pub tape: Vec<&'static str>,
    /// d total / d row, shape `[3]`.
    pub gradient_of_row: Vec<f64>,
    /// d total / d matrix, shape `[2, 3]`.
    pub gradient_of_matrix: Vec<Vec<f64>>,
}

/// Multiplies, sums and walks back.
///
/// # Errors
/// None: the tape is fresh and its output a scalar.
pub fn broadcasting() -> anyhow::Result<BroadcastingReport> {
    let context = AutogradContext::recording();
    let matrix = context.variable(&Tensor::new(&[2, 3], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]));
    let row = context.variable(&Tensor::new(&[3], vec![1.0, 10.0, 100.0]));
    let products = context.mul(&matrix, &row); // [2, 3]
    let sums = context.sum_axis(&products, 1); // [2, 1]
    let total = context.sum(&sums);
    let tape = context.nodes().iter().map(|node| node.operation).collect();
    let gradients = context.backward(&total)?;
    let of_matrix = gradients.of(&matrix).expect("the total depends on the matrix");
    let of_row = gradients.of(&row).expect("the total depends on the row");
    Ok(BroadcastingReport {
        matrix: rows(matrix.tensor()),
        row: row.data().to_vec(),
        sums_along_axis_1: sums.data().to_vec(),
        total: total.tensor().item(),
        tape,
        gradient_of_row: of_row.data().to_vec(),
        gradient_of_matrix: rows(&of_matrix),
    })
}

fn rows(matrix: &Tensor<f64>) -> Vec<Vec<f64>> {
    (0..matrix.shape()[0]).map(|row| matrix.row(row).to_vec()).collect()
}
