//! The global norm of a gradient, and the limit on it (Pascanu, Mikolov and Bengio 2013).

use llm_autograd::Element;
use llm_model::DecoderModel;

/// Partial sums of one tensor's squares.
const LANES: usize = 16;

/// The square root of the sum of the squares of all gradients, in f64.
///
/// Within a tensor, element i is added to lane i mod 16 and the lanes by a fixed tree; tensors in
/// their declared order. Parameters without a gradient count as zero.
pub fn global_norm<E: Element>(model: &DecoderModel<E>) -> f64 {
    let gradients = model.parameters().iter().filter_map(|parameter| parameter.gradient());
    gradients.map(sum_of_squares).fold(0.0, |sum, squares| sum + squares).sqrt()
}

/// What every gradient is multiplied by so that the norm does not exceed the limit: 1, or
/// `limit / norm`.
pub fn clip_factor(norm: f64, limit: f64) -> f64 {
    if norm > limit { limit / norm } else { 1.0 }
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

    #[test]
    fn squares_of_one_to_twenty_add_up_to_2870() {
        let gradient: Vec<f32> = (1..=20).map(|i| i as f32).collect();
        assert_eq!(sum_of_squares(&gradient), 2870.0);
        assert_eq!(sum_of_squares::<f64>(&[]), 0.0);
    }

    #[test]
    fn a_norm_at_the_limit_is_left_alone_and_one_above_is_brought_to_it() {
        assert_eq!(clip_factor(1.0, 1.0), 1.0);
        assert_eq!(clip_factor(4.0, 1.0), 0.25);
        assert_eq!(clip_factor(0.0, 1.0), 1.0);
    }
}
