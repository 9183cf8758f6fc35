//! Text to ids and back.

use llm_tokenizer::{
    ControlRole, ControlToken, Merge, Pretokenizer, Tokenizer, TokenizerArtifact, TokenizerError,
    chapter_four_tokenizer,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::naive_encoder;
use crate::strategies::{wild_artifact, wild_text};

/// The trained layout with these merges; ids count up from 258.
fn with_merges(pairs: &[(u32, u32)], pretokenizer: Pretokenizer) -> Tokenizer {
    let merges = (258..).zip(pairs).map(|(id, &(left, right))| Merge { id, left, right }).collect();
    Tokenizer::from_artifact(TokenizerArtifact::trained(merges, pretokenizer)).unwrap()
}

#[test]
fn the_lowest_rank_is_applied_first() {
    // b = 100 and c = 101 are merged before a = 99 and b can be.
    let bc_first = with_merges(&[(100, 101), (99, 100)], Pretokenizer::None);
    assert_eq!(bc_first.encode(b"abc").unwrap(), [99, 258]);
    let ab_first = with_merges(&[(99, 100), (100, 101)], Pretokenizer::None);
    assert_eq!(ab_first.encode(b"abc").unwrap(), [258, 101]);
}

#[test]
fn equal_ranks_are_applied_from_the_left() {
    let tokenizer = with_merges(&[(99, 99)], Pretokenizer::None);
    assert_eq!(tokenizer.encode(b"aaa").unwrap(), [258, 99]);
}

#[test]
fn merges_do_not_cross_pieces() {
    let a1 = [(99, 51)]; // a = 99, 1 = 51
    assert_eq!(with_merges(&a1, Pretokenizer::None).encode(b"a1").unwrap(), [258]);
    assert_eq!(with_merges(&a1, Pretokenizer::Gpt2).encode(b"a1").unwrap(), [99, 51]);
}

#[test]
fn empty_text_has_no_ids_and_an_empty_document_only_its_frame() {
    let tokenizer = chapter_four_tokenizer();
    assert!(tokenizer.encode(b"").unwrap().is_empty());
    assert_eq!(tokenizer.encode_document(b"").unwrap(), [0, 1]);
    assert_eq!(tokenizer.decode(&[]).unwrap(), b"");
}

#[test]
fn a_document_has_only_the_frame_that_the_artifact_declares() {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    artifact.document_start = None;
    let end_only = Tokenizer::from_artifact(artifact.clone()).unwrap();
    assert_eq!(end_only.encode_document(b"a").unwrap(), [99, 1]);
    assert_eq!((end_only.start_token(), end_only.end_token()), (None, Some(1)));
    artifact.document_end = None;
    let bare = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(bare.encode_document(b"a").unwrap(), [99]);
}

#[test]
fn control_looking_text_stays_text() {
    let tokenizer = chapter_four_tokenizer();
    let text = b"<|bos|>hello<|eos|>";
    let ids = tokenizer.encode(text).unwrap();
    assert!(ids.iter().all(|&id| !tokenizer.is_control(id)));
    assert_eq!(tokenizer.decode(&ids).unwrap(), text);
}

#[test]
fn a_missing_byte_is_named_with_its_offset() {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::Gpt2);
    artifact.byte_ids[usize::from(b'!')] = None;
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(tokenizer.encode(b"fine").unwrap().len(), 4);
    let error = tokenizer.encode(b"not fine!").unwrap_err();
    assert!(matches!(error, TokenizerError::MissingByte { byte: b'!', offset: 8 }), "{error}");
}

#[test]
fn decoding_skips_control_tokens_and_refuses_ids_without_meaning() {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    artifact.vocab_size = 300; // 258 to 299 are padding rows
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(tokenizer.decode(&[0, 99, 1, 100, 0]).unwrap(), b"ab");
    for unknown in [258, 299, 300, u32::MAX] {
        let error = tokenizer.decode(&[99, unknown]).unwrap_err();
        assert!(
            matches!(error, TokenizerError::UnknownToken { id, position: 1 } if id == unknown),
            "{error}"
        );
        assert_eq!(tokenizer.token_bytes(unknown), None);
        assert!(!tokenizer.is_control(unknown));
    }
    assert_eq!(tokenizer.vocab_size(), 300);
    assert_eq!(tokenizer.token_bytes(1), Some(&b""[..]));
    assert_eq!(tokenizer.token_bytes(99), Some(&b"a"[..]));
}

#[test]
fn control_tokens_may_have_any_id() {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    artifact.vocab_size = 1000;
    let text = "<|turn|>".to_owned();
    artifact.control_tokens.push(ControlToken { id: 999, role: ControlRole::Other, text });
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    assert!(tokenizer.is_control(999));
    assert_eq!(tokenizer.token_bytes(999), Some(&b""[..]));
    assert!(tokenizer.encode(b"<|turn|>").unwrap().iter().all(|&id| id < 258));
}

#[test]
fn a_megabyte_without_a_space_is_encoded() {
    // Eight merges, each of the token before with itself: tokens of 2, 4, .. 256 times a.
    let doubling: Vec<_> = std::iter::once((99, 99)).chain((258..265).map(|id| (id, id))).collect();
    let tokenizer = with_merges(&doubling, Pretokenizer::None);
    let text = vec![b'a'; (1 << 20) + 3];
    let ids = tokenizer.encode(&text).unwrap();
    assert_eq!(ids[..1 << 12], [265; 1 << 12]); // 2^20 / 2^8
    assert_eq!(ids[1 << 12..], [258, 99]); // the three that are left over
}

proptest! {
    #[test]
    fn the_fast_encoder_does_what_the_definition_says(
        artifact in wild_artifact(),
        text in wild_text(),
    ) {
        let expected = naive_encoder::encode(&artifact, &text).unwrap();
        let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
        prop_assert_eq!(&tokenizer.encode(&text).unwrap(), &expected);
        prop_assert_eq!(tokenizer.decode(&expected).unwrap(), text);
    }

    #[test]
    fn every_byte_string_comes_back(text in vec(any::<u8>(), 0..300)) {
        let tokenizer = chapter_four_tokenizer();
        let ids = tokenizer.encode(&text).unwrap();
        prop_assert_eq!(&ids, &naive_encoder::encode(tokenizer.artifact(), &text).unwrap());
        prop_assert_eq!(tokenizer.decode(&ids).unwrap(), text.clone());
        let framed = tokenizer.encode_document(&text).unwrap();
        prop_assert_eq!(framed, [&[0][..], &ids, &[1]].concat());
    }

    #[test]
    fn joined_token_bytes_are_the_text(text in "[a-e rthvd]{0,60}") {
        let tokenizer = chapter_four_tokenizer();
        let ids = tokenizer.encode(text.as_bytes()).unwrap();
        let joined: Vec<u8> =
            ids.iter().flat_map(|&id| tokenizer.token_bytes(id).unwrap()).copied().collect();
        prop_assert_eq!(joined, text.into_bytes());
    }
}
