//! Counting: what followed each context.

use std::collections::{BTreeMap, BTreeSet};

use llm_corpus::{EncodedDocument, TokenId};

/// The n-grams of one length: each context of `n - 1` tokens and what followed it. Sorted, so
/// that whatever is computed from all of them has one order.
pub(super) type Counts = BTreeMap<Vec<TokenId>, Row>;

/// What followed one context.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    /// `c(h)`, the sum of `counts`.
    total: u64,
    /// `c(h, w)` for every `w` that was seen.
    counts: BTreeMap<TokenId, u64>,
}

impl Row {
    fn add(&mut self, next: TokenId) {
        *self.counts.entry(next).or_default() += 1;
        self.total += 1;
    }

    /// `c(h)`, at least 1.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// `T(h)`: how many different tokens were seen.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// `c(h, w)`, 0 for a token never seen here.
    pub(super) fn count(&self, next: TokenId) -> u64 {
        self.counts.get(&next).copied().unwrap_or(0)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (TokenId, u64)> {
        self.counts.iter().map(|(&next, &count)| (next, count))
    }
}

/// How often each n-gram of length `n` was seen.
pub(super) fn sightings(n: usize, documents: &[EncodedDocument]) -> Counts {
    let mut counts = Counts::new();
    for (ngram, _) in documents.iter().flat_map(|document| ngrams(n, document)) {
        add(&mut counts, ngram);
    }
    counts
}

/// The counts of Kneser-Ney: sightings of the longest n-grams; of shorter ones, how many different
/// tokens were seen in front of them, plus once for each time that a document begins with them.
pub(super) fn continuations(order: usize, documents: &[EncodedDocument]) -> Vec<Counts> {
    let shorter = (1..order).map(|n| {
        let mut counts = Counts::new();
        let mut extended = BTreeSet::new();
        for (ngram, in_front) in documents.iter().flat_map(|document| ngrams(n, document)) {
            if in_front.is_none_or(|token| extended.insert((token, ngram))) {
                add(&mut counts, ngram);
            }
        }
        counts
    });
    let mut all: Vec<Counts> = shorter.collect();
    if order > 0 {
        all.push(sightings(order, documents));
    }
    all
}

/// The n-grams of a document that end in a scored target, each with the token in front of it.
fn ngrams(
    n: usize,
    document: &EncodedDocument,
) -> impl Iterator<Item = (&[TokenId], Option<TokenId>)> {
    let ids = document.ids();
    // Target t is the id at position t + 1, the last of the n-gram that starts at t + 2 - n.
    let scored = (0..document.target_count()).filter(|&target| document.is_scored(target));
    scored.filter_map(move |target| {
        let start = (target + 2).checked_sub(n)?;
        let in_front = start.checked_sub(1).map(|before| ids[before]);
        Some((&ids[start..target + 2], in_front))
    })
}

fn add(counts: &mut Counts, ngram: &[TokenId]) {
    let (&next, context) = ngram.split_last().expect("an n-gram has at least one token");
    // Looked up first: most contexts are known, and `entry` would copy each of them.
    match counts.get_mut(context) {
        Some(row) => row.add(next),
        None => counts.entry(context.to_vec()).or_default().add(next),
    }
}
