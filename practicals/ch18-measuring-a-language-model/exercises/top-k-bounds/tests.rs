//! What `top_k_bounds` has to do; both files beside this one are tested with it.

use super::top_k_bounds;

#[test]
fn without_ties_both_bounds_are_the_share_of_misses() {
    let row = [0.5, 0.3, 0.2];
    let predictions = [(&row[..], 0), (&row, 1), (&row, 2), (&row, 0)];
    assert_eq!(top_k_bounds(&predictions, 1), Some((0.5, 0.5)));
    assert_eq!(top_k_bounds(&predictions, 2), Some((0.25, 0.25)));
    assert_eq!(top_k_bounds(&predictions, 3), Some((0.0, 0.0)));
}

#[test]
fn a_tie_across_place_k_makes_an_interval_for_either_token() {
    let row = [0.4, 0.4, 0.2];
    for token in [0, 1] {
        assert_eq!(top_k_bounds(&[(&row, token)], 1), Some((0.0, 1.0)), "token {token}");
        assert_eq!(top_k_bounds(&[(&row, token)], 2), Some((0.0, 0.0)), "both fit into two places");
    }
}

#[test]
fn a_model_that_knows_nothing_is_between_perfect_and_always_wrong() {
    let uniform = [0.25; 4];
    let predictions = [0, 1, 2, 3].map(|token| (&uniform[..], token));
    assert_eq!(top_k_bounds(&predictions, 1), Some((0.0, 1.0)));
    assert_eq!(top_k_bounds(&predictions, 4), Some((0.0, 0.0)));
}

#[test]
fn what_has_no_order_has_no_error() {
    assert_eq!(top_k_bounds(&[], 1), None);
    assert_eq!(top_k_bounds(&[(&[0.5, 0.5], 2)], 1), None);
    assert_eq!(top_k_bounds(&[(&[0.5, f64::NAN], 0)], 1), None);
}
