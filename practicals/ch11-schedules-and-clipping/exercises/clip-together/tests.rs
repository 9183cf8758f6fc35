//! What `clip` has to do; both files beside this one are tested with it.

use super::clip;

#[track_caller]
fn assert_clipped(gradients: &[&[f64]], limit: f64, expected: &[&[f64]]) {
    let mut clipped: Vec<Vec<f64>> = gradients.iter().map(|g| g.to_vec()).collect();
    clip(&mut clipped, limit);
    for (value, expected) in clipped.iter().flatten().zip(expected.iter().copied().flatten()) {
        assert!((value - expected).abs() < 1e-12, "{clipped:?}, expected {expected:?}");
    }
}

#[test]
fn one_tensor_is_brought_to_the_limit() {
    assert_clipped(&[&[3.0, 4.0]], 1.0, &[&[0.6, 0.8]]); // norm 5
}

#[test]
fn all_tensors_share_one_norm_and_one_factor() {
    assert_clipped(&[&[3.0], &[-4.0]], 1.0, &[&[0.6], &[-0.8]]);
    // 1 + 64 + 16 = 9 * 9: the norm is 9, the limit a third of it.
    assert_clipped(
        &[&[1.0, 0.0], &[8.0], &[-4.0]],
        3.0,
        &[&[1.0 / 3.0, 0.0], &[8.0 / 3.0], &[-4.0 / 3.0]],
    );
}

#[test]
fn a_norm_within_the_limit_is_left_alone() {
    assert_clipped(&[&[3.0, 4.0]], 5.0, &[&[3.0, 4.0]]);
    assert_clipped(&[&[0.0, 0.0], &[]], 1.0, &[&[0.0, 0.0], &[]]);
}
