//! The text under training: one number for each byte.
//!
//! A token writes its id at the place of its first byte and at the place of its last; the bytes
//! between are marked as inside. So the token that begins at a place is read there, its length (one
//! table for all tokens) leads to the next, and the token before ends one place earlier. Four bytes
//! for each byte of text are all that a replacement reads and writes, most of them side by side,
//! which is what makes training fast: a frequent pair stands in thousands of places all over memory.

use super::pair_counts::{Changes, Side};
use super::{Pair, byte_token};
use crate::TokenId;
use crate::artifact::{FIRST_BYTE_ID, FIRST_MERGE_ID};
use crate::error::TokenizerError;

/// No token begins or ends here: the inside of one, or the end of a piece.
const NONE: TokenId = TokenId::MAX;

/// Places whose memory is fetched at once.
const AT_ONCE: usize = 32;

/// Where a pair begins, and in which piece, for its weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    position: u32,
    piece: u32,
}

/// All pieces, one after the other, with a place of no token before, between and after them.
pub(super) struct TaggedText {
    tags: Vec<TokenId>,
    /// Bytes of every token.
    lengths: Vec<u32>,
    weights: Vec<u64>,
}

impl TaggedText {
    /// The bytes of every piece as tokens; each piece comes with its weight.
    ///
    /// # Errors
    /// If there are too many bytes for 32-bit positions.
    pub(super) fn of(pieces: Vec<(&[u8], u64)>) -> Result<Self, TokenizerError> {
        let places = pieces.iter().map(|(bytes, _)| bytes.len() + 1).sum::<usize>() + 1;
        if places > u32::MAX as usize {
            return Err(TokenizerError::TooLarge {
                what: "distinct training text, in bytes and pieces",
                given: places as u64,
                limit: u64::from(u32::MAX),
            });
        }
        let mut tags = Vec::with_capacity(places);
        tags.push(NONE);
        for (bytes, _) in &pieces {
            tags.extend(bytes.iter().map(|&byte| byte_token(byte)));
            tags.push(NONE);
        }
        let mut lengths = vec![0; FIRST_MERGE_ID as usize];
        lengths[FIRST_BYTE_ID as usize..].fill(1);
        Ok(Self { tags, lengths, weights: pieces.into_iter().map(|(_, weight)| weight).collect() })
    }

    /// How often a piece counts.
    pub(super) fn weight(&self, place: Place) -> u64 {
        self.weights[place.piece as usize]
    }

    /// Every pair of bytes with the place where it begins, from left to right.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Pair, Place)> {
        let mut piece = 0;
        self.tags.windows(2).zip(0..).skip(1).filter_map(move |(pair, position)| {
            match (pair[0], pair[1]) {
                (NONE, _) => {
                    piece += 1;
                    None
                }
                (_, NONE) => None,
                pair => Some((pair, Place { position, piece })),
            }
        })
    }

    /// Replaces a pair by the new token `id` where it still stands, and notes what that does to the
    /// neighbours. `places` are all where it ever began, in ascending order.
    pub(super) fn merge(
        &mut self,
        pair: Pair,
        id: TokenId,
        places: &[Place],
        changes: &mut Changes,
    ) {
        assert_eq!(id as usize, self.lengths.len(), "tokens are made in the order of their ids");
        let [left, right] = [pair.0, pair.1].map(|token| self.lengths[token as usize] as usize);
        self.lengths.push((left + right) as u32);
        for places in places.chunks(AT_ONCE) {
            self.touch(places);
            for &place in places {
                let position = place.position as usize;
                let (middle, end) = (position + left, position + left + right);
                // A token that once began here and is read here still does: had it become a part of
                // another one, that one would cover all its bytes and its own tag would be gone.
                if self.tags[position] != pair.0 || self.tags[middle] != pair.1 {
                    continue;
                }
                self.tags[middle - 1] = NONE;
                self.tags[middle] = NONE;
                self.tags[position] = id;
                self.tags[end - 1] = id;
                let weight = self.weight(place);
                let before = self.tags[position - 1];
                if before != NONE {
                    let begin = place.position - self.lengths[before as usize];
                    changes.note(before, Side::Before, weight, Place { position: begin, ..place });
                }
                let after = self.tags[end];
                if after != NONE {
                    changes.note(after, Side::After, weight, place);
                }
            }
        }
    }

    /// Reads the tags at some places without using them: their memory is fetched side by side, where
    /// the replacements, each with its branches, would wait for one after the other.
    fn touch(&self, places: &[Place]) {
        let tags = places.iter().map(|place| self.tags[place.position as usize]);
        std::hint::black_box(tags.fold(0, |all, tag| all ^ tag));
    }
}
