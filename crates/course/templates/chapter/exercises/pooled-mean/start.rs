//! Pool the losses of batches of different size.
//!
//! TODO(chapter): replace this exercise by yours. This file compiles and fails its tests.

/// The mean loss of all targets together, nats per target, from the total loss and the number of
/// targets of each batch; `None` if there are no targets.
pub fn pooled_mean(batches: &[(f64, usize)]) -> Option<f64> {
    // Every batch weighs the same here, whatever its size. Every target should.
    let means = batches.iter().map(|&(total, targets)| total / targets as f64);
    Some(means.sum::<f64>() / batches.len() as f64)
}

#[cfg(test)]
mod tests;
