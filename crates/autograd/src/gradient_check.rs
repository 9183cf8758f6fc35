//! Gradients against central differences.

use crate::{AutogradContext, Kernels, Tensor, TensorValue};

/// The worst disagreement that [`gradient_check`] found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GradientCheck {
    /// Largest |analytic - numeric| / max(1, |analytic|, |numeric|).
    pub largest_error: f64,
    /// Which input it occurred in.
    pub input: usize,
    /// Which element of that input.
    pub element: usize,
    /// The gradient of the backward pass there.
    pub analytic: f64,
    /// The difference quotient there.
    pub numeric: f64,
    /// How many elements were compared.
    pub compared: usize,
}

/// Compares the gradient of `function`, a scalar, with `(f(x + h) - f(x - h)) / 2h` in every element
/// of every input. The quotient's own error is about `h^2` times the third derivative plus
/// `1e-16 / h`, so `step` near 1e-5 and errors near 1e-9 are the best to be had in f64.
///
/// ```
/// use llm_autograd::{Tensor, gradient_check};
/// let x = Tensor::new(&[2], vec![0.5, -2.0]);
/// let check = gradient_check(&[x], 1e-5, |context, x| context.sum(&context.mul(&x[0], &x[0])));
/// assert!(check.largest_error < 1e-9);
/// ```
#[track_caller]
pub fn gradient_check(
    inputs: &[Tensor<f64>],
    step: f64,
    function: impl Fn(&AutogradContext<f64>, &[TensorValue<f64>]) -> TensorValue<f64>,
) -> GradientCheck {
    gradient_check_with(Kernels::detect(), inputs, step, function)
}

fn gradient_check_with(
    kernels: Kernels,
    inputs: &[Tensor<f64>],
    step: f64,
    function: impl Fn(&AutogradContext<f64>, &[TensorValue<f64>]) -> TensorValue<f64>,
) -> GradientCheck {
    let context = AutogradContext::recording_with(kernels);
    let variables: Vec<_> = inputs.iter().map(|input| context.variable(input)).collect();
    let output = function(&context, &variables);
    let gradients = context.backward(&output).expect("the function returns a recorded scalar");

    let value = |inputs: &[Tensor<f64>]| {
        let context = AutogradContext::no_grad_with(kernels);
        let constants: Vec<_> = inputs.iter().map(|input| context.constant(input)).collect();
        function(&context, &constants).tensor().item()
    };
    let mut worst = GradientCheck {
        largest_error: -1.0,
        input: 0,
        element: 0,
        analytic: 0.0,
        numeric: 0.0,
        compared: 0,
    };
    let mut inputs = inputs.to_vec();
    for input in 0..inputs.len() {
        let gradient = gradients.of(&variables[input]);
        for element in 0..inputs[input].len() {
            let mut at = |x: f64| {
                inputs[input].data_mut()[element] = x;
                value(&inputs)
            };
            let x = variables[input].data()[element];
            let numeric = (at(x + step) - at(x - step)) / (2.0 * step);
            at(x);
            let analytic = gradient.as_ref().map_or(0.0, |g| g.data()[element]);
            let scale = analytic.abs().max(numeric.abs()).max(1.0);
            let error = (analytic - numeric).abs() / scale;
            worst.compared += 1;
            // A NaN counts as the worst.
            if error.is_nan() || error > worst.largest_error {
                worst = GradientCheck {
                    largest_error: error,
                    input,
                    element,
                    analytic,
                    numeric,
                    ..worst
                };
            }
        }
    }
    worst
}
