//! What the documents of different partitions have in common, as far as words can show it.
//!
//! Two searches, both from a later partition (validation, test) into each earlier one:
//!
//! - *duplicates*: the same bytes, or the same words when case, punctuation and spacing are left out;
//! - *shared n-grams*: runs of n words that stand in both, after the same normalization (Brown and
//!   others 2020, "Language models are few-shot learners", appendix C, with n = 13).
//!
//! The comparison is exact, never by a hash alone, so a finding is a fact. No finding is none: a
//! paraphrase, a translation or a text with every tenth word changed has the same content and no
//! shared n-gram.

use std::collections::HashMap;
use std::num::NonZeroUsize;

use serde::Serialize;

use crate::words::Words;
use crate::{Document, Partition};

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverlapScan {
    /// Words of an n-gram.
    pub ngram_words: NonZeroUsize,
    /// Fewest shared n-grams that are reported for a document: short runs are shared by chance.
    pub report_from: NonZeroUsize,
    /// Most n-grams of held-out documents that are held in memory at once (about a hundred bytes
    /// each, and one whole document at least). With more of them the earlier partition is read
    /// several times; the result is the same.
    pub ngrams_in_memory: NonZeroUsize,
}

impl Default for OverlapScan {
    /// 13 words as in the source above, every finding reported, ten million n-grams in memory.
    fn default() -> Self {
        let ngram_words = const { NonZeroUsize::new(13).expect("13") };
        let ngrams_in_memory = const { NonZeroUsize::new(10_000_000).expect("ten million") };
        Self { ngram_words, report_from: NonZeroUsize::MIN, ngrams_in_memory }
    }
}

/// What was compared and what was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OverlapReport {
    /// The method in words, and what it cannot see.
    pub scope: String,
    /// What was compared, per partition that has documents.
    pub scanned: Vec<ScannedPartition>,
    /// Documents whose text stands in an earlier partition.
    pub duplicates: Vec<DuplicateText>,
    /// Documents that share n-grams with an earlier partition.
    pub shared: Vec<SharedNgrams>,
}

/// How much of a partition was compared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScannedPartition {
    /// The partition.
    pub partition: Partition,
    /// Its documents.
    pub documents: usize,
    /// Its n-grams, repeated ones too.
    pub ngrams: usize,
    /// Documents with fewer words than an n-gram, for which only the search for duplicates counts.
    pub too_short: usize,
}

/// A text that stands in two partitions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DuplicateText {
    /// Id of the held-out document.
    pub document: String,
    /// Its partition.
    pub partition: Partition,
    /// Id of the first document of the earlier partition with the same text.
    pub earlier: String,
    /// The earlier partition.
    pub earlier_partition: Partition,
    /// Whether the bytes are the same, and not only the words.
    pub same_bytes: bool,
}

/// A document with runs of words that stand in an earlier partition.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedNgrams {
    /// Id of the held-out document.
    pub document: String,
    /// Its partition.
    pub partition: Partition,
    /// The earlier partition.
    pub earlier_partition: Partition,
    /// N-grams of the document, one at each word that has enough words behind it.
    pub ngrams: usize,
    /// How many of them stand somewhere in the earlier partition.
    pub shared: usize,
    /// The first of these, normalized.
    pub example: String,
    /// Id of the first earlier document that has the example.
    pub example_in: String,
}

impl OverlapScan {
    /// Compares all documents. Time: linear in the text, times the number of pieces that the
    /// held-out n-grams are cut into. Memory: see the fields, and some tens of bytes per document.
    ///
    /// # Example
    /// ```
    /// use std::num::NonZeroUsize;
    /// use llm_corpus::{Document, OverlapScan, Partition};
    /// let documents = [
    ///     Document::new("t0", Partition::Train, "The cat sat on the mat."),
    ///     Document::new("v0", Partition::Validation, "A dog sat on the mat!"),
    /// ];
    /// let scan =
    ///     OverlapScan { ngram_words: NonZeroUsize::new(3).unwrap(), ..OverlapScan::default() };
    /// let report = scan.run(&documents);
    /// let shared = &report.shared[0]; // a dog sat, dog sat on, SAT ON THE, ON THE MAT
    /// assert_eq!((shared.ngrams, shared.shared, shared.example.as_str()), (4, 2, "sat on the"));
    /// assert!(report.duplicates.is_empty());
    /// ```
    pub fn run(&self, documents: &[Document]) -> OverlapReport {
        let parts = [Partition::Train, Partition::Validation, Partition::Test].map(|partition| {
            documents.iter().filter(|document| document.partition == partition).collect::<Vec<_>>()
        });
        let mut report = OverlapReport {
            scope: self.scope(),
            scanned: parts.iter().filter_map(|part| self.scanned(part)).collect(),
            duplicates: Vec::new(),
            shared: Vec::new(),
        };
        for (i, held_out) in parts.iter().enumerate() {
            for earlier in parts[..i].iter().filter(|earlier| !earlier.is_empty()) {
                report.duplicates.extend(duplicates(held_out, earlier));
                report.shared.extend(self.shared(held_out, earlier));
            }
        }
        report
    }

    fn scope(&self) -> String {
        let (n, from) = (self.ngram_words, self.report_from);
        format!(
            "each document against all documents of earlier partitions (train, validation, test): \
             equal bytes; equal words in lower case without punctuation; {from} or more shared \
             runs of {n} such words. Not seen: paraphrases, translations, edited copies without \
             such a run, and anything that is not in these documents"
        )
    }

    fn scanned(&self, part: &[&Document]) -> Option<ScannedPartition> {
        let counts: Vec<usize> =
            part.iter().map(|document| Words::of(document).ngram_count(self.ngram_words)).collect();
        Some(ScannedPartition {
            partition: part.first()?.partition,
            documents: part.len(),
            ngrams: counts.iter().sum(),
            too_short: counts.iter().filter(|&&count| count == 0).count(),
        })
    }

    /// The search for shared n-grams, piece by piece of the held-out documents.
    pub(crate) fn shared(
        &self,
        held_out: &[&Document],
        earlier: &[&Document],
    ) -> Vec<SharedNgrams> {
        let mut found = Vec::new();
        let mut rest = held_out;
        while !rest.is_empty() {
            let (mut piece, mut ngrams) = (Vec::new(), 0);
            for document in rest {
                let words = Words::of(document);
                ngrams += words.ngram_count(self.ngram_words);
                if !piece.is_empty() && ngrams > self.ngrams_in_memory.get() {
                    break;
                }
                piece.push(words);
            }
            let (documents, later) = rest.split_at(piece.len());
            found.extend(self.shared_of_piece(documents, &piece, earlier));
            rest = later;
        }
        found
    }

    fn shared_of_piece(
        &self,
        documents: &[&Document],
        piece: &[Words],
        earlier: &[&Document],
    ) -> Vec<SharedNgrams> {
        let n = self.ngram_words;
        // For each n-gram of the piece, the first earlier document that has it.
        let mut first_seen: HashMap<&str, Option<usize>> =
            piece.iter().flat_map(|words| words.ngrams(n)).map(|ngram| (ngram, None)).collect();
        for (i, document) in earlier.iter().enumerate() {
            for ngram in Words::of(document).ngrams(n) {
                if let Some(seen) = first_seen.get_mut(ngram) {
                    seen.get_or_insert(i);
                }
            }
        }
        let finding = |(document, words): (&&Document, &Words)| {
            let seen = |ngram| Some((ngram, first_seen.get(ngram).copied().flatten()?));
            let shared: Vec<(&str, usize)> = words.ngrams(n).filter_map(seen).collect();
            let &(example, example_in) =
                shared.first().filter(|_| shared.len() >= self.report_from.get())?;
            Some(SharedNgrams {
                document: document.id.clone(),
                partition: document.partition,
                earlier_partition: earlier[example_in].partition,
                ngrams: words.ngram_count(n),
                shared: shared.len(),
                example: example.to_owned(),
                example_in: earlier[example_in].id.clone(),
            })
        };
        documents.iter().zip(piece).filter_map(finding).collect()
    }
}

/// Held-out documents with the text of an earlier one. Candidates are found by a digest of the
/// words, and then compared.
pub(crate) fn duplicates(held_out: &[&Document], earlier: &[&Document]) -> Vec<DuplicateText> {
    let mut by_words: HashMap<u64, Vec<&Document>> = HashMap::new();
    for document in earlier {
        by_words.entry(Words::of(document).hash()).or_default().push(document);
    }
    let finding = |document: &&Document| {
        let words = Words::of(document);
        let candidates = by_words.get(&words.hash())?;
        let same_bytes = candidates.iter().find(|other| other.text == document.text);
        // Texts without any word (numbers of dashes, say) have no words to share.
        let same_words =
            || candidates.iter().find(|other| !words.is_empty() && Words::of(other) == words);
        let other = same_bytes.or_else(same_words)?;
        Some(DuplicateText {
            document: document.id.clone(),
            partition: document.partition,
            earlier: other.id.clone(),
            earlier_partition: other.partition,
            same_bytes: same_bytes.is_some(),
        })
    };
    held_out.iter().filter_map(finding).collect()
}

#[cfg(test)]
mod tests;
