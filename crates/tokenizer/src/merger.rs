//! Applying the merges to one stretch of text, fast.
//!
//! The definition: as long as some adjacent pair of tokens has a merge, replace the pair whose
//! merge has the lowest rank, and of those the leftmost. Done literally, every replacement scans
//! and moves everything, which is quadratic; `tests/it/naive_encoder.rs` does just that and
//! serves as the reference.
//!
//! A long stretch is a doubly linked list over the byte positions, and all pairs that have a merge
//! wait in a heap ordered by (rank, position). A replacement creates at most two new pairs, so n bytes
//! cost O(n log n) whatever they are. A short one, and most are, is searched for its lowest rank again
//! and again: its ranks are a few vectors long, which is faster than any bookkeeping.

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

/// Longest stretch, in bytes, that is searched instead of kept in order.
const SHORT: usize = 64;

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
    tokens: Vec<TokenId>,
    /// For a short stretch, the rank of the merge of each token and the one after.
    ranks: Vec<u32>,
    links: Vec<Link>,
    candidates: BinaryHeap<Candidate>,
}

impl Merger {
    /// Starts a new stretch of text.
    pub(crate) fn clear(&mut self) {
        self.tokens.clear();
    }

    /// Appends the token of a byte; at most [`MAX_PART_BYTES`] of them.
    pub(crate) fn push(&mut self, id: TokenId) {
        self.tokens.push(id);
    }

    /// The tokens from left to right.
    pub(crate) fn tokens(&self) -> &[TokenId] {
        &self.tokens
    }

    /// Applies all merges.
    pub(crate) fn merge(&mut self, table: &MergeTable) {
        if self.tokens.len() <= SHORT {
            self.merge_short(table);
        } else {
            self.merge_long(table);
        }
    }

    fn merge_short(&mut self, table: &MergeTable) {
        let Self { tokens, ranks, .. } = self;
        let rank = |tokens: &[TokenId], left: usize| match tokens.get(left..left + 2) {
            Some(pair) => table.rank(pair[0], pair[1]).unwrap_or(NO_MERGE),
            None => NO_MERGE,
        };
        ranks.clear();
        ranks.extend((0..tokens.len()).map(|left| rank(tokens, left)));
        while let Some(&lowest) = ranks.iter().min()
            && lowest != NO_MERGE
            && let Some(left) = ranks.iter().position(|&rank| rank == lowest)
        {
            tokens[left] = table.result(lowest);
            tokens.remove(left + 1);
            ranks.remove(left + 1);
            ranks[left] = rank(tokens, left);
            if left > 0 {
                ranks[left - 1] = rank(tokens, left - 1);
            }
        }
    }

    fn merge_long(&mut self, table: &MergeTable) {
        self.link();
        self.collect_candidates(table);
        while let Some(Reverse(candidate)) = self.candidates.pop() {
            let (rank, left) = ((candidate >> 32) as u32, candidate as u32);
            // A neighbour may have been replaced since this pair was pushed. Then the pair is
            // gone, and what stands here now (if anything) was pushed on its own.
            if self.links[left as usize].rank == rank {
                self.replace(table, left, table.result(rank));
            }
        }
        self.tokens.clear();
        let links = successors(self.links.first(), |link| self.links.get(link.next as usize));
        self.tokens.extend(links.map(|link| link.id)); // EDGE is not in the list
    }

    /// The list of all tokens.
    fn link(&mut self) {
        let last = self.tokens.len() as u32 - 1;
        self.links.clear();
        self.links.extend((0..).zip(&self.tokens).map(|(position, &id)| Link {
            id,
            previous: if position == 0 { EDGE } else { position - 1 },
            next: if position == last { EDGE } else { position + 1 },
            rank: NO_MERGE,
        }));
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
