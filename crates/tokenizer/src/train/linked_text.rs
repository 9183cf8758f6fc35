//! The text under training, as tokens linked to their neighbours.

use super::pair_counts::{Changes, Side};
use super::{Pair, byte_token};
use crate::TokenId;
use crate::error::TokenizerError;

/// No neighbour on this side: the piece ends here.
const EDGE: u32 = u32::MAX;

/// One token of the text, at the position of its first byte.
#[derive(Debug, Clone, Copy)]
struct Link {
    id: TokenId,
    previous: u32,
    next: u32,
    /// Index of the piece, for its weight.
    piece: u32,
}

/// All pieces, one after the other, as linked tokens that do not cross the ends of pieces.
pub(super) struct LinkedText {
    links: Vec<Link>,
    weights: Vec<u64>,
}

impl LinkedText {
    /// Links the bytes of every piece; each piece comes with its weight.
    ///
    /// # Errors
    /// If there are too many bytes for 32-bit positions.
    pub(super) fn of(pieces: Vec<(&[u8], u64)>) -> Result<Self, TokenizerError> {
        let length: usize = pieces.iter().map(|(bytes, _)| bytes.len()).sum();
        if length >= EDGE as usize {
            return Err(TokenizerError::TooLarge {
                what: "distinct training text, in bytes",
                given: length as u64,
                limit: u64::from(EDGE) - 1,
            });
        }
        let mut links = Vec::with_capacity(length);
        for (piece, (bytes, _)) in (0..).zip(&pieces) {
            for (index, &byte) in bytes.iter().enumerate() {
                let position = links.len() as u32; // checked above
                links.push(Link {
                    id: byte_token(byte),
                    previous: if index == 0 { EDGE } else { position - 1 },
                    next: if index + 1 == bytes.len() { EDGE } else { position + 1 },
                    piece,
                });
            }
        }
        Ok(Self { links, weights: pieces.into_iter().map(|(_, weight)| weight).collect() })
    }

    /// The pair that begins at `position`.
    pub(super) fn pair_at(&self, position: u32) -> Option<Pair> {
        let link = self.links.get(position as usize)?;
        Some((link.id, self.links.get(link.next as usize)?.id)) // EDGE is not a position
    }

    /// Every pair with the position where it begins and its weight, from left to right.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (Pair, u32, u64)> {
        (0..).zip(&self.links).filter_map(|(position, link)| {
            Some((self.pair_at(position)?, position, self.weights[link.piece as usize]))
        })
    }

    /// Replaces the pair at `position` by `id` and notes what that does to the neighbours.
    pub(super) fn replace(&mut self, position: u32, id: TokenId, changes: &mut Changes) {
        let Link { previous, next: swallowed, piece, .. } = self.links[position as usize];
        let Link { next, .. } = self.links[swallowed as usize];
        let weight = self.weights[piece as usize];
        self.links[swallowed as usize].next = EDGE; // no pair begins there any more
        self.links[position as usize] = Link { id, previous, next, piece };
        if let Some(before) = self.links.get(previous as usize) {
            changes.note(before.id, Side::Before, weight, previous);
        }
        if let Some(after) = self.links.get_mut(next as usize) {
            after.previous = position;
            changes.note(after.id, Side::After, weight, position);
        }
    }
}
