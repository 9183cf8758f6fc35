//! The most multiply-adds that this processor can do, to compare the products with.

use super::simd::{Kernel, REDUCTION_LANES, Simd};
use crate::Element;

/// Chains side by side: enough for two units whose results take four to six cycles, and few enough
/// for sixteen registers.
const CHAINS: usize = 12;

/// Multiply-adds on registers alone.
pub struct Peak<E> {
    pub(crate) turns: usize,
    pub(crate) factor: E,
}

impl<E: Element> Kernel<E> for Peak<E> {
    /// The sum of all chains, so that none can be left out, and how many multiply-adds there were.
    type Output = (E, usize);

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) -> (E, usize) {
        let factor = simd.splat(self.factor);
        let mut chains = [simd.splat(E::ONE); CHAINS];
        for _ in 0..self.turns {
            for chain in &mut chains {
                *chain = simd.fma(*chain, factor, factor);
            }
        }
        let mut sum = simd.splat(E::ZERO);
        for chain in chains {
            sum = simd.add(sum, chain);
        }
        let mut lanes = [E::ZERO; REDUCTION_LANES];
        simd.store(sum, &mut lanes);
        let sum = lanes.into_iter().fold(E::ZERO, |sum, lane| sum + lane);
        (sum, self.turns * CHAINS * S::LANES)
    }
}
