//! Keep the nucleus of a distribution (top-p): a solution.

/// Keeps the fewest most likely candidates whose probabilities add up to at least `p`, scales them to a
/// sum of 1, and gives the others 0. The probabilities are sorted, the largest first, and add up to 1;
/// `p` is above 0 and at most 1.
pub fn nucleus(probabilities: &[f64], p: f64) -> Vec<f64> {
    let mut sum = 0.0;
    let mut kept = Vec::new();
    for &probability in probabilities {
        // What was there before decides: the candidate that crosses p is still needed to reach it.
        kept.push(if sum < p { probability } else { 0.0 });
        sum += probability;
    }
    let total: f64 = kept.iter().sum();
    kept.iter().map(|probability| probability / total).collect()
}

#[cfg(test)]
mod tests;
