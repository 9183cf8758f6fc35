//! Make attention causal: a solution.

/// The attention weights of a text: `scores[t][j]` is how well the query of token t fits the key of
/// token j, and row t of the result says with which weights token t reads the values of all tokens.
/// A token sees itself and what came before it.
pub fn causal_weights(scores: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let visible = scores.iter().enumerate().map(|(t, row)| {
        let mut weights = softmax(&row[..=t]);
        weights.resize(row.len(), 0.0);
        weights
    });
    visible.collect()
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
