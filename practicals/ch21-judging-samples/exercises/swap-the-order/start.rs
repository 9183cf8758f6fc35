//! Tell a judge's taste for the first position from its taste for the answers.

/// The verdicts on one pair of answers, A and B.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    /// Whether A was chosen when A was shown first.
    pub a_wins_first: bool,
    /// Whether A was chosen when A was shown second.
    pub a_wins_second: bool,
}

/// How much more often the answer shown first is chosen than the one shown second: the difference
/// of the two shares, over both orders of all pairs. `None` without pairs.
pub fn position_taste(pairs: &[Pair]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    // One order of each pair is enough to see how often the first answer is chosen. Or is it?
    let first = pairs.iter().filter(|pair| pair.a_wins_first).count() as f64;
    Some((2.0 * first - pairs.len() as f64) / pairs.len() as f64)
}

/// How often A wins if every pair counts in both orders. `None` without pairs.
pub fn win_share(pairs: &[Pair]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let wins = pairs.iter().filter(|pair| pair.a_wins_first).count();
    Some(wins as f64 / pairs.len() as f64)
}

#[cfg(test)]
mod tests;
