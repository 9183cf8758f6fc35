//! The printable stand-ins for bytes in files of byte-level tokenizers.
//!
//! Such files hold tokens as JSON strings, and a token may be any bytes. Radford et al. (2019, GPT-2)
//! write each byte as one printable character: itself where it is printable in Latin-1, otherwise the
//! next character from U+0100 on. A space is `Ġ`, a line feed `Ċ`.

/// The character that stands for `byte`.
pub(crate) fn symbol(byte: u8) -> char {
    if is_printable(byte) {
        return char::from(byte);
    }
    let replaced_before = (0..byte).filter(|&before| !is_printable(before)).count() as u32;
    char::from_u32(0x100 + replaced_before).expect("at most 68 bytes are replaced")
}

/// The byte that `symbol` stands for, if it is a stand-in.
pub(crate) fn byte(symbol: char) -> Option<u8> {
    match u32::from(symbol) {
        latin @ 0..=0xff => u8::try_from(latin).ok().filter(|&byte| is_printable(byte)),
        other => {
            let place = other.checked_sub(0x100)? as usize;
            (0..=u8::MAX).filter(|&byte| !is_printable(byte)).nth(place)
        }
    }
}

/// The bytes of a token as files spell it; `None` if a character is no stand-in.
pub(crate) fn bytes(spelling: &str) -> Option<Vec<u8>> {
    spelling.chars().map(byte).collect()
}

/// A token as files spell it.
pub(crate) fn spelling(bytes: &[u8]) -> String {
    bytes.iter().copied().map(symbol).collect()
}

/// Whether a byte is a visible character in Latin-1: no control, space, or soft hyphen (0xad).
fn is_printable(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_stand_ins_are_those_of_gpt2() {
        let pairs = [(b' ', 'Ġ'), (b'\n', 'Ċ'), (b'A', 'A'), (0, 'Ā'), (0xad, 'Ń'), (0xff, 'ÿ')];
        for (byte, expected) in pairs {
            assert_eq!(symbol(byte), expected, "{byte:#04x}");
        }
    }

    #[test]
    fn every_byte_has_its_own_stand_in() {
        let all: Vec<u8> = (0..=u8::MAX).collect();
        assert_eq!(bytes(&spelling(&all)).as_deref(), Some(&*all));
        assert_eq!(bytes("\u{2581}the"), None); // the space of SentencePiece
        assert_eq!(bytes("a b"), None);
    }
}
