//! Keep a log-softmax in range.
//!
//! The formula is right, and for small logits so are the results. Large and very small ones leave
//! the range of the exponential on the way.

/// Log-probabilities in nats of a row of at least one finite logit:
/// `ln p_i = z_i - ln sum_j exp(z_j)`.
pub fn log_softmax(logits: &[f64]) -> Vec<f64> {
    let sum: f64 = logits.iter().map(|&logit| libm::exp(logit)).sum();
    logits.iter().map(|&logit| libm::log(libm::exp(logit) / sum)).collect()
}

#[cfg(test)]
mod tests;
