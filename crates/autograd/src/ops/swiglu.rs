//! The gated activation of the feed-forward layer (Shazeer 2020): `y = silu(gate) up` with
//! `silu(z) = z sigmoid(z)`, `sigmoid(z) = 1 / (1 + exp(-z))`.
//!
//! `dup = dy silu(gate)`, `dgate = dy up (s + silu(gate) (1 - s))` with `s = sigmoid(gate)`.

use crate::kernels::{SwigluBackward, SwigluForward, share};
use crate::shape::expect;
use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// `silu(gate) * up`, element by element.
    ///
    /// # Shapes
    /// `gate`, `up` and the result are equal.
    ///
    /// # Panics
    /// If they are not.
    #[track_caller]
    pub fn swiglu(&self, gate: &TensorValue<E>, up: &TensorValue<E>) -> TensorValue<E> {
        expect("swiglu", "up", up.shape(), gate.shape());
        let mut y = self.buffer(gate.data().len());
        let forward = SwigluForward { gate: gate.data(), up: up.data(), y: &mut y };
        share(self.kernels(), forward, E::run_swiglu_forward);
        let y = gate.tensor().same_shape(y);
        let saved = [gate.clone(), up.clone()];
        self.record("swiglu", &[gate, up], y, move |mut gradient, flow| {
            let [gate, up] = saved;
            let mut gate_gradient = flow.buffer(gradient.len());
            let backward = SwigluBackward {
                gate: gate.data(),
                up: up.data(),
                gradient: &mut gradient,
                gate_gradient: &mut gate_gradient,
            };
            share(flow.kernels, backward, E::run_swiglu_backward);
            flow.add(gate.place(), gate_gradient);
            flow.add(up.place(), gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, gradient_check};

    #[test]
    fn silu_of_zero_is_zero_and_large_gates_pass_or_close() {
        let context = AutogradContext::no_grad();
        let gate = context.constant(&Tensor::new(&[4], vec![0.0, 50.0, -800.0, 1.0]));
        let up = context.constant(&Tensor::new(&[4], vec![3.0, 3.0, 3.0, 2.0]));
        let y = context.swiglu(&gate, &up);
        assert_eq!(y.data()[..3], [0.0, 150.0, 0.0]);
        assert!((y.data()[3] - 2.0 * 0.731_058_578_630_004_9_f64).abs() < 1e-15);
    }

    #[test]
    fn gradient_agrees_with_differences() {
        let inputs = [wavy(&[3, 7], 0.1), wavy(&[3, 7], 0.7)];
        let check = gradient_check(&inputs, 1e-5, |c, x| {
            let y = c.swiglu(&x[0], &x[1]);
            c.sum(&c.mul(&y, &y))
        });
        assert!(check.largest_error < 1e-9, "{check:?}");
    }
}
