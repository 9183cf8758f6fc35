//! Training, looked at step by step.

use std::cmp::Reverse;

use llm_from_scratch_practical::tokenizer::{
    LearnedMerge, TokenId, Tokenizer, TokenizerError, TrainingConfig, WeightedDocument, count_pairs,
};
use serde::Serialize;

/// How many steps, and how many candidates of a step, are shown.
const SHOWN: (usize, usize) = (20, 4);

/// One step: look at the pairs, take the most frequent one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Step {
    /// Steps before this one.
    pub rank: usize,
    /// The documents as tokens before this step.
    pub before: Vec<String>,
    /// The most frequent pairs with their counts; of equally frequent ones the smallest ids first.
    pub pairs: Vec<String>,
    /// The pair that was merged, as ids.
    pub merged: (TokenId, TokenId),
    /// How often it was counted.
    pub count: u64,
    /// The id of the new token.
    pub id: TokenId,
    /// The new token, spelled.
    pub token: String,
}

/// The first steps of a training that has learned these merges.
///
/// # Errors
/// None that merges of one training can cause.
pub(crate) fn steps(
    documents: &[WeightedDocument<'_>],
    config: &TrainingConfig,
    learned: &[LearnedMerge],
) -> Result<Vec<Step>, TokenizerError> {
    let after = Tokenizer::from_training(learned, config.pretokenizer)?;
    let step = |rank: usize| -> Result<Step, TokenizerError> {
        // The state before step `rank` is the text encoded with all merges before it.
        let before = Tokenizer::from_training(&learned[..rank], config.pretokenizer)?;
        let mut pieces = Vec::new();
        for document in documents {
            for piece in config.pretokenizer.pieces(document.text) {
                pieces.push((before.encode(piece)?, document.weight));
            }
        }
        let LearnedMerge { merge, count } = learned[rank];
        Ok(Step {
            rank,
            before: documents
                .iter()
                .map(|document| spelled(&before, document.text))
                .collect::<Result<_, _>>()?,
            pairs: most_frequent(&before, &pieces),
            merged: (merge.left, merge.right),
            count,
            id: merge.id,
            token: after.spelling(merge.id),
        })
    };
    (0..learned.len().min(SHOWN.0)).map(step).collect()
}

/// A text as tokens with spaces between them.
pub(crate) fn spelled(tokenizer: &Tokenizer, text: &[u8]) -> Result<String, TokenizerError> {
    let ids = tokenizer.encode(text)?;
    Ok(ids.iter().map(|&id| tokenizer.spelling(id)).collect::<Vec<_>>().join(" "))
}

/// `a b: 3`, the pair that training takes first.
fn most_frequent(tokenizer: &Tokenizer, pieces: &[(Vec<TokenId>, u64)]) -> Vec<String> {
    let mut counts: Vec<_> = count_pairs(pieces).into_iter().collect();
    counts.sort_by_key(|&(pair, count)| (Reverse(count), pair));
    let shown = counts.iter().take(SHOWN.1).map(|&((left, right), count)| {
        format!("{} {}: {count}", tokenizer.spelling(left), tokenizer.spelling(right))
    });
    shown.collect()
}
