//! Count top-k misses where probabilities tie.
//!
//! Both errors of this file depend on how the sort happens to place equal probabilities. Repair it.

/// A row of probabilities, `[V]`, and the token that came.
pub type Prediction<'a> = (&'a [f64], usize);

/// The top-k error of some predictions as an interval: with every tie broken in favour of the
/// model, and with every tie broken against it. `None` without predictions, for a token outside its
/// row, or for a row with a NaN.
pub fn top_k_bounds(predictions: &[Prediction<'_>], k: usize) -> Option<(f64, f64)> {
    let mut misses = 0;
    for (row, token) in predictions {
        let mut ids: Vec<usize> = (0..row.len()).collect();
        ids.sort_by(|&a, &b| row[b].total_cmp(&row[a]));
        let place = ids.iter().position(|id| id == token)?;
        misses += usize::from(place >= k);
    }
    let error = misses as f64 / predictions.len() as f64;
    Some((error, error))
}

#[cfg(test)]
mod tests;
