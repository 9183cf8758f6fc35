//! One AdamW step over one parameter; `llm-trainer` owns the method and its state.

use super::reduce::load_part;
use super::share::{Shared, cut_at, share};
use super::simd::{Kernel, Simd};
use crate::{Element, Kernels};

/// The slices and numbers of one step (Loshchilov and Hutter 2019), all slices of one length:
///
/// `m = b1 m + (1 - b1) g`, `v = b2 v + (1 - b2) (g g)`,
/// `w = w - rate * ((m / c1) / (sqrt(v / c2) + epsilon)) - (rate * decay) * w`,
/// evaluated as written.
pub struct AdamWStep<'a, E> {
    /// w, changed.
    pub weights: &'a mut [E],
    /// g.
    pub gradient: &'a [E],
    /// m, changed.
    pub first_moment: &'a mut [E],
    /// v, changed.
    pub second_moment: &'a mut [E],
    /// b1 and b2.
    pub betas: [E; 2],
    /// c1 and c2: one minus the product of all b1 (b2) so far.
    pub corrections: [E; 2],
    /// Added to the root.
    pub epsilon: E,
    /// The learning rate of this step.
    pub rate: E,
    /// Rate times decay; zero where nothing decays.
    pub rate_times_decay: E,
}

impl<E: Element> AdamWStep<'_, E> {
    /// Takes the step. Panics if the slices differ in length.
    #[track_caller]
    pub fn run(self, kernels: Kernels) {
        let len = self.weights.len();
        let lengths = [self.gradient.len(), self.first_moment.len(), self.second_moment.len()];
        assert!(lengths == [len; 3], "adamw: {len} weights, gradient and moments of {lengths:?}");
        share(kernels, self, E::run_adamw);
    }
}

impl<E: Element> Kernel<E> for AdamWStep<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let [b1, b2] = [simd.splat(self.betas[0]), simd.splat(self.betas[1])];
        let rest1 = simd.splat(E::ONE - self.betas[0]);
        let rest2 = simd.splat(E::ONE - self.betas[1]);
        let [c1, c2] = [simd.splat(self.corrections[0]), simd.splat(self.corrections[1])];
        let (epsilon, rate) = (simd.splat(self.epsilon), simd.splat(self.rate));
        let decay = simd.splat(self.rate_times_decay);
        for start in (0..self.weights.len()).step_by(S::LANES) {
            let n = (self.weights.len() - start).min(S::LANES);
            let end = start + n;
            let g = load_part(simd, self.gradient, start, n);
            let m = load_part(simd, self.first_moment, start, n);
            let v = load_part(simd, self.second_moment, start, n);
            let w = load_part(simd, self.weights, start, n);
            let m = simd.add(simd.mul(b1, m), simd.mul(rest1, g));
            let v = simd.add(simd.mul(b2, v), simd.mul(rest2, simd.mul(g, g)));
            let root = simd.add(simd.sqrt(simd.div(v, c2)), epsilon);
            let step = simd.mul(rate, simd.div(simd.div(m, c1), root));
            let w = simd.sub(simd.sub(w, step), simd.mul(decay, w));
            simd.store_partial(m, &mut self.first_moment[start..end]);
            simd.store_partial(v, &mut self.second_moment[start..end]);
            simd.store_partial(w, &mut self.weights[start..end]);
        }
    }
}

impl<E: Element> Shared for AdamWStep<'_, E> {
    fn work(&self) -> usize {
        20 * self.weights.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.weights.len(), 16, left, parts) else { return Err(self) };
        let (weights, weights_rest) = self.weights.split_at_mut(at);
        let (gradient, gradient_rest) = self.gradient.split_at(at);
        let (first_moment, first_rest) = self.first_moment.split_at_mut(at);
        let (second_moment, second_rest) = self.second_moment.split_at_mut(at);
        let rest = Self {
            weights: weights_rest,
            gradient: gradient_rest,
            first_moment: first_rest,
            second_moment: second_rest,
            ..self
        };
        Ok((Self { weights, gradient, first_moment, second_moment, ..rest }, rest))
    }
}
