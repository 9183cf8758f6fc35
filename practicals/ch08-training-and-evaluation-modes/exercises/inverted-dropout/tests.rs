//! What `drop_features` has to do; both files beside this one are tested with it.

use super::drop_features;

#[test]
fn nothing_happens_when_nothing_can_be_dropped() {
    assert_eq!(drop_features(&[3.0, -1.0], &[true, true], 0.0), [3.0, -1.0]);
}

#[test]
fn a_dropped_feature_is_zero() {
    assert_eq!(drop_features(&[3.0, -1.0], &[false, false], 0.5), [0.0, 0.0]);
}

#[test]
fn the_mean_over_all_masks_is_the_feature() {
    // With p = 1/4, three of four equally likely masks keep the feature: (4 + 4 + 4 + 0) / 4 = 3.
    let masks = [true, true, true, false];
    let sum: f64 = masks.iter().map(|&kept| drop_features(&[3.0], &[kept], 0.25)[0]).sum();
    assert_eq!(sum / 4.0, 3.0);
}
