//! The gated activation silu(gate) * up; the formulas stand in `ops/swiglu.rs`.

use super::exp::exp;
use super::reduce::load_part;
use super::share::{Shared, cut_at};
use super::simd::{Kernel, Simd};
use crate::Element;

/// `y = silu(gate) * up`, element by element.
pub struct SwigluForward<'a, E> {
    pub(crate) gate: &'a [E],
    pub(crate) up: &'a [E],
    pub(crate) y: &'a mut [E],
}

impl<E: Element> Kernel<E> for SwigluForward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        for start in (0..self.y.len()).step_by(S::LANES) {
            let n = (self.y.len() - start).min(S::LANES);
            let (silu, _) = silu_and_sigmoid(simd, load_part(simd, self.gate, start, n));
            let y = simd.mul(silu, load_part(simd, self.up, start, n));
            simd.store_partial(y, &mut self.y[start..start + n]);
        }
    }
}

impl<E: Element> Shared for SwigluForward<'_, E> {
    fn work(&self) -> usize {
        20 * self.y.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.y.len(), 16, left, parts) else { return Err(self) };
        let (gate, gate_rest) = self.gate.split_at(at);
        let (up, up_rest) = self.up.split_at(at);
        let (y, y_rest) = self.y.split_at_mut(at);
        Ok((Self { gate, up, y }, Self { gate: gate_rest, up: up_rest, y: y_rest }))
    }
}

/// The gradients of `gate` and `up`; that of `up` is written over the gradient of `y`.
pub struct SwigluBackward<'a, E> {
    pub(crate) gate: &'a [E],
    pub(crate) up: &'a [E],
    pub(crate) gradient: &'a mut [E],
    pub(crate) gate_gradient: &'a mut [E],
}

impl<E: Element> Kernel<E> for SwigluBackward<'_, E> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd<E>>(self, simd: S) {
        let one = simd.splat(E::ONE);
        for start in (0..self.gradient.len()).step_by(S::LANES) {
            let n = (self.gradient.len() - start).min(S::LANES);
            let (silu, sigmoid) = silu_and_sigmoid(simd, load_part(simd, self.gate, start, n));
            let slope = simd.fma(silu, simd.sub(one, sigmoid), sigmoid);
            let dy = load_part(simd, self.gradient, start, n);
            let d_gate = simd.mul(simd.mul(dy, load_part(simd, self.up, start, n)), slope);
            simd.store_partial(d_gate, &mut self.gate_gradient[start..start + n]);
            simd.store_partial(simd.mul(dy, silu), &mut self.gradient[start..start + n]);
        }
    }
}

impl<E: Element> Shared for SwigluBackward<'_, E> {
    fn work(&self) -> usize {
        25 * self.gradient.len()
    }

    fn cut(self, left: usize, parts: usize) -> Result<(Self, Self), Self> {
        let Some(at) = cut_at(self.gradient.len(), 16, left, parts) else { return Err(self) };
        let (gate, gate_rest) = self.gate.split_at(at);
        let (up, up_rest) = self.up.split_at(at);
        let (gradient, gradient_rest) = self.gradient.split_at_mut(at);
        let (gate_gradient, gate_gradient_rest) = self.gate_gradient.split_at_mut(at);
        Ok((
            Self { gate, up, gradient, gate_gradient },
            Self {
                gate: gate_rest,
                up: up_rest,
                gradient: gradient_rest,
                gate_gradient: gate_gradient_rest,
            },
        ))
    }
}

/// z / (1 + exp(-z)) and 1 / (1 + exp(-z)).
#[inline(always)]
fn silu_and_sigmoid<E: Element, S: Simd<E>>(simd: S, z: S::Vector) -> (S::Vector, S::Vector) {
    let one = simd.splat(E::ONE);
    let denominator = simd.add(one, exp::<E, S>(simd, simd.sub(simd.splat(E::ZERO), z)));
    (simd.div(z, denominator), simd.div(one, denominator))
}
