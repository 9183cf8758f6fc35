//! Named rules for the form of a text.

use serde::{Deserialize, Serialize};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::error::TokenizerError;

/// The form that a tokenizer brings text into before it is encoded.
///
/// Some published tokenizers rewrite text, and then decoding does not give the original bytes back.
/// Here no text is rewritten: one that is not in the form already is refused, with the place, and
/// whoever wants it scored converts it first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Normalizer {
    /// Text is encoded as it is. Written `"none"`.
    #[default]
    None,
    /// Unicode normal form C, in which a letter and its accent are one character where there is
    /// such a character (Unicode Standard Annex 15). Written `"nfc"`.
    Nfc,
}

impl Normalizer {
    /// Refuses a text that the rule would change. Bytes that are not UTF-8 have no normal form and
    /// stay as they are.
    ///
    /// # Errors
    /// [`TokenizerError::NotNormalized`] with the offset of the first character that would change.
    pub(crate) fn check(self, text: &[u8]) -> Result<(), TokenizerError> {
        match self {
            Self::None => Ok(()),
            Self::Nfc => match first_change(text) {
                None => Ok(()),
                Some(offset) => Err(TokenizerError::NotNormalized { form: "NFC", offset }),
            },
        }
    }
}

/// Offset of the first character that normal form C would replace.
fn first_change(text: &[u8]) -> Option<usize> {
    let mut start = 0;
    for chunk in text.utf8_chunks() {
        let valid = chunk.valid();
        if is_nfc_quick(valid.chars()) != IsNormalized::Yes {
            let changed = |(normal, (_, character)): &(_, (usize, _))| normal != character;
            // Composing only ever shortens, and decomposing changes the character it begins with, so
            // a text that is a beginning of the other cannot be.
            if let Some((_, (at, _))) = valid.nfc().zip(valid.char_indices()).find(changed) {
                return Some(start + at);
            }
        }
        start += valid.len() + chunk.invalid().len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_character_that_would_change_is_named() {
        // e and a combining acute accent are one character in form C; an angstrom sign is a letter.
        assert_eq!(first_change("caf\u{e9} au lait".as_bytes()), None);
        assert_eq!(first_change("caf e\u{301}".as_bytes()), Some(4));
        assert_eq!(first_change("a\u{212b}".as_bytes()), Some(1));
        // Two marks in the wrong order; the dot below comes before the acute accent.
        assert_eq!(first_change("xq\u{301}\u{323}".as_bytes()), Some(2));
    }

    #[test]
    fn the_end_of_a_text_counts_too() {
        assert_eq!(first_change("e\u{301}".as_bytes()), Some(0));
        assert_eq!(first_change("ae\u{301}".as_bytes()), Some(1));
        assert_eq!(first_change(b""), None);
    }

    #[test]
    fn bytes_that_are_not_utf8_end_what_can_be_composed() {
        assert_eq!(first_change(b"e\xff\xcc\x81"), None);
        assert_eq!(first_change(b"\xff\xffe\xcc\x81"), Some(2));
    }
}
