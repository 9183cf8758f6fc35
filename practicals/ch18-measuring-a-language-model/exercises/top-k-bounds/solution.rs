//! Count top-k misses where probabilities tie: a solution.

/// A row of probabilities, `[V]`, and the token that came.
pub type Prediction<'a> = (&'a [f64], usize);

/// The top-k error of some predictions as an interval: with every tie broken in favour of the
/// model, and with every tie broken against it. `None` without predictions, for a token outside its
/// row, or for a row with a NaN.
pub fn top_k_bounds(predictions: &[Prediction<'_>], k: usize) -> Option<(f64, f64)> {
    let (mut fewest, mut most) = (0, 0);
    for (row, token) in predictions {
        let &probability = row.get(*token)?;
        if row.iter().any(|p| p.is_nan()) {
            return None;
        }
        let before = row.iter().filter(|&&p| p > probability).count();
        let before_or_tied = row.iter().filter(|&&p| p >= probability).count() - 1; // not itself
        fewest += usize::from(before >= k);
        most += usize::from(before_or_tied >= k);
    }
    let share = |misses: usize| misses as f64 / predictions.len() as f64;
    (!predictions.is_empty()).then(|| (share(fewest), share(most)))
}

#[cfg(test)]
mod tests;
