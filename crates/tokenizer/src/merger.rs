//! Applying the merges to one stretch of text, fast.
//!
//! The definition: as long as some adjacent pair of tokens has a merge, replace the pair whose
//! merge has the lowest rank, and of those the leftmost. Done literally, every replacement scans
//! and moves everything, which is quadratic; `tests/it/naive_encoder.rs` does just that and
//! serves as the reference.
//!
//! Here the tokens form a doubly linked list over the byte positions, and all pairs that have a
//! merge wait in a heap ordered by (rank, position). A replacement creates at most two new pairs,
//! so n bytes cost O(n log n) whatever they are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::successors;

use crate::TokenId;
use crate::merge_table::MergeTable;

/// No neighbour on this side.
const EDGE: u32 = u32::MAX;

/// This token and the one after have no merge. Above every rank.
const NO_MERGE: u32 = u32::MAX;

/// Longest stretch of text that is merged at once, in bytes: positions are 32-bit numbers and
/// [`EDGE`] is not one of them.
pub(crate) const MAX_PART_BYTES: usize = u32::MAX as usize - 1;

/// A token in the linked list. Its place in the list of links is the position of its first byte.
#[derive(Debug, Clone, Copy)]
struct Link {
    id: TokenId,
    /// Position of the token before, or [`EDGE`].
    previous: u32,
    /// Position of the token after, or [`EDGE`].
    next: u32,
    /// Rank of the merge of this token and the one after, or [`NO_MERGE`].
    rank: u32,
}

/// A pair that could be replaced, ordered by what comes first. Rank in the upper half, position
/// of the left token in the lower half, so that comparing is comparing two numbers.
type Candidate = Reverse<u64>;

/// One stretch of text on its way from bytes to tokens. Reused, so that its memory is.
#[derive(Debug, Default)]
pub(crate) struct Merger {
    links: Vec<Link>,
    candidates: BinaryHeap<Candidate>,
}

impl Merger {
    /// Starts a new stretch of text.
    pub(crate) fn clear(&mut self) {
        self.links.clear();
        self.candidates.clear();
    }

    /// Appends the token of a byte; at most [`MAX_PART_BYTES`] of them.
    pub(crate) fn push(&mut self, id: TokenId) {
        let position = self.links.len() as u32;
        let previous = match self.links.last_mut() {
            Some(last) => {
                last.next = position;
                position - 1
            }
            None => EDGE,
        };
        self.links.push(Link { id, previous, next: EDGE, rank: NO_MERGE });
    }

    /// Applies all merges. Every id pushed must be below the `vocab_size` of `table`.
    pub(crate) fn merge(&mut self, table: &MergeTable) {
        self.collect_candidates(table);
        while let Some(Reverse(candidate)) = self.candidates.pop() {
            let (rank, left) = ((candidate >> 32) as u32, candidate as u32);
            // A neighbour may have been replaced since this pair was pushed. Then the pair is
            // gone, and what stands here now (if anything) was pushed on its own.
            if self.links[left as usize].rank == rank {
                self.replace(table, left, table.result(rank));
            }
        }
    }

    /// The tokens from left to right.
    pub(crate) fn tokens(&self) -> impl Iterator<Item = TokenId> {
        let first = self.links.first();
        let links = successors(first, |link| self.links.get(link.next as usize)); // EDGE: none
        links.map(|link| link.id)
    }

    /// One candidate per pair of bytes that has a merge.
    fn collect_candidates(&mut self, table: &MergeTable) {
        let mut candidates = std::mem::take(&mut self.candidates).into_vec();
        for position in 1..self.links.len() {
            let left = position - 1;
            if let Some(rank) = table.rank(self.links[left].id, self.links[position].id) {
                self.links[left].rank = rank;
                candidates.push(candidate(rank, left as u32));
            }
        }
        self.candidates = candidates.into(); // builds the heap in linear time
    }

    /// Replaces the pair at `left` by the token `id` and pushes the pairs this creates.
    fn replace(&mut self, table: &MergeTable, left: u32, id: TokenId) {
        let Link { previous, next: right, .. } = self.links[left as usize];
        let swallowed = &mut self.links[right as usize];
        let next = swallowed.next;
        swallowed.rank = NO_MERGE; // candidates that still name it are outdated
        self.links[left as usize].id = id;
        self.links[left as usize].next = next;
        if let Some(after) = self.links.get_mut(next as usize) {
            after.previous = left;
        }
        self.find_pair(table, previous);
        self.find_pair(table, left);
    }

    /// Looks up the merge of the pair that now begins at `position`.
    fn find_pair(&mut self, table: &MergeTable, position: u32) {
        let Some(link) = self.links.get(position as usize) else { return }; // EDGE
        let after = self.links.get(link.next as usize);
        let rank = after.and_then(|after| table.rank(link.id, after.id));
        self.links[position as usize].rank = rank.unwrap_or(NO_MERGE);
        if let Some(rank) = rank {
            self.candidates.push(candidate(rank, position));
        }
    }
}

fn candidate(rank: u32, position: u32) -> Candidate {
    Reverse(u64::from(rank) << 32 | u64::from(position))
}
