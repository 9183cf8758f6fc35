//! The rule of GPT-2: words with the space before them, numbers, punctuation, whitespace.
//!
//! Radford et al. 2019 cut text with one regular expression, alternatives tried from the left:
//!
//! ```text
//! 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//! ```
//!
//! Since each alternative is decided by the kinds of a few characters, a scanner of one function
//! per line replaces the regular expression.
//!
//! In the variant of SmolLM2 (Allal et al. 2025) every digit is first made a piece of its own, and the
//! expression cuts what stands between digits.

use super::characters::{Kind, characters, first_character, run_len};

/// What becomes of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// All characters of a number are one piece, as in GPT-2.
    Together,
    /// Each is a piece of its own, and the end of the text for what stands before it.
    Alone,
}

/// Length of the first piece in bytes; 0 only for empty text.
pub(super) fn piece_len(text: &[u8], numbers: Numbers) -> usize {
    single_number_len(text, numbers)
        .or_else(|| contraction_len(text))
        .or_else(|| word_len(text, numbers))
        .unwrap_or_else(|| whitespace_len(text, numbers))
}

fn single_number_len(text: &[u8], numbers: Numbers) -> Option<usize> {
    match first_character(text)? {
        (Kind::Number, len) if numbers == Numbers::Alone => Some(len),
        _ => None,
    }
}

/// `'s|'t|'re|'ve|'m|'ll|'d`
fn contraction_len(text: &[u8]) -> Option<usize> {
    const ENDINGS: [&[u8]; 7] = [b"'s", b"'t", b"'re", b"'ve", b"'m", b"'ll", b"'d"];
    ENDINGS.iter().find(|ending| text.starts_with(ending)).map(|ending| ending.len())
}

/// `| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+`: at most one space, then characters of one kind.
fn word_len(text: &[u8], numbers: Numbers) -> Option<usize> {
    let space = usize::from(text.starts_with(b" "));
    let (kind, _) = first_character(&text[space..])?;
    if kind == Kind::Whitespace || (kind == Kind::Number && numbers == Numbers::Alone) {
        return None;
    }
    Some(space + run_len(&text[space..], kind))
}

/// `\s+(?!\S)|\s+`: all whitespace, but the last character of it belongs to what follows, if
/// something follows and something is left.
fn whitespace_len(text: &[u8], numbers: Numbers) -> usize {
    let (mut len, mut last) = (0, 0);
    for (_, character) in characters(text).take_while(|(kind, _)| *kind == Kind::Whitespace) {
        len += character;
        last = character;
    }
    let something_follows = match first_character(&text[len..]) {
        None => false,
        Some((kind, _)) => !(kind == Kind::Number && numbers == Numbers::Alone),
    };
    if something_follows && len > last { len - last } else { len }
}
