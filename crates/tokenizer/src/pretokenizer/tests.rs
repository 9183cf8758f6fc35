use proptest::prelude::*;

use super::Pretokenizer;

const ALL: [Pretokenizer; 5] = [
    Pretokenizer::None,
    Pretokenizer::Gpt2,
    Pretokenizer::Gpt2Digits,
    Pretokenizer::Llama3,
    Pretokenizer::Qwen2,
];

fn cut(rule: Pretokenizer, text: &[u8]) -> Vec<&[u8]> {
    rule.pieces(text).collect()
}

#[test]
fn bytes_that_are_not_utf8_are_pieces_like_punctuation() {
    let gpt2 = |text| cut(Pretokenizer::Gpt2, text);
    assert_eq!(gpt2(b"a\xff\xfe!b"), [&b"a"[..], b"\xff\xfe!", b"b"]);
    assert_eq!(gpt2(b" \xc3"), [b" \xc3"]); // the first half of a letter
    assert_eq!(gpt2(b"\xc3\xa9\xc3"), [&b"\xc3\xa9"[..], b"\xc3"]);
    assert_eq!(gpt2(b"\xed\xa0\x80"), [b"\xed\xa0\x80"]); // a surrogate
    assert_eq!(cut(Pretokenizer::Llama3, b"a\xff\n\xffb"), [&b"a"[..], b"\xff\n", b"\xffb"]);
}

#[test]
fn a_digit_ends_the_text_for_the_spaces_before_it() {
    assert_eq!(cut(Pretokenizer::Gpt2, b"a  12"), [&b"a"[..], b" ", b" 12"]);
    assert_eq!(cut(Pretokenizer::Gpt2Digits, b"a  12"), [&b"a"[..], b"  ", b"1", b"2"]);
}

#[test]
fn llama3_and_qwen2_differ_in_the_length_of_a_number() {
    assert_eq!(cut(Pretokenizer::Llama3, b"12345"), [&b"123"[..], b"45"]);
    assert_eq!(cut(Pretokenizer::Qwen2, b"123"), [b"1", b"2", b"3"]);
}

proptest! {
    #[test]
    fn pieces_join_to_the_text_and_are_not_empty(
        text in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b" a1.'s\n".to_vec())], 0..60),
    ) {
        for rule in ALL {
            let pieces = cut(rule, &text);
            prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
            prop_assert_eq!(pieces.concat(), &*text);
        }
    }
}
