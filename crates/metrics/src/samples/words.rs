//! Words of a text, and those that the training text does not have.
//!
//! A model that samples from bytes or word pieces can put together words that nobody wrote. Some
//! are good new words; most are not. Their share is near 0 for copied text and near 1 for noise.
//!
//! A word is what stands between ASCII white space, without ASCII punctuation at either end. Upper
//! and lower case are different, bytes need not be UTF-8. Our choice: it needs no tables, and any
//! rule will do as long as all compared texts are cut by the same one.

use crate::MetricError;
use std::collections::BTreeSet;

/// The words of a text, in order.
///
/// ```
/// let words: Vec<&[u8]> = llm_metrics::words(b"\"Well, don't!\" -- he said.").collect();
/// assert_eq!(words, [&b"Well"[..], b"don't", b"he", b"said"]);
/// ```
pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(u8::is_ascii_whitespace).map(bare).filter(|word| !word.is_empty())
}

/// A word without the punctuation around it; empty if there was nothing else.
fn bare(word: &[u8]) -> &[u8] {
    let is_inner = |byte: &u8| !byte.is_ascii_punctuation();
    let Some(first) = word.iter().position(is_inner) else { return &[] };
    let last = word.iter().rposition(is_inner).expect("there is a first one");
    &word[first..=last]
}

/// Words of a sample that a training text does not have.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UnknownWords {
    /// Words that do not occur in the training text, each as often as the sample says it.
    pub unknown: usize,
    /// All words, at least 1.
    pub total: usize,
}

impl UnknownWords {
    /// Unknown words over all words, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.unknown as f64 / self.total as f64
    }
}

/// Counts the words of a sample that are not among `known`, the words of the training text.
///
/// # Errors
/// [`MetricError::NoValues`] for a sample without words.
///
/// # Example
/// ```
/// use llm_metrics::{unknown_words, words};
///
/// let known = words(b"the cat sat on the mat").collect();
/// let sample = words(b"The cat sat. The cax sat!");
/// let found = unknown_words(sample, &known)?;
/// assert_eq!((found.unknown, found.total), (3, 6)); // "The" twice, "cax" once
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn unknown_words<'s, T: Ord + ?Sized + 's>(
    sample: impl IntoIterator<Item = &'s T>,
    known: &BTreeSet<&T>,
) -> Result<UnknownWords, MetricError> {
    let mut found = UnknownWords { unknown: 0, total: 0 };
    for word in sample {
        found.total += 1;
        found.unknown += usize::from(!known.contains(word));
    }
    if found.total == 0 { Err(MetricError::NoValues) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn punctuation_inside_a_word_belongs_to_it_and_alone_it_is_no_word() {
        let found: Vec<_> = words(b" well-known \t(e.g.)  ... \n").collect();
        assert_eq!(found, [&b"well-known"[..], b"e.g"]);
        assert_eq!(words(b"").count() + words(b" - \n").count(), 0);
    }

    #[test]
    fn bytes_outside_ascii_are_part_of_words_valid_or_not() {
        let found: Vec<_> = words("Stra\u{df}e, \u{ab}na\u{ef}ve\u{bb}".as_bytes()).collect();
        assert_eq!(found[0], "Stra\u{df}e".as_bytes());
        assert_eq!(words(b"\xff\xfe a").count(), 2);
    }

    #[test]
    fn copied_text_has_no_unknown_word_and_noise_no_known_one() {
        let known = words(b"so it goes").collect();
        assert_eq!(unknown_words(words(b"it goes, it goes"), &known).unwrap().share(), 0.0);
        assert_eq!(unknown_words(words(b"xq zzv"), &known).unwrap().share(), 1.0);
        assert_eq!(unknown_words(words(b"..."), &known), Err(MetricError::NoValues));
    }
}
