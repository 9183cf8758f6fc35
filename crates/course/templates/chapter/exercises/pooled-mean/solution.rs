//! Pool the losses of batches of different size: a solution.

/// The mean loss of all targets together, nats per target, from the total loss and the number of
/// targets of each batch; `None` if there are no targets.
pub fn pooled_mean(batches: &[(f64, usize)]) -> Option<f64> {
    let total: f64 = batches.iter().map(|&(total, _)| total).sum();
    let targets: usize = batches.iter().map(|&(_, targets)| targets).sum();
    (targets > 0).then(|| total / targets as f64)
}

#[cfg(test)]
mod tests;
