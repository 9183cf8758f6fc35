//! A text as a list of words that can be compared, for the scans.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::num::NonZeroUsize;

use crate::Document;

/// The words of a document in lower case, one space between them. A word is a longest run of
/// letters and digits; bytes that are no UTF-8 separate words like punctuation.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Words {
    text: String,
    /// Where each word starts and ends in `text`.
    spans: Vec<(usize, usize)>,
}

impl Words {
    pub(crate) fn of(document: &Document) -> Self {
        let lower = String::from_utf8_lossy(&document.text).to_lowercase();
        let (mut text, mut spans) = (String::with_capacity(lower.len()), Vec::new());
        for word in lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
            if !text.is_empty() {
                text.push(' ');
            }
            spans.push((text.len(), text.len() + word.len()));
            text.push_str(word);
        }
        Self { text, spans }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    pub(crate) fn ngram_count(&self, n: NonZeroUsize) -> usize {
        (self.spans.len() + 1).saturating_sub(n.get())
    }

    /// Every run of `n` words; since spaces are single, equal runs are equal texts.
    pub(crate) fn ngrams(&self, n: NonZeroUsize) -> impl Iterator<Item = &str> {
        self.spans.windows(n.get()).map(move |span| &self.text[span[0].0..span[n.get() - 1].1])
    }

    /// Equal for equal words, within one run of the program.
    pub(crate) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.text.hash(&mut hasher);
        hasher.finish()
    }
}
