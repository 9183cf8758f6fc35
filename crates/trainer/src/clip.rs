//! The global norm of a gradient, and the limit on it (Pascanu, Mikolov and Bengio 2013).

use llm_autograd::{Element, Kernels};
use llm_model::Parameter;

/// Partial sums of one tensor's squares.
const LANES: usize = 16;

/// The square root of the sum of the squares of all gradients, in f64.
///
/// Within a tensor, element i is added to lane i mod 16 and the lanes by a fixed tree; tensors in
/// their declared order. Parameters without a gradient count as zero.
pub fn global_norm<E: Element>(parameters: &[Parameter<E>]) -> f64 {
    let gradients = parameters.iter().filter_map(|parameter| parameter.gradient());
    gradients.map(sum_of_squares).fold(0.0, |sum, squares| sum + squares).sqrt()
}

/// What every gradient is multiplied by so that the norm does not exceed the limit: 1, or
/// `limit / norm`.
pub fn clip_factor(norm: f64, limit: f64) -> f64 {
    if norm > limit { limit / norm } else { 1.0 }
}

/// Shortens all gradients by one factor if their global norm exceeds the limit, so that they keep
/// their direction. Gradients whose norm is not finite are left as they are, for the caller to refuse.
///
/// ```
/// use llm_autograd::{Kernels, Tensor};
/// use llm_model::Parameter;
/// use llm_trainer::{Clip, clip_gradients};
/// let mut parameters = [Parameter::new("w", Tensor::new(&[2], vec![0.0, 0.0]))];
/// parameters[0].set_gradient(&[3.0, 4.0]); // norm 5
/// assert_eq!(clip_gradients(Kernels::detect(), &mut parameters, 2.5), Clip { norm: 5.0, factor: 0.5 });
/// assert_eq!(parameters[0].gradient(), Some(&[1.5, 2.0][..]));
/// ```
pub fn clip_gradients<E: Element>(
    kernels: Kernels,
    parameters: &mut [Parameter<E>],
    limit: f64,
) -> Clip {
    let norm = global_norm(parameters);
    let factor = if norm.is_finite() { clip_factor(norm, limit) } else { 1.0 };
    if factor < 1.0 {
        let factor = E::from_f64(factor);
        for gradient in parameters.iter_mut().filter_map(Parameter::gradient_mut) {
            kernels.multiply(gradient, factor);
        }
    }
    Clip { norm, factor }
}

/// What clipping found and did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clip {
    /// The global norm before.
    pub norm: f64,
    /// What every gradient was multiplied by; 1 if nothing was clipped.
    pub factor: f64,
}

fn sum_of_squares<E: Element>(gradient: &[E]) -> f64 {
    let mut lanes = [0.0; LANES];
    for chunk in gradient.chunks(LANES) {
        for (lane, x) in lanes.iter_mut().zip(chunk) {
            *lane += x.to_f64() * x.to_f64();
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for i in 0..half {
            lanes[i] += lanes[i + half];
        }
        half /= 2;
    }
    lanes[0]
}

#[cfg(test)]
mod tests {
    use super::*;
    use llm_autograd::Tensor;
    use proptest::prelude::*;

    #[test]
    fn squares_of_one_to_twenty_add_up_to_2870() {
        let gradient: Vec<f32> = (1..=20).map(|i| i as f32).collect();
        assert_eq!(sum_of_squares(&gradient), 2870.0);
        assert_eq!(sum_of_squares::<f64>(&[]), 0.0);
    }

    fn parameters(gradients: &[Vec<f64>]) -> Vec<Parameter<f64>> {
        let parameter = |gradient: &Vec<f64>| {
            let zeros = Tensor::new(&[gradient.len()], vec![0.0; gradient.len()]);
            let mut parameter = Parameter::new("w", zeros);
            parameter.set_gradient(gradient);
            parameter
        };
        gradients.iter().map(parameter).collect()
    }

    proptest! {
        /// One factor for all elements is what "never changes the direction" means.
        #[test]
        fn clipping_scales_all_gradients_by_one_factor_to_the_limit_at_most(
            gradients in prop::collection::vec(prop::collection::vec(-1e3..1e3_f64, 0..40), 0..5),
            limit in 1e-3..1e4_f64,
        ) {
            let mut clipped = parameters(&gradients);
            let Clip { norm, factor } = clip_gradients(Kernels::detect(), &mut clipped, limit);
            let squares: f64 = gradients.iter().flatten().map(|g| g * g).sum();
            prop_assert!((norm - squares.sqrt()).abs() <= 1e-12 * norm);
            prop_assert!(factor > 0.0 && factor <= 1.0);
            prop_assert_eq!(factor < 1.0, norm > limit);
            for (parameter, before) in clipped.iter().zip(&gradients) {
                let scaled: Vec<f64> = before.iter().map(|g| g * factor).collect();
                prop_assert_eq!(parameter.gradient().unwrap(), &scaled);
            }
            prop_assert!(global_norm(&clipped) <= limit.min(norm) * (1.0 + 1e-12));
        }
    }

    #[test]
    fn gradients_without_a_finite_norm_are_left_as_they_are() {
        for bad in [f64::NAN, f64::INFINITY, 1e200] {
            let mut spoilt = parameters(&[vec![3.0, bad]]);
            let clip = clip_gradients(Kernels::detect(), &mut spoilt, 1.0);
            assert!(!clip.norm.is_finite() && clip.factor == 1.0, "{clip:?}");
            let bits: Vec<u64> =
                spoilt[0].gradient().unwrap().iter().map(|g| g.to_bits()).collect();
            assert_eq!(bits, [3.0_f64.to_bits(), bad.to_bits()]);
        }
    }

    #[test]
    fn a_norm_at_the_limit_is_left_alone_and_one_above_is_brought_to_it() {
        assert_eq!(clip_factor(1.0, 1.0), 1.0);
        assert_eq!(clip_factor(4.0, 1.0), 0.25);
        assert_eq!(clip_factor(0.0, 1.0), 1.0);
    }
}
