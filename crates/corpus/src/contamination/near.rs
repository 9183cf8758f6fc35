//! Candidates and their exact comparison.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;

use serde::Serialize;

use super::ContaminationScan;
use crate::Document;
use crate::words::Words;

/// An evaluation document and the first training document that is nearly the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NearDuplicate {
    /// Id of the evaluation document.
    pub document: String,
    /// Id of the training document.
    pub training: String,
    /// Their exact Jaccard similarity: word n-grams in both over word n-grams in either.
    pub similarity: f64,
}

impl ContaminationScan {
    /// Near duplicates in the order of the evaluation documents.
    pub(super) fn near(
        &self,
        evaluation: &[Document],
        training: &[Document],
    ) -> Vec<NearDuplicate> {
        let pieces = evaluation.chunks(self.sketches_in_memory.get());
        pieces.flat_map(|piece| self.near_of_piece(piece, training)).collect()
    }

    fn near_of_piece(&self, piece: &[Document], training: &[Document]) -> Vec<NearDuplicate> {
        let functions = self.min_hash.functions();
        let words: Vec<Words> = piece.iter().map(Words::of).collect();
        let mut by_key: HashMap<u64, Vec<usize>> = HashMap::new();
        for (index, words) in words.iter().enumerate() {
            for key in self.min_hash.band_keys(&functions, words) {
                by_key.entry(key).or_default().push(index);
            }
        }
        let mut found: Vec<Option<NearDuplicate>> = vec![None; piece.len()];
        for document in training {
            let other = Words::of(document);
            let keys = self.min_hash.band_keys(&functions, &other);
            let mut candidates: Vec<usize> =
                keys.iter().filter_map(|key| by_key.get(key)).flatten().copied().collect();
            candidates.sort_unstable();
            candidates.dedup();
            for index in candidates {
                if found[index].is_some() {
                    continue; // one finding is enough, and copies of copies cost nothing
                }
                let similarity = jaccard(&words[index], &other, self.min_hash.shingle_words);
                if similarity >= self.near_from_similarity {
                    let (document, training) = (piece[index].id.clone(), document.id.clone());
                    found[index] = Some(NearDuplicate { document, training, similarity });
                }
            }
        }
        found.into_iter().flatten().collect()
    }
}

/// Distinct n-grams in both over distinct n-grams in either, by their texts.
fn jaccard(a: &Words, b: &Words, n: NonZeroUsize) -> f64 {
    let a: HashSet<&str> = a.ngrams(n).collect();
    let b: HashSet<&str> = b.ngrams(n).collect();
    let both = a.intersection(&b).count();
    both as f64 / (a.len() + b.len() - both) as f64
}
