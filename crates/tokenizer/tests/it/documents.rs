//! Whole documents: their frame, and tokens as people write them.

use llm_tokenizer::{
    ControlRole, ControlToken, Pretokenizer, Tokenizer, TokenizerArtifact, TokenizerError,
    chapter_four_tokenizer,
};
use proptest::collection::vec;
use proptest::prelude::*;

#[track_caller]
fn refused(tokenizer: &Tokenizer, ids: &[u32]) -> (usize, Option<u32>, &'static str) {
    match tokenizer.decode_document(ids).unwrap_err() {
        TokenizerError::Frame { position, id, expected } => (position, id, expected),
        other => panic!("{other}"),
    }
}

#[test]
fn a_document_without_its_frame_is_refused_at_the_place() {
    let tokenizer = Tokenizer::of_bytes();
    assert_eq!(tokenizer.decode_document(&[0, 99, 1]).unwrap(), b"a");
    assert_eq!(tokenizer.decode_document(&[0, 1]).unwrap(), b"");

    assert_eq!(refused(&tokenizer, &[]), (0, None, "the start token"));
    assert_eq!(refused(&tokenizer, &[99, 1]), (0, Some(99), "the start token"));
    assert_eq!(refused(&tokenizer, &[0]), (1, None, "the end token"));
    assert_eq!(refused(&tokenizer, &[0, 99]), (1, Some(99), "the end token"));
    assert_eq!(refused(&tokenizer, &[0, 99, 0, 1]), (2, Some(0), "a token of the text"));
    assert_eq!(refused(&tokenizer, &[0, 1, 1]), (1, Some(1), "a token of the text"));
    let unknown = tokenizer.decode_document(&[0, 258, 1]).unwrap_err();
    assert!(matches!(unknown, TokenizerError::UnknownToken { id: 258, position: 1 }), "{unknown}");
    assert_eq!(
        tokenizer.decode_document(&[0]).unwrap_err().to_string(),
        "nothing at position 1 is not the end token: a document has its start token first, its \
         end token last and no control token in between"
    );
}

#[test]
fn one_token_may_begin_and_end_a_document_and_no_frame_is_a_frame() {
    let mut artifact = TokenizerArtifact::trained(Vec::new(), Pretokenizer::None);
    artifact.document_start = Some(1); // as in GPT-2: one token for both
    let both = Tokenizer::from_artifact(artifact.clone()).unwrap();
    assert_eq!(both.decode_document(&[1, 99, 1]).unwrap(), b"a");
    assert_eq!(refused(&both, &[1]), (1, None, "the end token"));

    (artifact.document_start, artifact.document_end) = (None, None);
    let bare = Tokenizer::from_artifact(artifact).unwrap();
    assert_eq!(bare.decode_document(&[]).unwrap(), b"");
    assert_eq!(bare.decode_document(&[99]).unwrap(), b"a");
    assert_eq!(refused(&bare, &[99, 1]), (1, Some(1), "a token of the text"));
}

#[test]
fn tokens_are_spelled_without_doubt_about_bytes() {
    let mut artifact = chapter_four_tokenizer().artifact().clone();
    artifact.vocab_size = 300;
    artifact.control_tokens.push(ControlToken {
        id: 299,
        role: ControlRole::Other,
        text: "<|turn|>".to_owned(),
    });
    let tokenizer = Tokenizer::from_artifact(artifact).unwrap();
    let spelled = |id: u32| tokenizer.spelling(id);
    assert_eq!([0, 1, 299].map(spelled), ["<|bos|>", "<|eos|>", "<|turn|>"]);
    assert_eq!([99, 34, 261].map(spelled), ["a", "␣", "␣the␣"]);
    // Line feed, the two bytes of an e with an acute accent, a backslash: 10, 0xc3, 0xa9, 92.
    assert_eq!([12, 197, 171, 94].map(spelled), ["\\n", "\\xc3", "\\xa9", "\\\\"]);
    assert_eq!([298, 300].map(spelled), ["<|undefined 298|>", "<|undefined 300|>"]);
}

proptest! {
    #[test]
    fn every_document_comes_back_and_no_piece_of_it_passes(text in vec(any::<u8>(), 0..40)) {
        let tokenizer = chapter_four_tokenizer();
        let ids = tokenizer.encode_document(&text).unwrap();
        prop_assert_eq!(tokenizer.decode_document(&ids).unwrap(), text);
        prop_assert!(tokenizer.decode_document(&ids[1..]).is_err());
        prop_assert!(tokenizer.decode_document(&ids[..ids.len() - 1]).is_err());
        prop_assert!(tokenizer.decode_document(&ids.repeat(2)).is_err());
    }
}
