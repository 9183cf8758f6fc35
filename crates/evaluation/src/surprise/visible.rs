//! Bytes made visible: what a reader cannot see, or must not be fooled by, is shown as a mark.
//!
//! Tokens are bytes. A token may be half a character, a control code that a terminal would obey, or
//! a character without width that turns the direction of everything after it.
//!
//! | bytes | shown as |
//! | --- | --- |
//! | line feed, tab | the marks `↵`, `⇥` |
//! | another ASCII control code | its picture, such as `␛` for escape |
//! | another control, direction or invisible character | its number, `⟨U+202E⟩` |
//! | bytes that are no UTF-8 | each in hexadecimal, `⟨FF⟩` |
//! | everything else | itself |

/// A part of the visible form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A mark that stands for something else.
    Mark(String),
}

impl Piece {
    /// What is shown.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Text(shown) | Self::Mark(shown) => shown,
        }
    }
}

/// The visible form of any bytes, text and marks apart.
pub fn visible_pieces(bytes: &[u8]) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(1); // of most tokens
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            match (mark_of(c), pieces.last_mut()) {
                (Some(mark), _) => pieces.push(Piece::Mark(mark)),
                (None, Some(Piece::Text(text))) => text.push(c),
                (None, _) => pieces.push(Piece::Text(c.into())),
            }
        }
        pieces.extend(chunk.invalid().iter().map(|byte| Piece::Mark(format!("⟨{byte:02X}⟩"))));
    }
    pieces
}

/// The visible form in one text, for places that cannot tell marks apart.
///
/// ```
/// use llm_evaluation::visible_text;
/// assert_eq!(visible_text(b"a\x1b[31m\n\xff"), "a␛[31m↵⟨FF⟩");
/// ```
pub fn visible_text(bytes: &[u8]) -> String {
    visible_pieces(bytes).iter().map(Piece::as_str).collect()
}

/// What to show instead of a character; `None` if it can be seen.
fn mark_of(c: char) -> Option<String> {
    match c {
        '\n' => Some("↵".into()),
        '\t' => Some("⇥".into()),
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).map(String::from),
        '\x7f' => Some("␡".into()),
        c if c.is_control() || is_unseen(c) => Some(format!("⟨U+{:04X}⟩", u32::from(c))),
        _ => None,
    }
}

/// Characters without a shape of their own: soft hyphens, joiners, spaces of no width, line
/// separators, marks and overrides of direction, tags (Unicode 16, category Cf without the signs
/// that are seen, with Zl and Zp).
fn is_unseen(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0001}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_seen_stays_as_it_is() {
        let text = "Straße, naïve 漢字 🙂 a  b";
        assert_eq!(visible_pieces(text.as_bytes()), [Piece::Text(text.into())]);
        assert_eq!(visible_pieces(b""), []);
    }

    #[test]
    fn half_a_character_is_its_bytes() {
        assert_eq!(visible_text("é".as_bytes()), "é");
        assert_eq!(visible_text(&"é".as_bytes()[..1]), "⟨C3⟩");
        assert_eq!(visible_text(&[b'a', 0xf0, 0x9f, 0x99, b'b']), "a⟨F0⟩⟨9F⟩⟨99⟩b");
    }

    #[test]
    fn nothing_that_a_terminal_or_a_page_would_obey_is_left() {
        for byte in (0..32).chain([127]) {
            let shown = visible_text(&[byte]);
            assert_eq!(shown.chars().count(), 1, "{byte}");
            assert!(!shown.chars().any(char::is_control), "{byte}");
        }
        assert_eq!(
            visible_text("\u{202e}abc\u{85}\u{feff}".as_bytes()),
            "⟨U+202E⟩abc⟨U+0085⟩⟨U+FEFF⟩"
        );
    }

    #[test]
    fn marks_are_told_from_the_same_signs_in_the_text() {
        let [text, mark] = &visible_pieces("↵\n".as_bytes())[..] else { panic!("two pieces") };
        assert_eq!((text.as_str(), mark.as_str()), ("↵", "↵"));
        assert_ne!(text, mark);
    }
}
