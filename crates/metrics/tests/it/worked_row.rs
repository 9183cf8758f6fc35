//! Rows in which a target has a chosen probability and rank.

use llm_metrics::SplitMix64;

/// A distribution over 100 tokens in which the target has probability `p` and the given rank.
///
/// The tokens before it share `mass_above`, those behind it the rest, in uneven parts of 0.9 to
/// 1.1, at random places.
pub(crate) fn worked_row(
    p: f64,
    rank: usize,
    mass_above: f64,
    stream: &mut SplitMix64,
) -> (Vec<f64>, usize) {
    let uneven = |size: usize, mass: f64, stream: &mut SplitMix64| {
        let parts: Vec<f64> = (0..size).map(|_| 0.9 + 0.2 * stream.unit()).collect();
        let sum: f64 = parts.iter().sum();
        parts.into_iter().map(move |part| mass * part / sum).collect::<Vec<f64>>()
    };
    let mut by_place = uneven(rank - 1, mass_above, stream);
    by_place.push(p);
    by_place.extend(uneven(100 - rank, 1.0 - p - mass_above, stream));
    let mut ids: Vec<usize> = (0..100).collect();
    stream.shuffle(&mut ids);
    let mut row = vec![0.0; 100];
    for (place, &id) in ids.iter().enumerate() {
        row[id] = by_place[place];
    }
    (row, ids[rank - 1])
}
