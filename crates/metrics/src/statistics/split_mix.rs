//! A small reproducible random stream.
//!
//! SplitMix64 adds a fixed odd number to its state and scrambles the sum; that is all. The same
//! seed gives the same stream on every machine and in every version of this crate, which is why it
//! is written out here: published numbers must be reproducible from their seed. It passes the usual
//! statistical tests and is not for secrets.
//!
//! Source: Steele, Lea and Flood, *Fast splittable pseudorandom number generators* (2014), with the
//! output function of Vigna's reference code <https://prng.di.unimi.it/splitmix64.c>.

use std::num::NonZeroUsize;

/// The golden ratio in 64-bit fixed point, made odd: the state's step.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers that its seed determines.
///
/// # Example
/// ```
/// use llm_metrics::SplitMix64;
///
/// let mut stream = SplitMix64::new(1_234_567);
/// assert_eq!(stream.next_u64(), 6_457_827_717_110_365_317);
/// assert!((0.0..1.0).contains(&stream.unit()));
/// ```
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream of `seed`; every seed is as good as any other.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(STEP);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 (included) to 1 (excluded): the top 53 bits over 2^53.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// A whole number from 0 to `bound - 1`, each exactly equally likely.
    ///
    /// The high half of `bits * bound` is the number; products whose low half falls into the
    /// uneven rest are drawn again (Lemire, *Fast random integer generation in an interval*, 2019).
    pub fn below(&mut self, bound: NonZeroUsize) -> usize {
        let bound = bound.get() as u64;
        let uneven = bound.wrapping_neg() % bound; // 2^64 mod bound
        loop {
            let product = u128::from(self.next_u64()) * u128::from(bound);
            if product as u64 >= uneven {
                return (product >> 64) as usize;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_is_that_of_the_reference_code() {
        // Printed by splitmix64.c for the seed 1234567, and widely quoted.
        let mut stream = SplitMix64::new(1_234_567);
        let first: [u64; 5] = std::array::from_fn(|_| stream.next_u64());
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!(first, expected);
    }

    #[test]
    fn unit_numbers_fill_the_interval_evenly() {
        // Mean 1/2 with standard error sqrt(1/12) / sqrt(n) = 0.000913.
        let mut stream = SplitMix64::new(0);
        let draws: Vec<f64> = (0..100_000).map(|_| stream.unit()).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.5).abs() < 3.0 * 0.000_913, "{mean}");
    }

    #[test]
    fn numbers_below_a_bound_are_equally_frequent() {
        // 70,000 draws of 7 numbers: 10,000 each, standard deviation sqrt(70000 * 6) / 7 = 92.6.
        let mut stream = SplitMix64::new(1);
        let mut counts = [0_i32; 7];
        for _ in 0..70_000 {
            counts[stream.below(NonZeroUsize::new(7).unwrap())] += 1;
        }
        assert!(counts.iter().all(|count| (count - 10_000).abs() < 4 * 93), "{counts:?}");
        assert_eq!(stream.below(NonZeroUsize::MIN), 0);
    }
}
