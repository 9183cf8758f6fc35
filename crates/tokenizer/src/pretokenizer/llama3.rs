//! The rule of Llama 3 (Dubey et al. 2024), and of Qwen2 (Yang et al. 2024) with single digits.
//!
//! Both use this expression, alternatives tried from the left; N is 3 for Llama 3, 1 for Qwen2:
//!
//! ```text
//! (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//! ```
//!
//! Unlike in GPT-2, any one character that is no number may begin a word, contractions come in capitals
//! too, and the ends of lines stay with what stands before them.

use super::characters::{Kind, characters, first_character, run_len};

/// Length of the first piece in bytes; 0 only for empty text.
pub(super) fn piece_len(text: &[u8], longest_number: usize) -> usize {
    contraction_len(text)
        .or_else(|| word_len(text))
        .or_else(|| number_len(text, longest_number))
        .or_else(|| punctuation_len(text))
        .unwrap_or_else(|| whitespace_len(text))
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)`. The long s (U+017F) is a small s to a rule that ignores case.
fn contraction_len(text: &[u8]) -> Option<usize> {
    const LONG_S: &[u8] = "'\u{17f}".as_bytes();
    const ENDINGS: [&[u8]; 8] = [b"'s", b"'t", b"'re", b"'ve", b"'m", b"'ll", b"'d", LONG_S];
    let begins = |ending: &&&[u8]| {
        text.get(..ending.len()).is_some_and(|start| start.eq_ignore_ascii_case(ending))
    };
    ENDINGS.iter().find(begins).map(|ending| ending.len())
}

/// `[^\r\n\p{L}\p{N}]?\p{L}+`
fn word_len(text: &[u8]) -> Option<usize> {
    let before = match first_character(text)? {
        (Kind::Letter, _) => 0,
        (Kind::Number, _) => return None,
        _ if begins_line_end(text) => return None,
        (Kind::Whitespace | Kind::Other, len) => len,
    };
    let letters = run_len(&text[before..], Kind::Letter);
    (letters > 0).then_some(before + letters)
}

/// `\p{N}{1,N}`
fn number_len(text: &[u8], longest: usize) -> Option<usize> {
    let numbers = characters(text).take(longest).take_while(|(kind, _)| *kind == Kind::Number);
    Some(numbers.map(|(_, len)| len).sum()).filter(|&len| len > 0)
}

/// `| ?[^\s\p{L}\p{N}]+[\r\n]*`
fn punctuation_len(text: &[u8]) -> Option<usize> {
    let space = usize::from(text.starts_with(b" "));
    let marks = run_len(&text[space..], Kind::Other);
    if marks == 0 {
        return None;
    }
    let line_ends = text[space + marks..].iter().take_while(|byte| is_line_end(byte)).count();
    Some(space + marks + line_ends)
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`: whitespace to its last end of a line; without one all of it, but the
/// last character belongs to what follows, if something follows and something is left.
fn whitespace_len(text: &[u8]) -> usize {
    let (mut len, mut last, mut line_end) = (0, 0, None);
    for (_, character) in characters(text).take_while(|(kind, _)| *kind == Kind::Whitespace) {
        if begins_line_end(&text[len..]) {
            line_end = Some(len + character);
        }
        len += character;
        last = character;
    }
    let something_follows = len < text.len();
    line_end.unwrap_or(if something_follows && len > last { len - last } else { len })
}

fn begins_line_end(text: &[u8]) -> bool {
    text.first().is_some_and(is_line_end)
}

fn is_line_end(byte: &u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}
