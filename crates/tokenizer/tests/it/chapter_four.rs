//! The tokenizer of the lessons is exactly this one.

use llm_tokenizer::{
    CHAPTER_FOUR_MERGES, CHAPTER_FOUR_TRAINING_TEXT, Pretokenizer, TrainingConfig,
    WeightedDocument, chapter_four_tokenizer, train_by_recounting,
};
use proptest::prelude::*;

/// Every model that the lessons save contains this tokenizer: another digest means that all of
/// them are other models.
#[test]
fn its_identity_is_pinned() {
    assert_eq!(
        chapter_four_tokenizer().sha256(),
        "1edff5dc74457510e7de1d8dedae578847e4573bb21c297ade8a3e32c42956fe"
    );
}

#[test]
fn it_has_266_ids_with_bytes_from_two() {
    let tokenizer = chapter_four_tokenizer();
    assert_eq!(tokenizer.vocab_size(), 266);
    assert_eq!((tokenizer.start_token(), tokenizer.end_token()), (Some(0), Some(1)));
    assert!(tokenizer.is_control(0) && tokenizer.is_control(1) && !tokenizer.is_control(2));
    for byte in 0..=u8::MAX {
        assert_eq!(tokenizer.token_bytes(2 + u32::from(byte)), Some(&[byte][..]));
    }
    assert_eq!(tokenizer.token_bytes(266), None);
}

#[test]
fn its_eight_merges_are_these() {
    let tokenizer = chapter_four_tokenizer();
    let learned: Vec<&[u8]> = (258..266).map(|id| tokenizer.token_bytes(id).unwrap()).collect();
    let expected: [&[u8]; CHAPTER_FOUR_MERGES] =
        [b"he", b"the", b"the ", b" the ", b"r ", b"re", b"ve", b"d "];
    assert_eq!(learned, expected);
}

#[test]
fn recounting_its_text_gives_the_same_merges() {
    let documents: Vec<_> = CHAPTER_FOUR_TRAINING_TEXT
        .iter()
        .map(|sentence| WeightedDocument::once(sentence.as_bytes()))
        .collect();
    let config = TrainingConfig { merges: 8, minimum_count: 2, pretokenizer: Pretokenizer::None };
    let learned = train_by_recounting(&documents, &config).unwrap();
    let merges: Vec<_> = learned.iter().map(|step| step.merge).collect();
    assert_eq!(merges, chapter_four_tokenizer().artifact().merges);
    // "he" counted by hand, sentence by sentence: 3 + 3 + 6 + 4 + 4 + 4.
    assert_eq!(learned[0].count, 24);
}

#[test]
fn the_documents_of_the_evaluation_chapter_have_one_id_per_letter() {
    let tokenizer = chapter_four_tokenizer();
    for (text, ids) in [
        ("aaab", &[0, 99, 99, 99, 100, 1][..]),
        ("aab", &[0, 99, 99, 100, 1]),
        ("abaa", &[0, 99, 100, 99, 99, 1]),
        ("baa", &[0, 100, 99, 99, 1]),
    ] {
        assert_eq!(tokenizer.encode_document(text.as_bytes()).unwrap(), ids, "{text}");
    }
}

proptest! {
    #[test]
    fn strings_of_a_and_b_have_one_id_per_letter(text in "[ab]{0,80}") {
        let ids = chapter_four_tokenizer().encode(text.as_bytes()).unwrap();
        let single: Vec<u32> = text.bytes().map(|byte| u32::from(byte) + 2).collect();
        prop_assert_eq!(ids, single);
    }
}
