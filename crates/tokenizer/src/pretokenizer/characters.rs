//! What the rules distinguish in a text: letters, numbers, whitespace and the rest.
//!
//! Bytes that are not valid UTF-8, which the published rules do not know, count as the rest, so that
//! every byte string can be cut.

use super::unicode::{LETTERS, NUMBERS};

/// A class of characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `\p{L}`.
    Letter,
    /// `\p{N}`.
    Number,
    /// `\s`.
    Whitespace,
    /// `[^\s\p{L}\p{N}]`, and invalid bytes.
    Other,
}

/// Kind and length in bytes of every character.
pub(super) fn characters(text: &[u8]) -> impl Iterator<Item = (Kind, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (kind, len) = first_character(rest)?;
        rest = &rest[len..];
        Some((kind, len))
    })
}

/// Kind and length in bytes of the first character; `None` at the end of the text.
pub(super) fn first_character(text: &[u8]) -> Option<(Kind, usize)> {
    let len = match text.first()? {
        0x00..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some((Kind::Other, 1)),
    };
    let character = text
        .get(..len)
        .and_then(|bytes| std::str::from_utf8(bytes).ok())
        .and_then(|character| character.chars().next());
    Some(character.map_or((Kind::Other, 1), |character| (kind(character), len)))
}

fn kind(character: char) -> Kind {
    match character {
        'a'..='z' | 'A'..='Z' => Kind::Letter, // most text, without a search
        _ if character.is_whitespace() => Kind::Whitespace,
        _ if contains(LETTERS, character) => Kind::Letter,
        _ if contains(NUMBERS, character) => Kind::Number,
        _ => Kind::Other,
    }
}

/// Whether the number of changes of membership up to `character` is odd.
fn contains(changes: &[u32], character: char) -> bool {
    changes.partition_point(|&change| change <= u32::from(character)) % 2 == 1
}

/// Length in bytes of the characters of one kind that `text` begins with.
pub(super) fn run_len(text: &[u8], kind: Kind) -> usize {
    characters(text).take_while(|(next, _)| *next == kind).map(|(_, len)| len).sum()
}

#[cfg(test)]
mod tests {
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
}
