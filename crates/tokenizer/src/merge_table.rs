//! Finding the merge of a pair of tokens.

use std::ops::Range;

use crate::TokenId;
use crate::artifact::{Merge, TokenizerArtifact};
use crate::error::TokenizerError;

/// All merges, as the rows of a sparse matrix: row `left`, column `right`.
///
/// A row is sorted by column, so a look-up is a binary search in the few merges that share their
/// left token. Unlike a hash table this has no bad inputs and no order of its own.
#[derive(Debug)]
pub(crate) struct MergeTable {
    /// Row `left` is `columns[row_starts[left]..row_starts[left + 1]]`.
    row_starts: Vec<u32>,
    columns: Vec<TokenId>,
    /// The rank that belongs to each column.
    ranks: Vec<u32>,
    /// Per rank, the token that replaces the pair.
    results: Vec<TokenId>,
}

impl MergeTable {
    /// Sorts the merges of an artifact whose ids are already known to be below `vocab_size`.
    ///
    /// # Errors
    /// If a pair has two merges; the second could never be applied.
    pub(crate) fn of(artifact: &TokenizerArtifact) -> Result<Self, TokenizerError> {
        let mut sorted: Vec<(&Merge, u32)> = artifact.merges.iter().zip(0..).collect();
        sorted.sort_unstable_by_key(|(merge, rank)| (merge.left, merge.right, *rank));
        for pair in sorted.windows(2) {
            let [(first, first_rank), (second, rank)] = [pair[0], pair[1]];
            if (first.left, first.right) == (second.left, second.right) {
                return Err(TokenizerError::Malformed {
                    at: format!("merges[{rank}]"),
                    problem: format!("its pair is already merged by merges[{first_rank}]"),
                });
            }
        }
        let mut row_starts = vec![0; artifact.vocab_size as usize + 1];
        for (merge, _) in &sorted {
            row_starts[merge.left as usize + 1] += 1; // the length of the row, for now
        }
        for row in 1..row_starts.len() {
            row_starts[row] += row_starts[row - 1];
        }
        Ok(Self {
            row_starts,
            columns: sorted.iter().map(|(merge, _)| merge.right).collect(),
            ranks: sorted.iter().map(|(_, rank)| *rank).collect(),
            results: artifact.merges.iter().map(|merge| merge.id).collect(),
        })
    }

    /// The rank of the merge of `left` followed by `right`, if there is one. A smaller rank is
    /// applied first. Both ids must be below `vocab_size`.
    pub(crate) fn rank(&self, left: TokenId, right: TokenId) -> Option<u32> {
        let row = self.row(left);
        let column = self.columns[row.clone()].binary_search(&right).ok()?;
        Some(self.ranks[row.start + column])
    }

    /// The token that the merge of this rank makes.
    pub(crate) fn result(&self, rank: u32) -> TokenId {
        self.results[rank as usize]
    }

    fn row(&self, left: TokenId) -> Range<usize> {
        self.row_starts[left as usize] as usize..self.row_starts[left as usize + 1] as usize
    }
}
