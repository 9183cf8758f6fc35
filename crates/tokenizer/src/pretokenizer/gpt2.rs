//! The rule of GPT-2: words with the space before them, numbers, punctuation, whitespace.
//!
//! Radford et al. 2019 cut text with one regular expression, alternatives tried from the left:
//!
//! ```text
//! 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//! ```
//!
//! Since each alternative is decided by the kinds of a few characters, a scanner of one function
//! per line replaces the regular expression. Bytes that are not valid UTF-8, which the expression
//! does not know, count as punctuation, so that every byte string can be cut.

use super::unicode::{LETTERS, NUMBERS};

/// What the expression distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `\p{L}`.
    Letter,
    /// `\p{N}`.
    Number,
    /// `\s`.
    Whitespace,
    /// `[^\s\p{L}\p{N}]`, and invalid bytes.
    Other,
}

/// The pieces of `text`.
pub(super) fn pieces(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, tail) = rest.split_at(piece_len(rest));
        rest = tail;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Length of the first piece in bytes; 0 only for empty text.
fn piece_len(text: &[u8]) -> usize {
    contraction_len(text).or_else(|| run_len(text)).unwrap_or_else(|| whitespace_len(text))
}

/// `'s|'t|'re|'ve|'m|'ll|'d`
fn contraction_len(text: &[u8]) -> Option<usize> {
    const ENDINGS: [&[u8]; 7] = [b"'s", b"'t", b"'re", b"'ve", b"'m", b"'ll", b"'d"];
    ENDINGS.iter().find(|ending| text.starts_with(ending)).map(|ending| ending.len())
}

/// `| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+`: at most one space, then characters of one kind.
fn run_len(text: &[u8]) -> Option<usize> {
    let space = usize::from(text.starts_with(b" "));
    let (kind, _) = first_character(&text[space..])?;
    if kind == Kind::Whitespace {
        return None;
    }
    let characters = characters(&text[space..]).take_while(|(next, _)| *next == kind);
    Some(space + characters.map(|(_, len)| len).sum::<usize>())
}

/// `\s+(?!\S)|\s+`: all whitespace, but the last character of it belongs to what follows, if
/// something follows and something is left.
fn whitespace_len(text: &[u8]) -> usize {
    let (mut len, mut last) = (0, 0);
    for (_, character) in characters(text).take_while(|(kind, _)| *kind == Kind::Whitespace) {
        len += character;
        last = character;
    }
    let something_follows = len < text.len();
    if something_follows && len > last { len - last } else { len }
}

/// Kind and length in bytes of every character.
fn characters(text: &[u8]) -> impl Iterator<Item = (Kind, usize)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (kind, len) = first_character(rest)?;
        rest = &rest[len..];
        Some((kind, len))
    })
}

/// Kind and length in bytes of the first character; `None` at the end of the text.
fn first_character(text: &[u8]) -> Option<(Kind, usize)> {
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

#[cfg(test)]
mod tests;
