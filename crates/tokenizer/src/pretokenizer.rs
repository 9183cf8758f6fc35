//! Named rules that cut text into pieces before merging.

mod characters;
mod gpt2;
mod llama3;
mod unicode;

use gpt2::Numbers;
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
    /// The rule of GPT-2 between digits, each of which is a piece of its own, as in SmolLM2.
    /// Written `"gpt2_digits"`.
    Gpt2Digits,
    /// The rule of Llama 3: as GPT-2, with numbers of at most three digits, ends of lines kept with
    /// what is before them, and any character that is no number as the beginning of a word. Written
    /// `"llama3"`.
    Llama3,
    /// The rule of Qwen2: as Llama 3, with single digits. Written `"qwen2"`.
    Qwen2,
}

impl Pretokenizer {
    /// The pieces of `text`, in order; none is empty.
    ///
    /// # Example
    /// ```
    /// use llm_tokenizer::Pretokenizer;
    ///
    /// let pieces: Vec<_> = Pretokenizer::Gpt2.pieces(b"a12 it's").collect();
    /// assert_eq!(pieces, [&b"a"[..], b"12", b" it", b"'s"]);
    /// let pieces: Vec<_> = Pretokenizer::Gpt2Digits.pieces(b"a12 it's").collect();
    /// assert_eq!(pieces, [&b"a"[..], b"1", b"2", b" it", b"'s"]);
    /// ```
    pub fn pieces(self, text: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut rest = text;
        std::iter::from_fn(move || {
            let (piece, tail) = rest.split_at(self.piece_len(rest));
            rest = tail;
            (!piece.is_empty()).then_some(piece)
        })
    }

    /// Length of the first piece in bytes; 0 only for empty text.
    fn piece_len(self, text: &[u8]) -> usize {
        match self {
            Self::None => text.len(),
            Self::Gpt2 => gpt2::piece_len(text, Numbers::Together),
            Self::Gpt2Digits => gpt2::piece_len(text, Numbers::Alone),
            Self::Llama3 => llama3::piece_len(text, 3),
            Self::Qwen2 => llama3::piece_len(text, 1),
        }
    }
}

#[cfg(test)]
mod tests;
