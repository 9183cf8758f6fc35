//! Score each target of a long document once: a solution.

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
    if ids.len() < 2 || stride == 0 || stride >= window {
        return None;
    }
    let mut total = 0.0;
    let mut scored_up_to = 1; // position of the first target without a score
    let mut start = 0_usize;
    loop {
        let end = ids.len().min(start.saturating_add(window));
        let scores = log_probs(&ids[start..end]);
        if scores.len() != end - start - 1 {
            return None;
        }
        // Score j of the window belongs to position start + j + 1.
        total -= scores[scored_up_to - start - 1..].iter().sum::<f64>();
        scored_up_to = end;
        if end == ids.len() {
            return Some(total / (ids.len() - 1) as f64);
        }
        start += stride;
    }
}

#[cfg(test)]
mod tests;
