//! A text as a vector: how often its byte n-grams fall into each of D boxes.
//!
//! Comparing texts as distributions needs a vector for each text. Published results take the last
//! hidden state of a large language model. This is the smallest stand-in that needs no model: every
//! byte n-gram is hashed into one of D boxes, the boxes are counted, and the vector is scaled to
//! length 1 so that long and short texts compare. It sees spelling and word forms, and nothing of
//! meaning or of what stands farther apart than n bytes.
//!
//! Source: Weinberger and others, *Feature hashing for large scale multitask learning* (2009), without
//! their random signs; the hash is FNV-1a of 64 bits (Fowler, Noll and Vo).

use crate::MetricError;

/// The scaled counts of the byte n-grams of a text in `dimensions` boxes, `[dimensions]`.
///
/// A text shorter than n bytes has no n-gram and becomes the zero vector.
///
/// # Errors
/// [`MetricError::OutOfRange`] for n = 0 or no dimensions.
///
/// # Example
/// ```
/// let vector = llm_metrics::hashed_byte_ngrams(b"abab", 2, 8)?; // ab, ba, ab
/// let mut sorted = vector.clone();
/// sorted.sort_by(f64::total_cmp);
/// assert_eq!(sorted[6..], [1.0 / 5.0_f64.sqrt(), 2.0 / 5.0_f64.sqrt()]);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn hashed_byte_ngrams(
    text: &[u8],
    n: usize,
    dimensions: usize,
) -> Result<Vec<f64>, MetricError> {
    for (what, value) in [("the n-gram length", n), ("the number of dimensions", dimensions)] {
        if value == 0 {
            return Err(MetricError::OutOfRange { what, value: 0.0, expected: "1 or more" });
        }
    }
    let mut counts = vec![0.0; dimensions];
    for ngram in text.windows(n) {
        counts[(fnv_1a(ngram) % dimensions as u64) as usize] += 1.0;
    }
    let square: f64 = counts.iter().map(|count| count * count).sum(); // whole numbers: exact
    if square > 0.0 {
        let length = square.sqrt();
        counts.iter_mut().for_each(|count| *count /= length);
    }
    Ok(counts)
}

/// FNV-1a, 64 bits: `hash = (hash xor byte) * prime` for each byte.
fn fnv_1a(bytes: &[u8]) -> u64 {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    bytes.iter().fold(OFFSET, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        // Test vectors of the authors' page for "", "a" and "foobar".
        assert_eq!(fnv_1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv_1a(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv_1a(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn repeating_a_text_changes_its_vector_little_and_its_length_not_at_all() {
        // 13 n-grams, and at each seam 2 more: cosine 13 / sqrt(13 * 15) = 0.931 but for collisions.
        let once = hashed_byte_ngrams(b"the same words ", 3, 64).unwrap();
        let often = hashed_byte_ngrams(&b"the same words ".repeat(50), 3, 64).unwrap();
        let cosine: f64 = once.iter().zip(&often).map(|(a, b)| a * b).sum();
        assert!(cosine > 0.92, "{cosine}");
        assert!((often.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_text_without_ngrams_is_the_zero_vector_and_zero_sizes_are_refused() {
        assert_eq!(hashed_byte_ngrams(b"ab", 3, 4), Ok(vec![0.0; 4]));
        assert!(hashed_byte_ngrams(b"ab", 0, 4).is_err());
        assert!(hashed_byte_ngrams(b"ab", 1, 0).is_err());
    }
}
