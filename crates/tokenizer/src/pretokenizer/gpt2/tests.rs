use proptest::prelude::*;

use super::*;

#[test]
fn kinds_follow_the_unicode_categories() {
    for (characters, expected) in [
        ("aZé\u{aa}\u{2b0}ßЖ東한", Kind::Letter), // Ll, Lu, Lo, Lm
        ("7\u{661}\u{bd}\u{2167}", Kind::Number), // Nd, No, Nl
        (" \t\n\u{b}\u{85}\u{a0}\u{3000}", Kind::Whitespace),
        (".'_\u{301}\u{200b}\u{1f6a2}\0\u{1c}\u{24b6}", Kind::Other), // \u{24b6} is a symbol, So
    ] {
        for character in characters.chars() {
            assert_eq!(kind(character), expected, "{character:?}");
        }
    }
}

#[test]
fn changes_of_membership_are_in_ascending_order() {
    for table in [LETTERS, NUMBERS] {
        assert!(table.is_sorted_by(|a, b| a < b));
        assert_eq!(table.len() % 2, 0, "the last range has an end");
    }
}

#[test]
fn bytes_that_are_not_utf8_are_pieces_like_punctuation() {
    let cut = |text: &'static [u8]| pieces(text).collect::<Vec<_>>();
    assert_eq!(cut(b"a\xff\xfe!b"), [&b"a"[..], b"\xff\xfe!", b"b"]);
    assert_eq!(cut(b" \xc3"), [b" \xc3"]); // the first half of a letter
    assert_eq!(cut(b"\xc3\xa9\xc3"), [&b"\xc3\xa9"[..], b"\xc3"]);
    assert_eq!(cut(b"\xed\xa0\x80"), [b"\xed\xa0\x80"]); // a surrogate
}

proptest! {
    #[test]
    fn pieces_join_to_the_text_and_are_not_empty(
        text in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(b" a1.'s".to_vec())], 0..60),
    ) {
        let pieces: Vec<_> = pieces(&text).collect();
        prop_assert!(pieces.iter().all(|piece| !piece.is_empty()));
        prop_assert_eq!(pieces.concat(), text);
    }
}
