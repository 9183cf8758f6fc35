//! What `adamw_step` has to do; both files beside this one are tested with it.

use super::{Weight, adamw_step};

const FRESH: Weight = Weight { value: 1.0, first_moment: 0.0, second_moment: 0.0, steps: 0 };

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value}, expected {expected}");
}

#[test]
fn without_decay_the_first_step_is_the_rate_whatever_the_gradient() {
    for gradient in [1e-3, 2.0, 1e6] {
        assert_close(adamw_step(FRESH, gradient, 0.1, 0.0).value, 0.9);
    }
}

#[test]
fn without_a_gradient_decay_takes_its_share_and_no_more() {
    // 1 - 0.1 * 0.5 * 1. As part of the gradient it would take a full step: 1 - 0.1.
    assert_close(adamw_step(FRESH, 0.0, 0.1, 0.5).value, 0.95);
}

#[test]
fn decay_leaves_the_moments_alone() {
    let plain = adamw_step(FRESH, 2.0, 0.1, 0.0);
    let decayed = adamw_step(FRESH, 2.0, 0.1, 0.5);
    assert_eq!(decayed.first_moment, plain.first_moment);
    assert_eq!(decayed.second_moment, plain.second_moment);
    assert_close(decayed.value, 0.85); // 1 - 0.1 - 0.05
}

#[test]
fn a_large_gradient_does_not_drown_the_decay() {
    assert_close(adamw_step(FRESH, 1e6, 0.1, 0.5).value, 0.85);
}
