//! What `log_softmax` has to do; both files beside this one are tested with it.

use super::log_softmax;

#[track_caller]
fn assert_logs(logits: &[f64], expected: &[f64]) {
    let logs = log_softmax(logits);
    let close = logs.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-12);
    assert!(close && logs.len() == expected.len(), "{logs:?}, expected {expected:?}");
}

#[test]
fn equal_logits_share_the_probability() {
    let half = -std::f64::consts::LN_2;
    assert_logs(&[3.0, 3.0], &[half, half]);
}

#[test]
fn adding_a_number_to_all_logits_changes_nothing() {
    // exp(1000) is infinite. One less is e times less likely: 1 / (1 + 1/e) and the rest.
    let likely = -libm::log(1.0 + libm::exp(-1.0));
    assert_logs(&[1000.0, 999.0], &[likely, likely - 1.0]);
    assert_logs(&[-1000.0, -1001.0], &[likely, likely - 1.0]);
}

#[test]
fn a_probability_too_small_for_a_number_still_has_a_logarithm() {
    assert_logs(&[0.0, -800.0], &[0.0, -800.0]);
}
