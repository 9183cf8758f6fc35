//! Which evaluation documents stand in a training corpus, exactly or nearly.
//!
//! A score of a text that was trained on measures memory. Three searches of evaluation documents
//! among training documents, each of which sees more than the one before:
//!
//! - *duplicates*: the same bytes, or the same words when case, punctuation and spacing are left
//!   out;
//! - *shared n-grams* of several lengths: runs of words that stand in both, so a quoted passage too
//!   (Brown and others 2020, "Language models are few-shot learners", appendix C);
//! - *near duplicates*: documents whose sets of word n-grams overlap by a stated share. Candidates
//!   come from [`MinHash`], which can miss a pair with a known probability; each candidate is then
//!   compared exactly, so that a finding is a fact.
//!
//! No finding is no proof: paraphrases, translations and texts that are not in these files are not
//! seen.

mod min_hash;
mod near;
mod report;

use std::num::NonZeroUsize;

use serde::Serialize;

use crate::overlap_scan::duplicates;
use crate::{CorpusError, Document, OverlapScan};
pub use min_hash::{DetectionProbability, MinHash};
pub use near::NearDuplicate;
pub use report::{ContaminationReport, ScannedCorpus, SharedAtLength};

/// What to look for. Part of the report.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContaminationScan {
    /// Lengths in words of the n-grams that are searched for.
    pub ngram_words: Vec<NonZeroUsize>,
    /// A document is flagged when this share of its n-grams of some length stands in training.
    pub flag_from_share: f64,
    /// How candidates for near duplicates are found.
    pub min_hash: MinHash,
    /// Jaccard similarity from which two documents are near duplicates: word n-grams in both over
    /// word n-grams in either.
    pub near_from_similarity: f64,
    /// Most n-grams of evaluation documents in memory at once; see
    /// [`OverlapScan::ngrams_in_memory`].
    pub ngrams_in_memory: NonZeroUsize,
    /// Most evaluation documents whose sketches are in memory at once (about `100 * bands` bytes
    /// each, and the text). With more of them training is read several times, with the same result.
    pub sketches_in_memory: NonZeroUsize,
}

impl Default for ContaminationScan {
    /// 8 and 13 words, flagged from half of them, near from a similarity of 0.6. The lengths span
    /// those in use (13 in the source above, 8 where texts are short); the rest is our choice.
    fn default() -> Self {
        let [eight, thirteen, sketches] =
            [8, 13, 50_000].map(|n| NonZeroUsize::new(n).expect("above 0"));
        Self {
            ngram_words: vec![eight, thirteen],
            flag_from_share: 0.5,
            min_hash: MinHash::default(),
            near_from_similarity: 0.6,
            ngrams_in_memory: OverlapScan::default().ngrams_in_memory,
            sketches_in_memory: sketches,
        }
    }
}

impl ContaminationScan {
    /// Searches all evaluation documents among all training documents, whatever their partitions.
    ///
    /// Time: linear in the text for each length and each piece that the evaluation documents are cut
    /// into, and one exact comparison for each candidate.
    ///
    /// # Errors
    /// [`CorpusError::Scan`] for parameters that describe no search, for no documents on one side,
    /// and for two evaluation documents with one id.
    ///
    /// # Example
    /// ```
    /// use llm_corpus::{ContaminationScan, Document, Partition};
    /// let training = [
    ///     Document::new("t0", Partition::Train, "The cat sat on the mat and looked at me."),
    ///     Document::new("t1", Partition::Train, "One two three four five six seven eight nine."),
    /// ];
    /// let evaluation = [
    ///     Document::new("copy", Partition::Test, "the CAT sat  on the mat, and looked at me"),
    ///     Document::new("near", Partition::Test, "one two three four five six seven eight ten"),
    ///     Document::new("new", Partition::Test, "Nobody has ever written this sentence before."),
    /// ];
    /// let report = ContaminationScan::default().run(&evaluation, &training)?;
    /// assert_eq!(report.duplicates[0].document, "copy");
    /// let near = report.near.iter().find(|near| near.document == "near").unwrap();
    /// assert_eq!(near.training, "t1"); // 6 runs of three words in both, 8 in either
    /// assert_eq!(near.similarity, 0.75);
    /// assert_eq!(report.flagged, ["copy", "near"]);
    /// # Ok::<(), llm_corpus::CorpusError>(())
    /// ```
    pub fn run(
        &self,
        evaluation: &[Document],
        training: &[Document],
    ) -> Result<ContaminationReport, CorpusError> {
        self.check(evaluation, training)?;
        let evaluated: Vec<&Document> = evaluation.iter().collect();
        let trained: Vec<&Document> = training.iter().collect();
        let shared = self.ngram_words.iter().map(|&ngram_words| {
            let scan = OverlapScan {
                ngram_words,
                ngrams_in_memory: self.ngrams_in_memory,
                ..OverlapScan::default()
            };
            SharedAtLength {
                ngram_words,
                too_short: report::too_short(evaluation, ngram_words),
                documents: scan.shared(&evaluated, &trained),
            }
        });
        let findings = report::Findings {
            duplicates: duplicates(&evaluated, &trained),
            shared: shared.collect(),
            near: self.near(evaluation, training),
        };
        Ok(ContaminationReport::new(self, evaluation, training, findings))
    }

    fn check(&self, evaluation: &[Document], training: &[Document]) -> Result<(), CorpusError> {
        let refuse = |problem: String| Err(CorpusError::Scan { problem });
        let is_share = |share: f64| share > 0.0 && share <= 1.0;
        let Self { flag_from_share, near_from_similarity, .. } = *self;
        if !is_share(flag_from_share) {
            let problem = "documents are flagged from a share of";
            return refuse(format!("{problem} {flag_from_share}, expected above 0 and at most 1"));
        }
        if !is_share(near_from_similarity) {
            let problem = "near duplicates have a similarity from";
            return refuse(format!(
                "{problem} {near_from_similarity}, expected above 0 and at most 1"
            ));
        }
        if self.ngram_words.is_empty() {
            return refuse("no length of n-grams is given, expected at least one".into());
        }
        self.min_hash.check().or_else(refuse)?;
        for (side, documents) in [("evaluation", evaluation), ("training", training)] {
            if documents.is_empty() {
                return refuse(format!("there are no {side} documents: nothing is compared"));
            }
        }
        let mut ids: Vec<&str> = evaluation.iter().map(|document| document.id.as_str()).collect();
        ids.sort_unstable();
        match ids.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => refuse(format!("two evaluation documents have the id `{}`", pair[0])),
        }
    }
}

#[cfg(test)]
mod tests;
