//! Named rules that cut text into pieces before merging.

mod gpt2;
mod unicode;

use serde::{Deserialize, Serialize};

/// A rule that cuts text into pieces. Merges, in training and in encoding, never cross the end
/// of a piece. The pieces of a text joined together are the text.
///
/// An artifact names its rule; a name that is not listed here is refused when it is loaded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Pretokenizer {
    /// The whole text is one piece. Written `"none"`.
    #[default]
    None,
    /// The rule of GPT-2: words with the space before them, numbers, punctuation and whitespace
    /// are pieces of their own. Written `"gpt2"`.
    Gpt2,
}

impl Pretokenizer {
    /// The pieces of `text`, in order; none is empty.
    ///
    /// # Example
    /// ```
    /// use llm_tokenizer::Pretokenizer;
    ///
    /// let pieces: Vec<_> = Pretokenizer::Gpt2.pieces(b"a1 it's").collect();
    /// assert_eq!(pieces, [&b"a"[..], b"1", b" it", b"'s"]);
    /// ```
    pub fn pieces(self, text: &[u8]) -> impl Iterator<Item = &[u8]> {
        let (whole, cut) = match self {
            Self::None => (text, &[][..]),
            Self::Gpt2 => (&[][..], text),
        };
        // One of the two is empty and has no pieces.
        Some(whole).filter(|whole| !whole.is_empty()).into_iter().chain(gpt2::pieces(cut))
    }
}
