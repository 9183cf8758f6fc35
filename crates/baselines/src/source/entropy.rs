//! What a document of a grammar costs on average, and how long it is, without drawing any.
//!
//! With `p` the probability of an alternative and `|text|` its bytes, state s decides
//! `h(s) = sum of -p log2 p` bits and writes `l(s) = sum of p |text|` bytes per visit. The expected
//! number of visits `v(s)` solves one linear equation per state: state 0 is entered once by the
//! document's beginning, and each state as often as an alternative leads there,
//!
//! ```text
//! v(s) = [s = 0] + sum over states r and alternatives of r that lead to s of v(r) p
//! ```
//!
//! Then the entropy of a document is `sum of v h` bits and its expected length `sum of v l` bytes.
//! No model, however good, needs fewer bits per document on average. The quotient of the two is the
//! floor for bits per byte of a large corpus, in which bits and bytes are pooled.

use llm_metrics::{ExactSum, entropy_bits};

use super::SourceGrammar;

/// Averages over all documents that a grammar can write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SourceEntropy {
    /// Entropy of a document, its end included.
    pub bits_per_document: f64,
    /// Expected length of a document.
    pub bytes_per_document: f64,
}

impl SourceEntropy {
    /// The least number of bits per byte that any model can reach in the long run.
    pub fn bits_per_byte(&self) -> f64 {
        self.bits_per_document / self.bytes_per_document
    }
}

impl SourceGrammar {
    /// Entropy and length of its documents, from the visits of each state.
    pub fn entropy(&self) -> SourceEntropy {
        let (mut bits, mut bytes) = (ExactSum::new(), ExactSum::new());
        for (alternatives, visits) in self.states().iter().zip(self.expected_visits()) {
            let chances: Vec<f64> = alternatives.iter().map(|a| a.probability).collect();
            bits.add(visits * entropy_bits(&chances).expect("a grammar holds distributions"));
            let lengths = alternatives.iter().map(|a| a.probability * a.text.len() as f64);
            bytes.add(visits * lengths.collect::<ExactSum>().value());
        }
        SourceEntropy { bits_per_document: bits.value(), bytes_per_document: bytes.value() }
    }

    /// How often a document visits each state on average.
    pub fn expected_visits(&self) -> Vec<f64> {
        let size = self.states().len();
        // Row s: v(s) - sum of v(r) p = [s = 0]; the right side is the last column.
        let mut rows = vec![vec![0.0; size + 1]; size];
        rows[0][size] = 1.0;
        for (from, alternatives) in self.states().iter().enumerate() {
            rows[from][from] += 1.0;
            for alternative in alternatives {
                if let Some(to) = alternative.next {
                    rows[to][from] -= alternative.probability;
                }
            }
        }
        solve(rows)
    }
}

/// Gaussian elimination with the largest pivot of each column. The equations of a grammar whose
/// documents all end have one solution.
fn solve(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let size = rows.len();
    for column in 0..size {
        let largest = (column..size).max_by(|&a, &b| {
            rows[a][column].abs().total_cmp(&rows[b][column].abs()) // the last of equals
        });
        rows.swap(column, largest.expect("the range is not empty"));
        let pivot = rows[column].clone();
        for row in rows.iter_mut().enumerate().filter(|(at, _)| *at != column).map(|(_, row)| row) {
            let factor = row[column] / pivot[column];
            row.iter_mut().zip(&pivot).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    (0..size).map(|s| rows[s][size] / rows[s][s]).collect()
}
