//! Places that no merge can cross.
//!
//! When a merge joins two tokens, the last byte of the left one and the first byte of the right
//! one become neighbours inside a token. If no merge of a vocabulary brings the bytes x and y
//! together in this way, no token made by merging has x followed by y, so nothing is ever merged
//! across an x followed by a y in text. Cutting at such a seam gives parts that can be merged on
//! their own, with the same result.
//!
//! A text without a pretokenizer is one piece of any length. Most of its seams are a few dozen
//! bytes apart, so merging works in the processor's nearest memory instead of all over the text.

use crate::artifact::{Merge, TokenizerArtifact};
use crate::vocabulary::Vocabulary;

/// For every two byte values, whether some merge joins them.
pub(crate) struct Seams {
    /// Entry `256 x + y` is true if some merge puts byte y after byte x.
    joined: Vec<bool>,
}

impl Seams {
    /// Reads the bytes at which the merges join. `vocabulary` is that of `artifact`, so every
    /// merge has bytes on both sides.
    pub(crate) fn of(artifact: &TokenizerArtifact, vocabulary: &Vocabulary) -> Self {
        let mut joined = vec![false; 256 * 256];
        for Merge { left, right, .. } in &artifact.merges {
            let left = vocabulary.token_bytes(*left).and_then(<[u8]>::last);
            let right = vocabulary.token_bytes(*right).and_then(<[u8]>::first);
            if let (Some(left), Some(right)) = (left, right) {
                joined[index(*left, *right)] = true;
            }
        }
        Self { joined }
    }

    /// Cuts a piece at its seams. The parts joined are the piece; none is empty.
    pub(crate) fn parts<'a>(&'a self, piece: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        piece.chunk_by(|&left, &right| self.joined[index(left, right)])
    }
}

fn index(left: u8, right: u8) -> usize {
    usize::from(left) << 8 | usize::from(right)
}
