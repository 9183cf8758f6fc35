//! The definition of training, as code: count everything, choose, replace everything, repeat.

use std::collections::BTreeMap;

use super::{LearnedMerge, Pair, TrainingConfig, WeightedDocument, byte_token, check};
use crate::TokenId;
use crate::artifact::{FIRST_MERGE_ID, Merge};
use crate::error::TokenizerError;

/// Learns merges by counting all pairs again at every step.
///
/// Time grows with text length times merges. [`train`](crate::train()) returns the same list;
/// this function is there to be read and to be compared with.
///
/// # Errors
/// As [`train`](crate::train()).
///
/// # Example
/// ```
/// use llm_tokenizer::{Pretokenizer, TrainingConfig, WeightedDocument, train_by_recounting};
///
/// let documents = [WeightedDocument::once(b"abab"), WeightedDocument::once(b"abac")];
/// let config =
///     TrainingConfig { merges: 1, minimum_count: 1, pretokenizer: Pretokenizer::None };
/// let learned = train_by_recounting(&documents, &config)?;
/// assert_eq!((learned[0].merge.left, learned[0].merge.right), (99, 100)); // a, b
/// assert_eq!(learned[0].count, 3);
/// # Ok::<(), llm_tokenizer::TokenizerError>(())
/// ```
pub fn train_by_recounting(
    documents: &[WeightedDocument<'_>],
    config: &TrainingConfig,
) -> Result<Vec<LearnedMerge>, TokenizerError> {
    check(documents, config)?;
    let mut pieces: Vec<(Vec<TokenId>, u64)> = Vec::new();
    for document in documents {
        for piece in config.pretokenizer.pieces(document.text) {
            let tokens = piece.iter().map(|&byte| byte_token(byte)).collect();
            pieces.push((tokens, document.weight));
        }
    }

    let mut learned = Vec::new();
    for id in (FIRST_MERGE_ID..).take(config.merges) {
        let counts = count_pairs(&pieces);
        let Some((pair, count)) = most_frequent(&counts) else { break };
        if count < config.minimum_count.max(1) {
            break;
        }
        for (tokens, _) in &mut pieces {
            *tokens = replace_pair(tokens, pair, id);
        }
        learned.push(LearnedMerge { merge: Merge { id, left: pair.0, right: pair.1 }, count });
    }
    Ok(learned)
}

/// How often each pair of neighbours stands in some pieces, overlaps included, times the weight of
/// the piece: what one step of training looks at. Counts stay at `u64::MAX` if they get there.
///
/// # Example
/// ```
/// use llm_tokenizer::count_pairs;
///
/// let counts = count_pairs(&[(vec![7, 7, 7], 1), (vec![7, 8], 5)]);
/// assert_eq!(counts.into_iter().collect::<Vec<_>>(), [((7, 7), 2), ((7, 8), 5)]);
/// ```
pub fn count_pairs(pieces: &[(Vec<TokenId>, u64)]) -> BTreeMap<(TokenId, TokenId), u64> {
    let mut counts: BTreeMap<Pair, u64> = BTreeMap::new();
    for (tokens, weight) in pieces {
        for pair in tokens.windows(2) {
            let count = counts.entry((pair[0], pair[1])).or_default();
            *count = count.saturating_add(*weight);
        }
    }
    counts
}

/// The pair with the highest count; of several, the smallest.
fn most_frequent(counts: &BTreeMap<Pair, u64>) -> Option<(Pair, u64)> {
    // The map is in ascending order and `max_by_key` keeps the last of equals, hence `rev`.
    counts.iter().rev().max_by_key(|(_, count)| **count).map(|(&pair, &count)| (pair, count))
}

/// Replaces `pair` by `id`, from left to right and without overlaps.
fn replace_pair(tokens: &[TokenId], pair: Pair, id: TokenId) -> Vec<TokenId> {
    let mut replaced = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let [first, tail @ ..] = rest {
        if tail.first() == Some(&pair.1) && *first == pair.0 {
            replaced.push(id);
            rest = &tail[1..];
        } else {
            replaced.push(*first);
            rest = tail;
        }
    }
    replaced
}
