//! Keep a log-softmax in range: a solution.

/// Log-probabilities in nats of a row of at least one finite logit:
/// `ln p_i = z_i - ln sum_j exp(z_j)`.
pub fn log_softmax(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = logits.iter().map(|&logit| libm::exp(logit - largest)).sum();
    let log_sum = libm::log(sum);
    logits.iter().map(|&logit| (logit - largest) - log_sum).collect()
}

#[cfg(test)]
mod tests;
