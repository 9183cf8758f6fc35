//! Tokens that no merge makes, and pieces that are whole tokens.

use llm_tokenizer::{
    ExtraToken, Merge, Pretokenizer, Tokenizer, TokenizerArtifact, TokenizerError,
};

/// The 256 bytes at 2 to 257, one merge `ab` = 258, and these extra tokens from 300 on.
fn with_extra(extra: &[(&str, bool)], pretokenizer: Pretokenizer) -> TokenizerArtifact {
    let merges = vec![Merge { id: 258, left: 99, right: 100 }];
    let mut artifact = TokenizerArtifact::trained(merges, pretokenizer);
    artifact.vocab_size = 400;
    artifact.extra_tokens = (300..)
        .zip(extra)
        .map(|(id, &(text, match_text))| ExtraToken { bytes: text.into(), id, match_text })
        .collect();
    artifact
}

#[test]
fn the_leftmost_and_longest_match_is_taken() {
    let extra = [("bb", true), ("bbb", true), ("bbbbb", true)];
    let tokenizer = Tokenizer::from_artifact(with_extra(&extra, Pretokenizer::None)).unwrap();
    assert_eq!(tokenizer.encode(b"b").unwrap(), [100]);
    assert_eq!(tokenizer.encode(b"bb").unwrap(), [300]);
    assert_eq!(tokenizer.encode(b"bbbb").unwrap(), [301, 100]); // bbbb is not bbbbb
    assert_eq!(tokenizer.encode(b"bbbbbbb").unwrap(), [302, 300]);
    // The match begins before the merge of a and b can be applied.
    assert_eq!(tokenizer.encode(b"abbab").unwrap(), [99, 300, 258]);
}

#[test]
fn a_match_ends_a_piece_and_offsets_go_on() {
    let mut artifact = with_extra(&[(" a ", true)], Pretokenizer::Gpt2);
    artifact.byte_ids[usize::from(b'!')] = None;
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(tokenizer.encode(b"ab a ab").unwrap(), [258, 300, 258]);
    let error = tokenizer.encode(b"ab a ab!").unwrap_err();
    assert!(matches!(error, TokenizerError::MissingByte { byte: b'!', offset: 7 }), "{error}");
}

#[test]
fn an_extra_token_that_is_not_matched_is_only_decoded() {
    let tokenizer = Tokenizer::from_artifact(with_extra(&[("cc", false)], Pretokenizer::None));
    let tokenizer = tokenizer.unwrap();
    assert_eq!(tokenizer.encode(b"cc").unwrap(), [101, 101]);
    assert_eq!(tokenizer.decode(&[300, 258]).unwrap(), b"ccab");
    assert_eq!(tokenizer.token_bytes(300), Some(&b"cc"[..]));
}

#[test]
fn a_piece_that_is_a_token_is_that_token_only_if_the_artifact_says_so() {
    let mut artifact = with_extra(&[("cc", false), (" cc", false)], Pretokenizer::Gpt2);
    artifact.whole_piece_first = true;
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    // "cc" and " cc" are whole pieces; "ccab" is not a token, so its merges apply.
    assert_eq!(tokenizer.encode(b"cc cc ccab").unwrap(), [300, 301, 34, 101, 101, 258]);
}

#[test]
fn unusable_extra_tokens_are_refused_with_their_place() {
    let place = |artifact| match Tokenizer::from_artifact(artifact).unwrap_err() {
        TokenizerError::Malformed { at, .. } | TokenizerError::IdDefinedTwice { at, .. } => at,
        other => panic!("{other}"),
    };
    let long = "x".repeat(257);
    let at = |extra: &[(&str, bool)]| place(with_extra(extra, Pretokenizer::None));
    assert_eq!(at(&[("fine", true), ("", true)]), "extra_tokens[1].bytes");
    assert_eq!(at(&[(&long, true)]), "extra_tokens[0].bytes");
    assert_eq!(at(&[("same", true), ("same", true)]), "extra_tokens");
    let mut taken = with_extra(&[("x", true)], Pretokenizer::None);
    taken.extra_tokens[0].id = 99;
    assert_eq!(place(taken), "extra_tokens[0].id");
}
