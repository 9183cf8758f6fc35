//! Accumulate the gradient of a line's slope over microbatches of different size: a solution.

/// The gradient with respect to `w` of the mean of `(w x - y)^2 / 2` over all pairs `(x, y)` of all
/// microbatches. There is at least one pair; a microbatch may be empty.
pub fn accumulated_gradient(w: f64, microbatches: &[Vec<(f64, f64)>]) -> f64 {
    let (mut sum, mut count) = (0.0, 0);
    for microbatch in microbatches {
        for (x, y) in microbatch {
            sum += (w * x - y) * x;
        }
        count += microbatch.len();
    }
    sum / count as f64
}

#[cfg(test)]
mod tests;
