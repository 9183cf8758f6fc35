//! Training without recounting: a replacement changes only the counts of its neighbours.
//!
//! For every pair we keep its count and the places where it began, and a heap offers the pair with
//! the highest count. Merging a pair visits only its own places; at each, the two pairs with the
//! neighbours disappear and two pairs with the new token appear.
//!
//! Two facts keep the bookkeeping small:
//!
//! - *Counts only fall.* A pair can only appear in the step that creates the newer of its two
//!   tokens. So the heap may hold outdated counts, but only too high ones, and they are put
//!   right when they come to the top.
//! - *Places are in ascending order*, for the same reason: they were all noted during one walk
//!   from left to right. Replacing in that order is leftmost and non-overlapping by itself.
//!
//! n bytes offer at most n - 1 replacements, and every outdated entry of the heap is paid for by
//! a pair that disappeared, so training costs O(n log n) for any number of merges. (Zouhar et al.
//! 2023, "A Formal Perspective on Byte-Pair Encoding", describe a faster BPE of this kind.)

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::pair_counts::{Changes, Occurrences, PairCounts};
use super::tagged_text::TaggedText;
use super::{LearnedMerge, TrainingConfig, WeightedDocument, check};
use crate::artifact::{FIRST_MERGE_ID, Merge};
use crate::error::TokenizerError;

/// Learns merges, most important first.
///
/// The result is the one that [`train_by_recounting`](crate::train_by_recounting()) defines, at
/// every rank. It depends on the documents and their weights, not on their order. Memory is about
/// 25 bytes per byte of distinct text.
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
    let mut text = TaggedText::of(distinct_pieces(documents, config))?;
    let mut counts = PairCounts::of(&text, config.minimum_count.max(1));
    let mut changes = Changes::default();
    let mut learned = Vec::new();
    for id in (FIRST_MERGE_ID..).take(config.merges) {
        let Some((pair, Occurrences { count, places })) = counts.take_most_frequent() else {
            break;
        };
        text.merge(pair, id, &places, &mut changes);
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
