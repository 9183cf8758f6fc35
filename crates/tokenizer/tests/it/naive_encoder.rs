//! The definition of encoding, as code.

use llm_tokenizer::{TokenId, TokenizerArtifact};

/// Encodes a text that is one piece: replaces the pair of lowest rank, of those the leftmost, and
/// looks again from the start until no pair has a merge. `None` if a byte has no token.
pub(crate) fn encode(artifact: &TokenizerArtifact, text: &[u8]) -> Option<Vec<TokenId>> {
    let mut ids: Vec<TokenId> =
        text.iter().map(|&byte| artifact.byte_ids[usize::from(byte)]).collect::<Option<_>>()?;
    let rank_of = |pair: &[TokenId]| {
        artifact.merges.iter().position(|merge| [merge.left, merge.right] == pair)
    };
    loop {
        let ranked = ids.windows(2).enumerate().filter_map(|(at, pair)| Some((rank_of(pair)?, at)));
        let Some((rank, at)) = ranked.min() else { return Some(ids) };
        ids.splice(at..at + 2, [artifact.merges[rank].id]);
    }
}
