//! Pool the losses of several domains.

/// A domain: its mean loss and how many targets it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    /// Nats per target.
    pub mean_nll: f64,
    /// Scored targets.
    pub targets: usize,
}

/// The perplexity over all targets of all domains.
pub fn observed_perplexity(domains: &[Domain]) -> f64 {
    let nats: f64 = domains.iter().map(|domain| domain.mean_nll * domain.targets as f64).sum();
    let targets: usize = domains.iter().map(|domain| domain.targets).sum();
    (nats / targets as f64).exp()
}

/// The perplexity under declared weights, one for each domain; `None` if they do not sum to one
/// or are not as many as the domains.
pub fn declared_perplexity(domains: &[Domain], weights: &[f64]) -> Option<f64> {
    let sum: f64 = weights.iter().sum();
    if weights.len() != domains.len() || (sum - 1.0).abs() > 1e-9 {
        return None;
    }
    let parts = domains.iter().zip(weights);
    let mean: f64 = parts.map(|(domain, weight)| weight * domain.mean_nll).sum();
    Some(mean.exp())
}

#[cfg(test)]
mod tests;
