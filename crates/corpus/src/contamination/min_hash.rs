//! MinHash: candidates for near duplicates without comparing every pair.
//!
//! Hash all word n-grams of a document and keep the smallest hash. Two documents keep the same one
//! exactly when the smallest of their union stands in both, and that has the probability `s`, their
//! Jaccard similarity. A *sketch* repeats this with many hash functions, in `b` bands of `r`
//! rows; two documents are candidates when all rows of some band agree:
//!
//! ```text
//! P(candidate) = 1 - (1 - s^r)^b
//! ```
//!
//! Sources: Broder, *On the resemblance and containment of documents* (1997); the bands after Leskovec,
//! Rajaraman and Ullman, *Mining of massive datasets*, section 3.4.

use std::num::NonZeroUsize;

use llm_metrics::SplitMix64;
use serde::Serialize;

use crate::words::Words;

/// Most hash functions of a sketch (our choice: more of them find nothing that fewer miss).
const MAX_HASHES: usize = 4096;

/// Shape and seed of sketches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct MinHash {
    /// Words of an n-gram.
    pub shingle_words: NonZeroUsize,
    /// Bands `b`: more of them find more.
    pub bands: NonZeroUsize,
    /// Rows `r` of a band: more of them pass fewer pairs by chance.
    pub rows: NonZeroUsize,
    /// Chooses the hash functions. The same seed gives the same candidates everywhere.
    pub seed: u64,
}

/// How likely a pair of documents becomes a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct DetectionProbability {
    /// Their Jaccard similarity.
    pub similarity: f64,
    /// `1 - (1 - s^r)^b`.
    pub probability: f64,
}

impl Default for MinHash {
    /// Three words, 40 bands of 3 rows (our choice): a pair of similarity 0.6 is missed once in
    /// about 17,000 times.
    fn default() -> Self {
        let [shingle_words, bands, rows] =
            [3, 40, 3].map(|n| NonZeroUsize::new(n).expect("above 0"));
        Self { shingle_words, bands, rows, seed: 1 }
    }
}

impl MinHash {
    /// The probability that two documents of this similarity (0 to 1) become candidates.
    ///
    /// ```
    /// use llm_corpus::MinHash;
    /// let of = |similarity| MinHash::default().detection_probability(similarity).probability;
    /// assert_eq!((of(0.0), of(1.0)), (0.0, 1.0));
    /// assert!((of(0.5) - (1.0 - 0.875_f64.powi(40))).abs() < 1e-15); // 0.5^3 = 1/8
    /// ```
    pub fn detection_probability(&self, similarity: f64) -> DetectionProbability {
        let similarity = similarity.clamp(0.0, 1.0);
        let band: f64 = (0..self.rows.get()).map(|_| similarity).product();
        let missed: f64 = (0..self.bands.get()).map(|_| 1.0 - band).product();
        DetectionProbability { similarity, probability: 1.0 - missed }
    }

    pub(super) fn check(&self) -> Result<(), String> {
        match self.bands.checked_mul(self.rows) {
            Some(hashes) if hashes.get() <= MAX_HASHES => Ok(()),
            _ => Err(format!(
                "{} bands of {} rows need more than {MAX_HASHES} hash functions: take fewer",
                self.bands, self.rows
            )),
        }
    }

    /// The hash functions, one number each.
    pub(super) fn functions(&self) -> Vec<u64> {
        let mut stream = SplitMix64::new(self.seed);
        (0..self.bands.get() * self.rows.get()).map(|_| stream.next_u64()).collect()
    }

    /// One key per band: documents with an equal key are candidates. None for a document with
    /// fewer words than an n-gram.
    pub(super) fn band_keys(&self, functions: &[u64], words: &Words) -> Vec<u64> {
        let shingles: Vec<u64> = words.ngrams(self.shingle_words).map(fnv1a).collect();
        if shingles.is_empty() {
            return Vec::new();
        }
        let smallest = |function: &u64| {
            let hashes = shingles.iter().map(|shingle| mix(shingle ^ function));
            hashes.min().expect("there is a shingle")
        };
        let key = |(band, functions): (u64, &[u64])| {
            functions.iter().map(smallest).fold(mix(band), |key, hash| mix(key ^ hash))
        };
        (0..).zip(functions.chunks(self.rows.get())).map(key).collect()
    }
}

/// A random-looking number for each number: one step of the workspace's random stream.
fn mix(number: u64) -> u64 {
    SplitMix64::new(number).next_u64()
}

/// FNV-1a with 64 bits (Fowler, Noll and Vo): the same on every machine and in every version, which
/// the standard library's hasher does not promise.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Document, Partition};

    #[test]
    fn the_hash_is_that_of_its_authors() {
        // Test vectors of the authors' reference code (isthe.com/chongo/tech/comp/fnv).
        assert_eq!(fnv1a(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a("foobar"), 0x8594_4171_f739_67e8);
    }

    /// 3,000 pairs with 8 of 16 words in both, so of similarity 1/2: with 4 bands of 2 rows
    /// 1 - (1 - 1/4)^4 = 0.684 of them become candidates.
    #[test]
    fn pairs_are_found_as_often_as_the_formula_says() {
        let [shingle_words, bands, rows] = [1, 4, 2].map(|n| NonZeroUsize::new(n).unwrap());
        let min_hash = MinHash { shingle_words, bands, rows, seed: 5 };
        let functions = min_hash.functions();
        let document = |pair: usize, words: [std::ops::Range<usize>; 2]| {
            let text: Vec<String> =
                words.into_iter().flatten().map(|word| format!("p{pair}w{word}")).collect();
            let document = Document::new("d", Partition::Train, text.join(" "));
            min_hash.band_keys(&functions, &Words::of(&document))
        };
        let found = |pair: &usize| {
            let (a, b) = (document(*pair, [0..8, 8..12]), document(*pair, [0..8, 12..16]));
            a.iter().zip(&b).any(|(a, b)| a == b)
        };
        let expected = min_hash.detection_probability(0.5).probability;
        assert!((expected - (1.0 - 0.75_f64.powi(4))).abs() < 1e-15);
        let share = (0..3_000).filter(found).count() as f64 / 3_000.0;
        let standard_error = (expected * (1.0 - expected) / 3_000.0).sqrt();
        assert!((share - expected).abs() < 3.0 * standard_error, "{share}, {expected}");
    }

    #[test]
    fn similar_pairs_are_never_less_likely_and_too_many_hashes_are_refused() {
        let min_hash = MinHash::default();
        let of =
            |percent: u32| min_hash.detection_probability(f64::from(percent) / 100.0).probability;
        assert!((0..100).all(|percent| of(percent) <= of(percent + 1)));
        assert!(of(60) > 0.9999 && of(20) < 0.3);
        let bands = NonZeroUsize::new(usize::MAX).unwrap();
        assert!(MinHash { bands, ..min_hash }.check().is_err());
    }
}
