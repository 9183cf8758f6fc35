//! SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").

/// A stream of random numbers whose whole state is one integer.
///
/// ```
/// use llm_model::SplitMix64;
/// // The published first output for seed 0.
/// assert_eq!(SplitMix64::new(0).next_u64(), 0xe220_a839_7b1d_cdaf);
/// ```
#[derive(Clone, Debug)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// The stream whose state is the seed itself.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits: a step of the state by the golden ratio, then a mix of its bits.
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// The next number in [0, 1): the top 53 bits of a draw, a multiple of 2^-53.
    pub fn next_unit(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1u64 << 53) as f64;
        (self.next_u64() >> 11) as f64 * UNIT
    }
}

#[cfg(test)]
mod tests {
    use super::SplitMix64;

    #[test]
    fn the_first_outputs_of_a_known_seed_are_the_published_ones() {
        // Test vector of the generator's reference implementation, seed 1234567.
        let mut stream = SplitMix64::new(1_234_567);
        let outputs: [u64; 3] = std::array::from_fn(|_| stream.next_u64());
        assert_eq!(
            outputs,
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn units_stay_below_one() {
        let mut stream = SplitMix64::new(7);
        assert!((0..10_000).map(|_| stream.next_unit()).all(|u| (0.0..1.0).contains(&u)));
    }
}
