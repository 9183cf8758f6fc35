//! Score each target of a long document once.
//!
//! This scores the last `stride` targets of every window. Which targets does it lose, and which does
//! it count twice? Repair it, and refuse what has no score.

/// Mean negative log-likelihood (nats per target) of all ids but the first, scored in windows of at
/// most `window` ids that start at 0, `stride`, 2 `stride`, ... and stop with the first that reaches
/// the end. A target is scored by the first window in which an id stands before it.
///
/// `log_probs` gives, for the ids of a window, one log-probability for each id but the first, given
/// the ids before it in the window. `None` unless there are two ids, `stride` is from 1 to
/// `window - 1`, and each answer of `log_probs` has the right length.
pub fn sliding_window_nll(
    ids: &[u32],
    mut log_probs: impl FnMut(&[u32]) -> Vec<f64>,
    window: usize,
    stride: usize,
) -> Option<f64> {
    if stride == 0 {
        return None; // would never end
    }
    let mut total = 0.0;
    let mut start = 0_usize;
    loop {
        let end = ids.len().min(start + window);
        let scores = log_probs(&ids[start..end]);
        let new = stride.min(scores.len());
        total -= scores[scores.len() - new..].iter().sum::<f64>();
        if end == ids.len() {
            return Some(total / (ids.len() - 1) as f64);
        }
        start += stride;
    }
}

#[cfg(test)]
mod tests;
