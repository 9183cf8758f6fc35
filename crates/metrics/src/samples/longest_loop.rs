//! The longest loop: a stretch of a sample that says the same thing again and again.
//!
//! Greedy decoding often ends in one: "to be to be to be". Distinct-n sees that something repeats;
//! this says what, where and for how long. A loop of period p is a stretch of at least 2 p items in
//! which every item from the (p + 1)-th on equals the one p places earlier. A repeated item at the
//! end need not complete its round: `a b a b a` is a loop of period 2 and length 5.

/// A stretch that repeats itself back to back.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Loop {
    /// Place of its first item.
    pub start: usize,
    /// Items of one round.
    pub period: usize,
    /// Items of all rounds together, at least twice the period.
    pub len: usize,
}

impl Loop {
    /// How often the round is said, the last time perhaps not to its end; at least 2.
    pub fn rounds(&self) -> f64 {
        self.len as f64 / self.period as f64
    }
}

/// The longest loop among `items` (words, ids, bytes) with rounds of at most `max_period` items;
/// the one of the shortest period, then the first, among equally long ones. `None` if nothing is
/// said twice in a row.
///
/// Time: `items.len() * max_period` comparisons.
///
/// # Example
/// ```
/// use llm_metrics::longest_loop;
///
/// let words: Vec<&str> = "he said to be to be to be or not".split(' ').collect();
/// let found = longest_loop(&words, words.len()).expect("there is one");
/// assert_eq!((found.start, found.period, found.len), (2, 2, 6)); // "to be" three times
/// assert_eq!(longest_loop(&["no", "two", "alike"], 3), None);
/// ```
pub fn longest_loop<T: PartialEq>(items: &[T], max_period: usize) -> Option<Loop> {
    let mut longest: Option<Loop> = None;
    for period in 1..=max_period.min(items.len() / 2) {
        let mut start = 0; // of the stretch that ends at the current item
        for end in period..=items.len() {
            if end < items.len() && items[end] == items[end - period] {
                continue;
            }
            let len = end - start;
            if len >= 2 * period && longest.is_none_or(|best| len > best.len) {
                longest = Some(Loop { start, period, len });
            }
            start = end + 1 - period;
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<(usize, usize, usize)> {
        longest_loop(text.as_bytes(), text.len()).map(|l| (l.start, l.period, l.len))
    }

    #[test]
    fn the_longest_stretch_wins_then_the_shortest_round() {
        assert_eq!(found("abcabcxyyyy"), Some((0, 3, 6)));
        assert_eq!(found("abcabcxyyyyyyy"), Some((7, 1, 7)));
        assert_eq!(found("aaaa"), Some((0, 1, 4))); // not as two rounds of aa
        assert_eq!(found("xababa"), Some((1, 2, 5)));
        assert_eq!(longest_loop(b"xababa", 2).unwrap().rounds(), 2.5);
    }

    #[test]
    fn what_is_said_once_is_no_loop() {
        assert_eq!(found(""), None);
        assert_eq!(found("a"), None);
        assert_eq!(found("abcd"), None);
        assert_eq!(found("abca"), None); // comes back, but not at once
    }

    #[test]
    fn rounds_longer_than_the_limit_are_not_looked_for() {
        assert_eq!(longest_loop(b"abcabc", 2), None);
        assert!(longest_loop(b"abcabc", 3).is_some());
    }
}
