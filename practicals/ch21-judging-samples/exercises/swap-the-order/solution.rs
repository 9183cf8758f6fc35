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
    // The first answer wins if A wins in front, and if B does, so that A loses behind it.
    let first = pairs.iter().map(|p| u32::from(p.a_wins_first) + u32::from(!p.a_wins_second));
    let (first, all) = (f64::from(first.sum::<u32>()), 2.0 * pairs.len() as f64);
    Some((2.0 * first - all) / all)
}

/// How often A wins if every pair counts in both orders. `None` without pairs.
pub fn win_share(pairs: &[Pair]) -> Option<f64> {
    if pairs.is_empty() {
        return None;
    }
    let wins = pairs.iter().map(|p| u32::from(p.a_wins_first) + u32::from(p.a_wins_second));
    Some(f64::from(wins.sum::<u32>()) / (2.0 * pairs.len() as f64))
}

#[cfg(test)]
mod tests;
