//! How often every pair stands in the text, kept up to date from step to step.

use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BinaryHeap, HashMap};

use super::Pair;
use super::tagged_text::{Place, TaggedText};
use crate::TokenId;
use crate::artifact::FIRST_MERGE_ID;

/// Where a pair stands.
#[derive(Debug, Default)]
pub(super) struct Occurrences {
    /// Weighted number of places where it stands now.
    pub(super) count: u64,
    /// Every place where it ever stood, ascending; some may have gone.
    pub(super) places: Vec<Place>,
}

impl Occurrences {
    fn add(&mut self, weight: u64, place: Place) {
        debug_assert!(self.places.last() < Some(&place), "not from left to right");
        self.count += weight;
        self.places.push(place);
    }
}

/// On which side of the replaced pair a neighbour stands.
#[derive(Debug, Clone, Copy)]
pub(super) enum Side {
    /// It is the token before the pair.
    Before,
    /// It is the token after the pair.
    After,
}

/// What one step does to the counts, gathered by the token that stands beside the replaced pair.
///
/// When (left, right) becomes `new`, a token p before it turns one pair (p, left) into (p, new),
/// and a token q after it turns one pair (right, q) into (new, q). So one number per neighbour
/// and side says both what is lost and what is gained. The tables are indexed by token id: a
/// frequent pair has many thousand places but few different neighbours.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Per token p: the places of the new pair (p, new).
    before: Vec<Occurrences>,
    /// Per token q: the places of the new pair (new, q).
    after: Vec<Occurrences>,
    /// Neighbours with an entry in one of the tables, each once per table.
    neighbours: Vec<(TokenId, Side)>,
}

impl Changes {
    /// Notes that a new pair with `neighbour` begins at `place`.
    pub(super) fn note(&mut self, neighbour: TokenId, side: Side, weight: u64, place: Place) {
        let table = self.table(side);
        let row = neighbour as usize;
        if row >= table.len() {
            table.resize_with(row + 1, Occurrences::default);
        }
        let is_first = table[row].count == 0; // weights are not 0
        table[row].add(weight, place);
        if is_first {
            self.neighbours.push((neighbour, side));
        }
    }

    fn table(&mut self, side: Side) -> &mut Vec<Occurrences> {
        match side {
            Side::Before => &mut self.before,
            Side::After => &mut self.after,
        }
    }
}

/// Counts and positions of all pairs that can still be chosen.
pub(super) struct PairCounts {
    pairs: HashMap<Pair, Occurrences>,
    /// Pairs by count, then smallest pair first. A count may be outdated, but only too high.
    queue: BinaryHeap<(u64, Reverse<Pair>)>,
    /// Pairs below this will never be chosen, since counts only fall; they are forgotten.
    minimum: u64,
}

impl PairCounts {
    /// Counts the pairs of `text`; those below `minimum` (at least 1) are never offered.
    pub(super) fn of(text: &TaggedText, minimum: u64) -> Self {
        // Before the first merge there are few different pairs but as many as bytes in all, so a
        // table with a row of right ids for each left id says where to count a pair: 0 is nowhere yet.
        let ids = FIRST_MERGE_ID as usize;
        let mut table = vec![0_u32; ids * ids];
        let mut found: Vec<(Pair, Occurrences)> = Vec::new();
        for (pair, place) in text.pairs() {
            let at = &mut table[pair.0 as usize * ids + pair.1 as usize];
            if *at == 0 {
                found.push((pair, Occurrences::default()));
                *at = found.len() as u32;
            }
            found[*at as usize - 1].1.add(text.weight(place), place);
        }
        let pairs: HashMap<Pair, Occurrences> = found.into_iter().collect();
        let first: Vec<Pair> = pairs.keys().copied().collect();
        let mut counts = Self { pairs, queue: BinaryHeap::new(), minimum };
        counts.offer(first);
        counts
    }

    /// Brings the counts up to date after (`left`, `right`) was replaced by `new` everywhere,
    /// and empties `changes`.
    pub(super) fn apply(&mut self, changes: &mut Changes, (left, right): Pair, new: TokenId) {
        let mut lost = Vec::new();
        let mut gained = Vec::new();
        for (neighbour, side) in std::mem::take(&mut changes.neighbours) {
            let occurrences = std::mem::take(&mut changes.table(side)[neighbour as usize]);
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

    /// Queues pairs with their counts, which from now on can only fall.
    fn offer(&mut self, pairs: impl IntoIterator<Item = Pair>) {
        for pair in pairs {
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
    pub(super) fn take_most_frequent(&mut self) -> Option<(Pair, Occurrences)> {
        while let Some((queued, Reverse(pair))) = self.queue.pop() {
            let Entry::Occupied(entry) = self.pairs.entry(pair) else { continue };
            if entry.get().count == queued {
                return Some((pair, entry.remove()));
            }
            self.offer([pair]); // the count has fallen since it was queued
        }
        None
    }
}
