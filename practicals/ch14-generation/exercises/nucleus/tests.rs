//! What `nucleus` has to do; both files beside this one are tested with it.

use super::nucleus;

// Sums of powers of two have no rounding.
const FOUR: [f64; 4] = [0.5, 0.25, 0.125, 0.125];

#[track_caller]
fn assert_kept(p: f64, expected: [f64; 4]) {
    let kept = nucleus(&FOUR, p);
    let close = kept.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12);
    assert!(close && kept.len() == 4, "p = {p}: {kept:?}, expected {expected:?}");
}

#[test]
fn a_sum_that_is_exactly_p_is_enough() {
    assert_kept(0.5, [1.0, 0.0, 0.0, 0.0]);
    assert_kept(0.75, [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]);
}

#[test]
fn the_candidate_that_crosses_p_stays() {
    assert_kept(0.6, [2.0 / 3.0, 1.0 / 3.0, 0.0, 0.0]);
    assert_kept(0.8, [4.0 / 7.0, 2.0 / 7.0, 1.0 / 7.0, 0.0]);
}

#[test]
fn the_most_likely_candidate_always_stays() {
    assert_kept(0.01, [1.0, 0.0, 0.0, 0.0]);
}

#[test]
fn one_keeps_everything() {
    assert_kept(1.0, FOUR);
}
