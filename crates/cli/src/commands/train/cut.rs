//! Where a document ends in a text file.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// Where a document ends in a text file.
///
/// What separates documents, line ends and blank lines, belongs to none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Cut {
    /// At the end of the file
    File,
    /// At blank lines
    Paragraphs,
    /// At the end of each line
    Lines,
}

impl Cut {
    /// The documents in a text, with their ids: the name of the file, and behind it `#1`, `#2` and so on
    /// if the file is cut.
    pub(super) fn pieces<'t>(self, name: &str, text: &'t [u8]) -> Vec<(String, &'t [u8])> {
        let pieces = match self {
            Self::File => return vec![(name.to_owned(), text)],
            Self::Paragraphs => paragraphs(text),
            Self::Lines => lines(text).filter(|line| !is_blank(line)).collect(),
        };
        (1..)
            .zip(pieces)
            .map(|(n, piece)| (format!("{name}#{n}"), without_line_end(piece)))
            .collect()
    }
}

/// Runs of lines that are not blank, each with its line ends.
fn paragraphs(text: &[u8]) -> Vec<&[u8]> {
    let mut paragraphs = Vec::new();
    let (mut start, mut end) = (0, 0); // of the paragraph so far
    for line in lines(text) {
        let after = end + line.len();
        if is_blank(line) {
            paragraphs.push(&text[start..end]);
            start = after;
        }
        end = after;
    }
    paragraphs.push(&text[start..end]);
    paragraphs.retain(|paragraph| !paragraph.is_empty());
    paragraphs
}

fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|&byte| byte == b'\n')
}

fn is_blank(text: &[u8]) -> bool {
    text.iter().all(u8::is_ascii_whitespace)
}

fn without_line_end(text: &[u8]) -> &[u8] {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    text.strip_suffix(b"\r").unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn cut(cut: Cut, text: &str) -> Vec<(String, String)> {
        let read = |(id, text): (String, &[u8])| (id, String::from_utf8(text.to_vec()).unwrap());
        cut.pieces("f", text.as_bytes()).into_iter().map(read).collect()
    }

    #[test]
    fn paragraphs_end_at_blank_lines_of_any_kind() {
        let text = "\n\none\ntwo\n \t\r\n\nthree \r\n\r\nfour";
        let expected = [("f#1", "one\ntwo"), ("f#2", "three "), ("f#3", "four")];
        assert_eq!(cut(Cut::Paragraphs, text), expected.map(|(a, b)| (a.into(), b.into())));
    }

    #[test]
    fn lines_are_counted_without_blank_ones_and_a_file_is_taken_as_it_is() {
        let text = "one\n\ntwo\r\n";
        assert_eq!(
            cut(Cut::Lines, text),
            [("f#1".into(), "one".into()), ("f#2".into(), "two".into())]
        );
        assert_eq!(cut(Cut::File, text), [("f".into(), text.into())]);
    }

    #[test]
    fn blank_lines_are_no_documents() {
        for blank in ["", "\n", " \n\t\n"] {
            for way in [Cut::Paragraphs, Cut::Lines] {
                assert_eq!(cut(way, blank), []);
            }
        }
    }

    proptest! {
        /// What is cut away is white space, and nothing is moved.
        #[test]
        fn cutting_loses_white_space_only(text in "[ab \r\n]{0,40}", lines: bool) {
            let way = if lines { Cut::Lines } else { Cut::Paragraphs };
            let joined: String = cut(way, &text).into_iter().map(|(_, piece)| piece).collect();
            let dark = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
            prop_assert_eq!(dark(&joined), dark(&text));
            for (_, piece) in cut(way, &text) {
                prop_assert!(text.contains(&piece) && !is_blank(piece.as_bytes()));
            }
        }
    }
}
