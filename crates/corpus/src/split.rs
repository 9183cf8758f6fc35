//! A validation split of somebody's own documents.
//!
//! Each document is drawn by a digest of its own text: which side it is on depends on nothing but the
//! seed, the share and that text. So documents that come later, go, or change places move no other,
//! and two documents with the same bytes are never on both sides.

use sha2::{Digest, Sha256};

use crate::{CorpusError, Partition};

/// Draws about the given share of documents for validation.
///
/// The share is of documents, not of bytes. With another seed other documents are drawn; with the
/// same seed and a larger share the same ones and some more.
///
/// # Example
/// ```
/// use llm_corpus::{HashSplit, Partition};
/// let split = HashSplit::new(7, 0.25)?;
/// let drawn = |text: &&str| split.partition(text.as_bytes()) == Partition::Validation;
/// let held_out: Vec<_> = ["one", "two", "three", "four", "five"].into_iter().filter(drawn).collect();
/// assert_eq!(held_out, ["two"]);
/// # Ok::<(), llm_corpus::CorpusError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HashSplit {
    seed: u64,
    validation_share: f64,
}

impl HashSplit {
    /// A split for `validation_share` of the documents, from 0 (none) to below 1.
    ///
    /// # Errors
    /// [`CorpusError::Split`] for another share.
    pub fn new(seed: u64, validation_share: f64) -> Result<Self, CorpusError> {
        match (0.0..1.0).contains(&validation_share) {
            true => Ok(Self { seed, validation_share }),
            false => Err(CorpusError::Split { validation_share }),
        }
    }

    /// The side of a document: [`Partition::Validation`] or [`Partition::Train`].
    pub fn partition(&self, text: &[u8]) -> Partition {
        match self.draw(text) < self.validation_share {
            true => Partition::Validation,
            false => Partition::Train,
        }
    }

    /// A number in [0, 1): the first 53 bits of SHA-256 over the seed (8 bytes, little-endian) and
    /// the text.
    fn draw(&self, text: &[u8]) -> f64 {
        let digest = Sha256::new_with_prefix(self.seed.to_le_bytes()).chain_update(text).finalize();
        let first = digest[..8].try_into().expect("a digest has 32 bytes");
        (u64::from_be_bytes(first) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computed with Python: `int.from_bytes(hashlib.sha256(seed + text).digest()[:8], "big") >> 11`.
    #[test]
    fn draws_are_the_first_bits_of_a_digest() {
        for (seed, text, expected) in [
            (0, &b""[..], 0.6848974799809221),
            (0, b"abc", 0.9507626474162149),
            (7, b"abc", 0.3315719774957888),
            (7, b"\xff\x00", 0.3892555257682877),
        ] {
            assert_eq!(HashSplit::new(seed, 0.5).unwrap().draw(text), expected, "{seed} {text:?}");
        }
    }

    #[test]
    fn a_share_that_leaves_nothing_to_learn_from_is_refused() {
        for share in [-0.1, 1.0, 1.5, f64::NAN, f64::INFINITY] {
            let error = HashSplit::new(1, share).unwrap_err();
            assert!(matches!(error, CorpusError::Split { .. }), "{error}");
        }
        let none = HashSplit::new(1, 0.0).unwrap();
        assert!((0..100_u32).all(|i| none.partition(&i.to_le_bytes()) == Partition::Train));
    }

    /// 4000 documents with a share of a quarter: 1000, standard deviation 27.
    #[test]
    fn about_the_share_is_drawn() {
        let split = HashSplit::new(39, 0.25).unwrap();
        let held_out = (0..4000_u32)
            .filter(|i| split.partition(&i.to_le_bytes()) == Partition::Validation)
            .count();
        assert!((890..1110).contains(&held_out), "{held_out}");
    }

    proptest! {
        #[test]
        fn a_larger_share_keeps_what_was_held_out(
            text in prop::collection::vec(any::<u8>(), 0..40),
            seed: u64,
            share in 0.0..1.0_f64,
            part in 0.0..=1.0_f64,
        ) {
            let side = |share| HashSplit::new(seed, share).unwrap().partition(&text);
            prop_assert!(side(share * part) == Partition::Train || side(share) == Partition::Validation);
        }
    }
}
