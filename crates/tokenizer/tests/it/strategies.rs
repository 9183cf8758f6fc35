//! Random texts and tokenizers that make merges frequent.

use llm_tokenizer::{Merge, Pretokenizer, TokenId, TokenizerArtifact};
use proptest::collection::vec;
use proptest::prelude::*;

/// Texts of few different bytes, so that pairs repeat and overlap.
pub(crate) fn repetitive_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop::sample::select(b"ab".to_vec()), 0..60),
        vec(prop::sample::select(b"abc 1'".to_vec()), 0..80),
        vec(prop::sample::select(vec![0, b'a', 0xc3, 0xa9, 0xff]), 0..40),
    ]
}

/// Valid artifacts that no training gives: only the bytes `a` to `d` have tokens, ids are in no
/// order and have gaps, merges are of random pairs, and several may make the same token.
pub(crate) fn wild_artifact() -> impl Strategy<Value = TokenizerArtifact> {
    let ids = Just((0..64).collect::<Vec<TokenId>>()).prop_shuffle();
    let picks = vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..24);
    (ids, picks, any::<bool>()).prop_map(|(mut free, picks, share)| {
        let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
        artifact.byte_ids = vec![None; 256];
        artifact.vocab_size = 64;
        artifact.control_tokens.clear();
        (artifact.document_start, artifact.document_end) = (None, None);
        let mut tokens: Vec<(Vec<u8>, TokenId)> = Vec::new();
        for byte in *b"abcd" {
            let id = free.pop().expect("64 ids for at most 28 tokens");
            artifact.byte_ids[usize::from(byte)] = Some(id);
            tokens.push((vec![byte], id));
        }
        for (left, right) in picks {
            let ((left_bytes, left), (right_bytes, right)) =
                (left.get(&tokens).clone(), right.get(&tokens).clone());
            let bytes = [left_bytes, right_bytes].concat();
            let taken = artifact.merges.iter().any(|m| (m.left, m.right) == (left, right));
            if taken || bytes.len() > 9 {
                continue;
            }
            let same = tokens.iter().find(|(known, _)| share && *known == bytes);
            let id = match same {
                Some((_, id)) => *id,
                None => free.pop().expect("64 ids for at most 28 tokens"),
            };
            artifact.merges.push(Merge { id, left, right });
            tokens.push((bytes, id));
        }
        artifact
    })
}

/// Texts that every wild artifact can encode.
pub(crate) fn wild_text() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        vec(prop::sample::select(b"ab".to_vec()), 0..50),
        vec(prop::sample::select(b"abcd".to_vec()), 0..50),
    ]
}
