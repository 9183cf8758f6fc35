//! Bits to one of eight levels, finer where most tokens are.

/// A level holds what is at or above its limit, in bits, and below the next one's.
pub(super) const LIMITS: [f64; 8] = [0.0, 1.0, 2.0, 4.0, 6.0, 8.0, 12.0, 16.0];

/// The level of a surprise in bits, from 0 to 7.
pub(super) fn level(bits: f64) -> usize {
    LIMITS[1..].iter().filter(|&&limit| bits >= limit).count()
}

/// The bits of a level in words.
pub(super) fn range(level: usize) -> String {
    match LIMITS.get(level + 1) {
        Some(end) => format!("{} to {end}", LIMITS[level]),
        None => format!("{} and more", LIMITS[level]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_belong_to_the_level_that_they_begin() {
        let bits = [0.0, 0.999, 1.0, 3.9, 4.0, 15.9, 16.0, 1461.6];
        assert_eq!(bits.map(level), [0, 0, 1, 2, 3, 6, 7, 7]);
        assert_eq!((range(0), range(7)), ("0 to 1".to_owned(), "16 and more".to_owned()));
    }
}
