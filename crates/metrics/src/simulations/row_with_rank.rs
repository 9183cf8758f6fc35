//! Rows in which a token has a chosen probability and a chosen rank.

use crate::{MetricError, SplitMix64};

/// A distribution over `vocab_size` tokens, `[V]`, and the token in it that has probability
/// `probability` and exactly `rank - 1` tokens before it.
///
/// The tokens before it share `mass_above` and those behind it the rest, in uneven parts (each an
/// even part times 0.9 to 1.1, then scaled to the mass). Ids are shuffled. Draws: the parts above,
/// the parts below, the shuffle.
///
/// # Errors
/// [`MetricError::OutOfRange`] if the probability is not above 0 and below 1, the rank not within
/// the vocabulary, or the masses such that a token above would be less probable, or one below more
/// probable, than the chosen one.
///
/// # Example
/// ```
/// use llm_metrics::{SplitMix64, row_with_rank, target_ranks};
///
/// let (row, token) = row_with_rank(100, 0.01, 37, 0.72, &mut SplitMix64::new(0))?;
/// assert_eq!(row[token], 0.01);
/// assert_eq!(target_ranks(&row, token)?.by_id, Some(37));
/// assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn row_with_rank(
    vocab_size: usize,
    probability: f64,
    rank: usize,
    mass_above: f64,
    stream: &mut SplitMix64,
) -> Result<(Vec<f64>, usize), MetricError> {
    let refuse = |what, value, expected| Err(MetricError::OutOfRange { what, value, expected });
    if !(probability > 0.0 && probability < 1.0) {
        return refuse("the probability", probability, "above 0 and below 1");
    }
    if !(1..=vocab_size).contains(&rank) {
        return refuse("the rank", rank as f64, "from 1 to the vocabulary size");
    }
    let mut by_place = uneven_parts(rank - 1, mass_above, stream);
    let below = uneven_parts(vocab_size - rank, 1.0 - probability - mass_above, stream);
    // No token above means no mass above, and the same below; 1 - p - m is then a rounding error.
    let masses_are_used = (mass_above == 0.0) == by_place.is_empty()
        && (!below.is_empty() || (1.0 - probability - mass_above).abs() < 1e-12);
    let in_order = by_place.iter().all(|&part| part > probability)
        && below.iter().all(|&part| part >= 0.0 && part < probability);
    if !(masses_are_used && in_order) {
        let expected = "such that all tokens above the target are more probable than it, and all \
                        below are less";
        return refuse("the mass above", mass_above, expected);
    }
    by_place.push(probability);
    by_place.extend(below);
    let mut ids: Vec<usize> = (0..vocab_size).collect();
    stream.shuffle(&mut ids);
    let mut row = vec![0.0; vocab_size];
    for (&id, part) in ids.iter().zip(by_place) {
        row[id] = part;
    }
    Ok((row, ids[rank - 1]))
}

/// `mass` in `count` parts that differ by up to a fifth.
fn uneven_parts(count: usize, mass: f64, stream: &mut SplitMix64) -> Vec<f64> {
    let parts: Vec<f64> = (0..count).map(|_| 0.9 + 0.2 * stream.unit()).collect();
    let sum: f64 = parts.iter().sum();
    parts.into_iter().map(|part| mass * part / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target_ranks;

    #[test]
    fn rows_keep_to_their_rules() {
        let mut stream = SplitMix64::new(9);
        for (p, rank, above) in
            [(0.5, 1, 0.0), (0.25, 2, 0.6), (0.9, 1, 0.0), (0.01, 37, 0.72), (0.6, 1, 0.0)]
        {
            let (row, target) = row_with_rank(100, p, rank, above, &mut stream).unwrap();
            assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert_eq!(row[target], p);
            assert_eq!(row.iter().filter(|&&other| other > p).count(), rank - 1);
            assert_eq!(row.iter().filter(|&&other| other < p).count(), 100 - rank);
            assert_eq!(target_ranks(&row, target).unwrap().by_id, Some(rank));
            let mass: f64 = row.iter().filter(|&&other| other > p).sum();
            assert!((mass - above).abs() < 1e-12);
        }
        let (row, target) = row_with_rank(2, 0.25, 2, 0.75, &mut stream).unwrap(); // none below
        assert_eq!((row[target], row[1 - target]), (0.25, 0.75));
    }

    #[test]
    fn what_no_row_can_have_is_refused() {
        let row = |size, p, rank, above| {
            row_with_rank(size, p, rank, above, &mut SplitMix64::new(0)).is_err()
        };
        assert!(row(100, 0.0, 1, 0.0) && row(100, 1.0, 1, 0.0) && row(100, f64::NAN, 1, 0.0));
        assert!(row(100, 0.5, 0, 0.0) && row(100, 0.5, 101, 0.0) && row(0, 0.5, 1, 0.0));
        assert!(row(100, 0.5, 1, 0.1), "nobody stands above rank 1");
        assert!(row(100, 0.5, 2, 0.4), "the token above would be less probable");
        assert!(row(100, 0.25, 2, 0.0), "somebody stands above rank 2");
        assert!(row(3, 0.3, 2, 0.31), "the token below would be more probable");
        assert!(row(2, 0.25, 2, 0.5), "a quarter would be lost");
        assert!(row(100, 0.5, 2, 0.6), "more than one");
        assert!(row(100, 0.5, 2, f64::NAN));
    }
}
