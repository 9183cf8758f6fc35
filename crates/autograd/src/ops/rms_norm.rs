//! Root-mean-square normalisation (Zhang and Sennrich 2019).
//!
//! With `s = 1 / sqrt(mean(x^2) + epsilon)`: `y = x s gain`,
//! `dx = dy gain s - x s^3 sum(x gain dy) / columns`, `dgain = sum over rows of dy x s`.

use crate::kernels::{RmsNormBackward, RmsNormForward, RmsNormGain, share};
use crate::shape::expect;
use crate::{AutogradContext, Element, TensorValue};

impl<E: Element> AutogradContext<E> {
    /// Scales every row to root-mean-square 1 and multiplies by the gain.
    ///
    /// # Shapes
    /// `x: [rows, columns]`, `gain: [columns]` -> `[rows, columns]`.
    ///
    /// # Gradient
    /// That of the gain is a chain over the rows in order, continuing what is there.
    ///
    /// # Panics
    /// If the shapes do not fit.
    #[track_caller]
    pub fn rms_norm(
        &self,
        x: &TensorValue<E>,
        gain: &TensorValue<E>,
        epsilon: E,
    ) -> TensorValue<E> {
        let [rows, columns] = x.tensor().matrix("rms_norm", "x");
        expect("rms_norm", "gain", gain.shape(), &[columns]);
        let mut y = self.buffer(x.data().len());
        let mut inverse_rms = vec![E::ZERO; rows];
        let (input, weights) = (x.data(), gain.data());
        let forward = RmsNormForward {
            x: input,
            gain: weights,
            epsilon,
            y: &mut y,
            inverse_rms: &mut inverse_rms,
        };
        share(self.kernels(), forward, E::run_rms_norm_forward);

        let saved = [x.clone(), gain.clone()];
        let y = x.tensor().same_shape(y);
        self.record("rms_norm", &[x, gain], y, move |mut gradient, flow| {
            let [x, gain] = saved;
            flow.accumulate(gain.place(), columns, |kernels, gain_gradient| {
                let chains = RmsNormGain {
                    x: x.data(),
                    inverse_rms: &inverse_rms,
                    gradient: &gradient,
                    width: columns,
                    first: 0,
                    gain_gradient,
                };
                share(kernels, chains, E::run_rms_norm_gain);
            });
            let backward = RmsNormBackward {
                x: x.data(),
                gain: gain.data(),
                inverse_rms: &inverse_rms,
                gradient: &mut gradient,
            };
            share(flow.kernels, backward, E::run_rms_norm_backward);
            flow.add(x.place(), gradient);
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::wavy;
    use crate::{AutogradContext, Tensor, gradient_check};

    #[test]
    fn a_row_of_three_and_four_is_divided_by_the_root_of_twelve_and_a_half() {
        let context = AutogradContext::no_grad();
        let x = context.constant(&Tensor::new(&[1, 2], vec![3.0, 4.0]));
        let gain = context.constant(&Tensor::new(&[2], vec![1.0, 2.0]));
        let y = context.rms_norm(&x, &gain, 0.0);
        let rms = 12.5f64.sqrt();
        assert!((y.data()[0] - 3.0 / rms).abs() < 1e-15);
        assert!((y.data()[1] - 8.0 / rms).abs() < 1e-15);
    }

    #[test]
    fn a_row_whose_squares_overflow_gives_no_number() {
        let context = AutogradContext::no_grad();
        let x = context.constant(&Tensor::new(&[1, 2], vec![1e200, 1.0]));
        let gain = context.constant(&Tensor::new(&[2], vec![1.0, 1.0]));
        let y = context.rms_norm(&x, &gain, 1e-6);
        assert!(y.data().iter().all(|y: &f64| y.is_nan()), "{:?}", y.data());
    }

    #[test]
    fn gradient_agrees_with_differences_for_widths_around_the_lanes() {
        for width in [1, 3, 4, 8, 15, 16, 17, 35] {
            let inputs = [wavy(&[3, width], 0.1), wavy(&[width], 0.7)];
            let check = gradient_check(&inputs, 1e-5, |c, x| {
                let y = c.rms_norm(&x[0], &x[1], 1e-2);
                c.sum(&c.mul(&y, &c.mul(&y, &y)))
            });
            assert!(check.largest_error < 1e-8, "width {width}: {check:?}");
        }
    }
}
