//! Which documents come next: an endless walk over numbered documents, pass after pass.
//!
//! The order of a pass (an *epoch*) is a function of the seed and the pass's number alone, so a
//! walk can be continued from two numbers, without the ones before them.

use llm_model::SplitMix64;

/// Position in an endless walk over `documents` documents.
///
/// ```
/// use llm_trainer::DataOrder;
/// let mut order = DataOrder::shuffled(3, 39);
/// let mut first_pass = order.take(3);
/// first_pass.sort();
/// assert_eq!(first_pass, [0, 1, 2]); // each document once
/// assert_eq!((order.epoch(), order.taken()), (1, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataOrder {
    documents: usize,
    seed: Option<u64>,
    epoch: u64,
    taken: usize,
    /// The documents of this epoch in order; made again from the numbers above, never stored.
    permutation: Vec<usize>,
}

impl DataOrder {
    /// The documents in their given order, again and again.
    pub fn sequential(documents: usize) -> Self {
        Self::at(documents, None, 0, 0)
    }

    /// A new random order in every epoch.
    pub fn shuffled(documents: usize, seed: u64) -> Self {
        Self::at(documents, Some(seed), 0, 0)
    }

    /// The walk in the middle of an epoch.
    pub(crate) fn at(documents: usize, seed: Option<u64>, epoch: u64, taken: usize) -> Self {
        Self { documents, seed, epoch, taken, permutation: permutation(documents, seed, epoch) }
    }

    /// Number of the current epoch, from 0.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How many documents of the current epoch were taken; less than there are, as long as there
    /// are any.
    pub fn taken(&self) -> usize {
        self.taken
    }

    /// The seed of the random orders; `None` for the given order.
    pub fn seed(&self) -> Option<u64> {
        self.seed
    }

    /// The indices of the next `count` documents, going on into further epochs. None if there are
    /// no documents.
    pub fn take(&mut self, count: usize) -> Vec<usize> {
        let mut taken = Vec::with_capacity(count);
        while taken.len() < count && self.documents > 0 {
            taken.push(self.permutation[self.taken]);
            self.taken += 1;
            if self.taken == self.documents {
                *self = Self::at(self.documents, self.seed, self.epoch.wrapping_add(1), 0);
            }
        }
        taken
    }
}

/// The order of an epoch: a Fisher-Yates shuffle (Durstenfeld 1964) with a SplitMix64 stream of
/// the epoch's own, whose seed is output `epoch` of the stream of `seed`.
fn permutation(documents: usize, seed: Option<u64>, epoch: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..documents).collect();
    if let Some(seed) = seed {
        let mut stream = SplitMix64::new(epoch_seed(seed, epoch));
        for last in (1..documents).rev() {
            // The top bits of a product of 128: off from uniform by less than documents / 2^64.
            let draw = u128::from(stream.next_u64()) * (last as u128 + 1);
            order.swap(last, (draw >> 64) as usize);
        }
    }
    order
}

/// Output `epoch` of the SplitMix64 stream of `seed`; a stream's state grows by the golden ratio in
/// each step, so any output can be reached at once.
fn epoch_seed(seed: u64, epoch: u64) -> u64 {
    SplitMix64::new(seed.wrapping_add(epoch.wrapping_mul(0x9e37_79b9_7f4a_7c15))).next_u64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_epoch_has_each_document_once_and_an_order_of_its_own() {
        let mut order = DataOrder::shuffled(50, 7);
        let epochs: Vec<Vec<usize>> = (0..4).map(|_| order.take(50)).collect();
        for (i, epoch) in epochs.iter().enumerate() {
            let mut sorted = epoch.clone();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..50).collect::<Vec<_>>());
            assert!(epochs[..i].iter().all(|other| other != epoch));
        }
        assert_ne!(DataOrder::shuffled(50, 8).take(50), epochs[0]);
    }

    #[test]
    fn the_given_order_is_repeated() {
        let mut order = DataOrder::sequential(3);
        assert_eq!(order.take(5), [0, 1, 2, 0, 1]);
        assert_eq!((order.epoch(), order.taken()), (1, 2));
        assert_eq!(order.take(2), [2, 0]);
        assert_eq!(DataOrder::sequential(0).take(4), [0; 0]);
    }

    #[test]
    fn a_walk_continues_from_its_two_numbers_and_does_not_depend_on_how_it_is_taken() {
        let mut whole = DataOrder::shuffled(7, 3);
        let expected = whole.take(40);
        for cut in 0..40 {
            let mut order = DataOrder::shuffled(7, 3);
            let mut taken = order.take(cut);
            let mut resumed = DataOrder::at(7, order.seed(), order.epoch(), order.taken());
            assert_eq!(resumed, order);
            taken.extend(resumed.take(40 - cut));
            assert_eq!(taken, expected);
        }
    }

    #[test]
    fn the_seed_of_an_epoch_is_an_output_of_the_seeds_stream() {
        let mut stream = SplitMix64::new(9);
        assert!((0..20).all(|epoch| epoch_seed(9, epoch) == stream.next_u64()));
    }

    /// Each of three documents is first in a third of the epochs: 1000 of 3000, standard error 26.
    #[test]
    fn each_document_is_first_equally_often() {
        let mut order = DataOrder::shuffled(3, 1);
        let mut first = [0; 3];
        (0..3000).for_each(|_| first[order.take(3)[0]] += 1);
        assert!(first.iter().all(|count| (900..1100).contains(count)), "{first:?}");
    }
}
