//! Finding the merge of a pair of tokens.

use crate::TokenId;
use crate::artifact::TokenizerArtifact;
use crate::error::TokenizerError;

/// All merges by their pair: a hash table with open addressing, at most half full.
///
/// A pair is one number, left id above right id. Its slot is taken from the upper half of that number
/// times an odd constant (multiplicative hashing, Knuth, "The Art of Computer Programming" 6.4), or
/// the next free slot after it. Most pairs of a text have no merge, and for those an empty slot is
/// found at once. A file of merges could be made to collide under one constant, so another one is
/// taken as soon as a search becomes long.
#[derive(Debug)]
pub(crate) struct MergeTable {
    /// Pair and rank; a power of two of them.
    slots: Vec<(u64, u32)>,
    multiplier: u64,
    /// Per rank, the token that replaces the pair.
    results: Vec<TokenId>,
}

/// The rank of an empty slot; no merge has it.
const EMPTY: u32 = u32::MAX;

/// Odd numbers with irregular bits: digits of the golden ratio, pi, e and the root of 2.
const MULTIPLIERS: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0x243f_6a88_85a3_08d3, 0xb7e1_5162_8aed_2a6b, 0x6a09_e667_f3bc_c909];

/// A search this long is no accident.
const LONGEST_SEARCH: usize = 64;

impl MergeTable {
    /// The merges of an artifact.
    ///
    /// # Errors
    /// If a pair has two merges; the second could never be applied.
    pub(crate) fn of(artifact: &TokenizerArtifact) -> Result<Self, TokenizerError> {
        let results = artifact.merges.iter().map(|merge| merge.id).collect();
        let mut table = Self { slots: Vec::new(), multiplier: 0, results };
        let [first @ .., last] = MULTIPLIERS;
        for multiplier in first {
            if table.fill(artifact, multiplier, LONGEST_SEARCH)? {
                return Ok(table);
            }
        }
        table.fill(artifact, last, usize::MAX)?;
        Ok(table)
    }

    /// Puts all merges in, unless one of them would have to pass over more than `longest` slots.
    fn fill(
        &mut self,
        artifact: &TokenizerArtifact,
        multiplier: u64,
        longest: usize,
    ) -> Result<bool, TokenizerError> {
        let slots = (2 * artifact.merges.len()).next_power_of_two().max(2);
        (self.slots, self.multiplier) = (vec![(0, EMPTY); slots], multiplier);
        for (merge, rank) in artifact.merges.iter().zip(0..) {
            let pair = pair(merge.left, merge.right);
            let (slot, passed) = self.search(pair);
            let earlier = self.slots[slot].1;
            if earlier != EMPTY {
                return Err(TokenizerError::Malformed {
                    at: format!("merges[{rank}]"),
                    problem: format!("its pair is already merged by merges[{earlier}]"),
                });
            }
            if passed > longest {
                return Ok(false);
            }
            self.slots[slot] = (pair, rank);
        }
        Ok(true)
    }

    /// The rank of the merge of `left` followed by `right`, if there is one. A smaller rank is
    /// applied first.
    #[inline]
    pub(crate) fn rank(&self, left: TokenId, right: TokenId) -> Option<u32> {
        let rank = self.slots[self.search(pair(left, right)).0].1;
        (rank != EMPTY).then_some(rank)
    }

    /// The token that the merge of this rank makes.
    pub(crate) fn result(&self, rank: u32) -> TokenId {
        self.results[rank as usize]
    }

    /// The slot of a pair, or the empty one where it would be, and how many were passed over.
    #[inline]
    fn search(&self, pair: u64) -> (usize, usize) {
        let mask = self.slots.len() - 1;
        let home = (pair.wrapping_mul(self.multiplier) >> 32) as usize;
        let mut passed = 0;
        loop {
            let slot = (home + passed) & mask;
            let (found, rank) = self.slots[slot];
            if found == pair || rank == EMPTY {
                return (slot, passed);
            }
            passed += 1;
        }
    }
}

fn pair(left: TokenId, right: TokenId) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pretokenizer;
    use crate::artifact::Merge;

    fn artifact(pairs: &[(TokenId, TokenId)]) -> TokenizerArtifact {
        let merges = (300..).zip(pairs).map(|(id, &(left, right))| Merge { id, left, right });
        TokenizerArtifact::trained(merges.collect(), Pretokenizer::None)
    }

    /// 200 pairs that the first multiplier puts into one slot of the table.
    #[test]
    fn pairs_made_to_collide_are_found_and_searched_shortly() {
        let home = |left, right| pair(left, right).wrapping_mul(MULTIPLIERS[0]) >> 32 & 511;
        let all = (0..2000).flat_map(|left| (0..2000).map(move |right| (left, right)));
        let pairs: Vec<_> = all.filter(|&(left, right)| home(left, right) == 0).take(200).collect();
        let table = MergeTable::of(&artifact(&pairs)).unwrap();
        assert_eq!((pairs.len(), table.slots.len()), (200, 512));
        assert_ne!(table.multiplier, MULTIPLIERS[0]);
        for (&(left, right), rank) in pairs.iter().zip(0..) {
            assert_eq!(table.rank(left, right), Some(rank));
            assert_eq!(table.rank(right + 5000, left), None);
        }
    }

    #[test]
    fn without_merges_nothing_is_found() {
        let table = MergeTable::of(&artifact(&[])).unwrap();
        assert_eq!((table.rank(0, 0), table.rank(7, 9)), (None, None));
    }
}
