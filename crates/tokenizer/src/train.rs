//! Learning merges from text: what is asked and what comes out.
//!
//! Byte-pair encoding (Gage 1994; Sennrich, Haddow and Birch 2016) starts with single bytes and
//! repeats one step: count all adjacent pairs of tokens, make the most frequent pair a new token,
//! replace the pair everywhere. The exact rules, so that two implementations agree:
//!
//! - A pair is counted wherever it stands, overlaps included: `aaa` has the pair (a, a) twice.
//! - A document counts as often as its weight says, and pairs never cross the end of a document
//!   or of a piece made by the [`Pretokenizer`].
//! - Of equally frequent pairs the one with the smallest (left, right) ids is taken.
//! - Replacement goes from left to right and does not overlap: `aaa` becomes `(aa)a`.
//! - Learning stops after the wanted number of merges, or when no pair is frequent enough.
//!
//! [`train_by_recounting`] does literally that; [`train`](crate::train()) gives the same answer in
//! a fraction of the time.

mod incremental;
mod pair_counts;
mod reference;
mod tagged_text;

pub use incremental::train;
pub use reference::{count_pairs, train_by_recounting};

use crate::TokenId;
use crate::artifact::{FIRST_BYTE_ID, FIRST_MERGE_ID, MAX_VOCAB_SIZE, Merge};
use crate::error::TokenizerError;
use crate::pretokenizer::Pretokenizer;

/// A text to learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WeightedDocument<'a> {
    /// Any bytes.
    pub text: &'a [u8],
    /// How often the document counts. A document of weight 0 is as good as absent.
    pub weight: u64,
}

impl<'a> WeightedDocument<'a> {
    /// A document that counts once.
    pub fn once(text: &'a [u8]) -> Self {
        Self { text, weight: 1 }
    }
}

/// What to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrainingConfig {
    /// Most merges to learn; fewer if the text runs out of pairs.
    pub merges: usize,
    /// A pair that is counted less often is not merged. 0 means the same as 1.
    pub minimum_count: u64,
    /// The rule that cuts documents into pieces; the artifact must name the same one.
    pub pretokenizer: Pretokenizer,
}

/// One step of training.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LearnedMerge {
    /// The pair and its new token, ids as in
    /// [`TokenizerArtifact::trained`](crate::TokenizerArtifact::trained).
    pub merge: Merge,
    /// How often the pair was counted when it was chosen (overlaps included, times weights).
    pub count: u64,
}

/// Two adjacent tokens. Ordered as ties are broken: by the left id, then by the right one.
type Pair = (TokenId, TokenId);

/// Refuses requests that would overflow an id or a count.
fn check(
    documents: &[WeightedDocument<'_>],
    config: &TrainingConfig,
) -> Result<(), TokenizerError> {
    let limit = u64::from(MAX_VOCAB_SIZE - FIRST_MERGE_ID);
    if config.merges as u64 > limit {
        let given = config.merges as u64;
        return Err(TokenizerError::TooLarge { what: "merges to learn", given, limit });
    }
    // No pair can be counted more often than there are weighted bytes.
    let bytes: u128 = documents.iter().map(|d| d.text.len() as u128 * u128::from(d.weight)).sum();
    if bytes > u128::from(u64::MAX) {
        return Err(TokenizerError::TooLarge {
            what: "bytes of training text times weight",
            given: u64::try_from(bytes).unwrap_or(u64::MAX),
            limit: u64::MAX,
        });
    }
    Ok(())
}

/// The token that training gives to a byte before anything is learned.
fn byte_token(byte: u8) -> TokenId {
    FIRST_BYTE_ID + TokenId::from(byte)
}
