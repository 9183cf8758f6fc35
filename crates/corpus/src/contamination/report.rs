//! What a scan reports: method, parameters, what was compared, and what was found.

use std::collections::BTreeSet;
use std::num::NonZeroUsize;

use serde::Serialize;

use super::{ContaminationScan, DetectionProbability, NearDuplicate};
use crate::overlap_scan::{DuplicateText, SharedNgrams};
use crate::words::Words;
use crate::{CorpusManifest, Document};

/// What was compared and what was found. As JSON it can be kept beside a score.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ContaminationReport {
    /// The method in words, and what it cannot see.
    pub scope: String,
    /// All parameters.
    pub parameters: ContaminationScan,
    /// How likely a pair of the stated similarity is found, then pairs of other similarities.
    pub detection: Vec<DetectionProbability>,
    /// The evaluation documents.
    pub evaluation: ScannedCorpus,
    /// The training documents.
    pub training: ScannedCorpus,
    /// Evaluation documents whose text or words are those of a training document.
    pub duplicates: Vec<DuplicateText>,
    /// Evaluation documents that share n-grams with training, for each length.
    pub shared: Vec<SharedAtLength>,
    /// Evaluation documents that are near to a training document.
    pub near: Vec<NearDuplicate>,
    /// Ids of all documents to leave out: duplicates, near duplicates, and those that share the stated
    /// share of n-grams of some length. In the order of the ids.
    pub flagged: Vec<String>,
}

/// One side of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ScannedCorpus {
    /// Number of documents.
    pub documents: usize,
    /// Length of their texts in bytes.
    pub bytes: u64,
    /// Digest of ids, partitions and texts in order: [`CorpusManifest::sha256`].
    pub sha256: String,
}

/// Shared n-grams of one length.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SharedAtLength {
    /// Words of an n-gram.
    pub ngram_words: NonZeroUsize,
    /// Evaluation documents with fewer words, in which this search sees nothing.
    pub too_short: usize,
    /// Documents with at least one shared n-gram, however common it is.
    pub documents: Vec<SharedNgrams>,
}

pub(super) struct Findings {
    pub(super) duplicates: Vec<DuplicateText>,
    pub(super) shared: Vec<SharedAtLength>,
    pub(super) near: Vec<NearDuplicate>,
}

impl ContaminationReport {
    pub(super) fn new(
        scan: &ContaminationScan,
        evaluation: &[Document],
        training: &[Document],
        findings: Findings,
    ) -> Self {
        let stated = scan.near_from_similarity;
        let similarities = [stated, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4];
        let probability = |&similarity: &f64| scan.min_hash.detection_probability(similarity);
        let flagged = flagged(scan, &findings);
        let Findings { duplicates, shared, near } = findings;
        Self {
            scope: scope(scan),
            detection: similarities.iter().map(probability).collect(),
            parameters: scan.clone(),
            evaluation: ScannedCorpus::of(evaluation),
            training: ScannedCorpus::of(training),
            duplicates,
            shared,
            near,
            flagged,
        }
    }
}

impl ScannedCorpus {
    fn of(documents: &[Document]) -> Self {
        let manifest = CorpusManifest::new(documents);
        let bytes = documents.iter().map(|document| document.text.len() as u64).sum();
        Self { documents: documents.len(), bytes, sha256: manifest.sha256() }
    }
}

/// Evaluation documents without an n-gram of that length.
pub(super) fn too_short(documents: &[Document], n: NonZeroUsize) -> usize {
    documents.iter().filter(|document| Words::of(document).ngram_count(n) == 0).count()
}

fn flagged(scan: &ContaminationScan, findings: &Findings) -> Vec<String> {
    let share = |found: &SharedNgrams| found.shared as f64 / found.ngrams as f64;
    let shared = findings.shared.iter().flat_map(|length| &length.documents);
    let ids: BTreeSet<&String> = (findings.duplicates.iter().map(|found| &found.document))
        .chain(findings.near.iter().map(|found| &found.document))
        .chain(shared.filter(|f| share(f) >= scan.flag_from_share).map(|found| &found.document))
        .collect();
    ids.into_iter().cloned().collect()
}

fn scope(scan: &ContaminationScan) -> String {
    let lengths: Vec<String> = scan.ngram_words.iter().map(ToString::to_string).collect();
    let (lengths, n) = (lengths.join(" and "), scan.min_hash.shingle_words);
    let similarity = scan.near_from_similarity;
    let found = scan.min_hash.detection_probability(similarity).probability;
    format!(
        "each evaluation document against all training documents: equal bytes; equal words in lower \
         case without punctuation; runs of {lengths} such words that stand in both; sets of runs of \
         {n} words with a Jaccard similarity of {similarity} or more, each verified exactly, a pair \
         of just that similarity being found with a probability of {found:.6}. A finding is a fact, no \
         finding is no proof: paraphrases, translations, shorter quotations and training texts that \
         are not among these documents are not seen"
    )
}
