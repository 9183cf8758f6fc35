//! Clip the gradients of several tensors by their common norm: a solution.

/// Shortens the gradients of all tensors so that the norm of all elements together is at most
/// `limit`, which is above 0. The direction stays.
pub fn clip(gradients: &mut [Vec<f64>], limit: f64) {
    let norm = gradients.iter().flatten().map(|g| g * g).sum::<f64>().sqrt();
    if norm > limit {
        gradients.iter_mut().flatten().for_each(|g| *g *= limit / norm);
    }
}

#[cfg(test)]
mod tests;
