//! Training without recounting: a replacement changes only the counts of its neighbours.
//!
//! The tokens of all pieces are one doubly linked list over the byte positions. For every pair
//! we keep its count and the positions where it began, and a heap offers the pair with the
//! highest count. Merging a pair visits only its own positions; at each, the two pairs with the
//! neighbours disappear and two pairs with the new token appear.
//!
//! Two facts keep the bookkeeping small:
//!
//! - *Counts only fall.* A pair can only appear in the step that creates the newer of its two
//!   tokens. So the heap may hold outdated counts, but only too high ones, and they are put
//!   right when they come to the top.
//! - *Positions are in ascending order*, for the same reason: they were all noted during one walk
//!   from left to right. Replacing in that order is leftmost and non-overlapping by itself.
//!
//! n bytes offer at most n - 1 replacements, and every outdated entry of the heap is paid for by
//! a pair that disappeared, so training costs O(n log n) for any number of merges.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use super::{LearnedMerge, Pair, TrainingConfig, WeightedDocument, byte_token, check};
use crate::TokenId;
use crate::artifact::{FIRST_MERGE_ID, Merge};
use crate::error::TokenizerError;

/// No neighbour on this side: the piece ends here.
const EDGE: u32 = u32::MAX;

/// The id of a token that was swallowed by the one before it. Never a real id.
const SWALLOWED: TokenId = TokenId::MAX;

/// Learns merges, most important first.
///
/// The result is the one that [`train_by_recounting`](crate::train_by_recounting) defines, at
/// every rank. It depends on the documents and their weights, not on their order. Memory is about
/// 30 bytes per byte of distinct text.
///
/// # Errors
/// [`TokenizerError::TooLarge`] for more merges than a vocabulary can hold, for 4 GiB of distinct
/// text, or for weights with which a count could exceed 64 bits.
///
/// # Example
/// ```
/// use llm_tokenizer::{Pretokenizer, TrainingConfig, WeightedDocument, train};
///
/// let documents = [WeightedDocument::once(b"abab"), WeightedDocument::once(b"abac")];
/// let config =
///     TrainingConfig { merges: 2, minimum_count: 1, pretokenizer: Pretokenizer::None };
/// let learned = train(&documents, &config)?;
/// let pairs: Vec<_> = learned.iter().map(|l| (l.merge.left, l.merge.right, l.count)).collect();
/// assert_eq!(pairs, [(99, 100, 3), (99, 101, 1)]); // ab three times, then ac
/// # Ok::<(), llm_tokenizer::TokenizerError>(())
/// ```
pub fn train(
    documents: &[WeightedDocument<'_>],
    config: &TrainingConfig,
) -> Result<Vec<LearnedMerge>, TokenizerError> {
    check(documents, config)?;
    let mut text = LinkedText::of(distinct_pieces(documents, config))?;
    let mut counts = PairCounts::of(&text, config.minimum_count.max(1));
    let mut changes = Changes::default();
    let mut learned = Vec::new();
    for id in (FIRST_MERGE_ID..).take(config.merges) {
        let Some((pair, Occurrences { count, positions })) = counts.take_most_frequent() else {
            break;
        };
        for position in positions {
            if text.pair_at(position) == Some(pair) {
                text.replace(position, id, &mut changes);
            }
        }
        counts.apply(&mut changes, pair, id);
        learned.push(LearnedMerge { merge: Merge { id, left: pair.0, right: pair.1 }, count });
    }
    Ok(learned)
}

/// Every different piece once, in order of first appearance, with its total weight.
fn distinct_pieces<'a>(
    documents: &[WeightedDocument<'a>],
    config: &TrainingConfig,
) -> Vec<(&'a [u8], u64)> {
    let mut pieces: Vec<(&[u8], u64)> = Vec::new();
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    for document in documents.iter().filter(|document| document.weight > 0) {
        for piece in config.pretokenizer.pieces(document.text) {
            match seen.entry(piece) {
                Entry::Occupied(known) => pieces[*known.get()].1 += document.weight,
                Entry::Vacant(new) => {
                    new.insert(pieces.len());
                    pieces.push((piece, document.weight));
                }
            }
        }
    }
    pieces
}

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
struct LinkedText {
    links: Vec<Link>,
    weights: Vec<u64>,
}

impl LinkedText {
    fn of(pieces: Vec<(&[u8], u64)>) -> Result<Self, TokenizerError> {
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
    fn pair_at(&self, position: u32) -> Option<Pair> {
        let link = self.links.get(position as usize)?;
        Some((link.id, self.links.get(link.next as usize)?.id)) // EDGE is not a position
    }

    /// Replaces the pair at `position` by `id` and notes what that does to the neighbours.
    fn replace(&mut self, position: u32, id: TokenId, changes: &mut Changes) {
        let Link { previous, next: swallowed, piece, .. } = self.links[position as usize];
        let Link { next, .. } = self.links[swallowed as usize];
        let weight = self.weights[piece as usize];
        let unlinked = Link { id: SWALLOWED, previous: EDGE, next: EDGE, piece };
        self.links[swallowed as usize] = unlinked;
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

/// Where a pair stands.
#[derive(Debug, Default)]
struct Occurrences {
    /// Weighted number of places where it stands now.
    count: u64,
    /// Every place where it ever stood, ascending; some may have gone.
    positions: Vec<u32>,
}

impl Occurrences {
    fn add(&mut self, weight: u64, position: u32) {
        debug_assert!(self.positions.last() < Some(&position), "not from left to right");
        self.count += weight;
        self.positions.push(position);
    }
}

/// On which side of the replaced pair a neighbour stands.
#[derive(Debug, Clone, Copy)]
enum Side {
    Before,
    After,
}

/// What one step does to the counts, gathered by the token that stands beside the replaced pair.
///
/// When (left, right) becomes `new`, a token p before it turns one pair (p, left) into (p, new),
/// and a token q after it turns one pair (right, q) into (new, q). So one number per neighbour
/// and side says both what is lost and what is gained. The tables are indexed by token id: a
/// frequent pair has many thousand places but few different neighbours.
#[derive(Debug, Default)]
struct Changes {
    /// Per token p: the places of the new pair (p, new).
    before: Vec<Occurrences>,
    /// Per token q: the places of the new pair (new, q).
    after: Vec<Occurrences>,
    /// Neighbours with an entry in one of the tables, each once per table.
    neighbours: Vec<(TokenId, Side)>,
}

impl Changes {
    fn note(&mut self, neighbour: TokenId, side: Side, weight: u64, position: u32) {
        let table = match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        };
        let row = neighbour as usize;
        if row >= table.len() {
            table.resize_with(row + 1, Occurrences::default);
        }
        if table[row].count == 0 {
            self.neighbours.push((neighbour, side));
        }
        table[row].add(weight, position);
    }

    /// The entry of a neighbour, which is empty afterwards.
    fn take(&mut self, neighbour: TokenId, side: Side) -> Occurrences {
        let table = match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        };
        std::mem::take(&mut table[neighbour as usize])
    }
}

/// Counts and positions of all pairs that can still be chosen.
struct PairCounts {
    pairs: HashMap<Pair, Occurrences>,
    /// Pairs by count, then smallest pair first. A count may be outdated, but only too high.
    queue: BinaryHeap<(u64, Reverse<Pair>)>,
    /// Pairs below this will never be chosen, since counts only fall; they are forgotten.
    minimum: u64,
}

impl PairCounts {
    /// Counts the pairs of bytes, the only ones there are before the first step.
    fn of(text: &LinkedText, minimum: u64) -> Self {
        let mut pairs: HashMap<Pair, Occurrences> = HashMap::new();
        for (position, link) in (0..).zip(&text.links) {
            if let Some(pair) = text.pair_at(position) {
                pairs.entry(pair).or_default().add(text.weights[link.piece as usize], position);
            }
        }
        let first = pairs.keys().copied().collect::<Vec<_>>();
        let mut counts = Self { pairs, queue: BinaryHeap::new(), minimum };
        counts.offer(first);
        counts
    }

    /// Brings the counts up to date after every `pair` was replaced by `new`.
    fn apply(&mut self, changes: &mut Changes, (left, right): Pair, new: TokenId) {
        let mut lost = Vec::new();
        let mut gained = Vec::new();
        for (neighbour, side) in std::mem::take(&mut changes.neighbours) {
            let occurrences = changes.take(neighbour, side);
            let (old_pair, new_pair) = match side {
                Side::Before => ((neighbour, left), (neighbour, new)),
                Side::After => ((right, neighbour), (new, neighbour)),
            };
            lost.push((old_pair, occurrences.count));
            gained.push(new_pair);
            self.pairs.insert(new_pair, occurrences);
        }
        // After all gains, because in `abab` the first step makes (new, a) and the second, its
        // neighbour, loses it again.
        for (pair, count) in lost {
            // The pair being replaced and pairs that are too rare are not in the map.
            if let Some(occurrences) = self.pairs.get_mut(&pair) {
                occurrences.count -= count;
            }
        }
        self.offer(gained);
    }

    /// Puts new pairs into the queue; from now on their counts can only fall.
    fn offer(&mut self, new_pairs: Vec<Pair>) {
        for pair in new_pairs {
            let Entry::Occupied(entry) = self.pairs.entry(pair) else { continue };
            let count = entry.get().count;
            if count < self.minimum {
                entry.remove();
            } else {
                self.queue.push((count, Reverse(pair)));
            }
        }
    }

    /// Removes and returns the most frequent pair, the smallest of several.
    fn take_most_frequent(&mut self) -> Option<(Pair, Occurrences)> {
        while let Some((queued, Reverse(pair))) = self.queue.pop() {
            let Entry::Occupied(entry) = self.pairs.entry(pair) else { continue };
            if entry.get().count == queued {
                return Some((pair, entry.remove()));
            }
            self.offer(vec![pair]); // the count has fallen since it was queued
        }
        None
    }
}
