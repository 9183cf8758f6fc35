//! What `pooled_mean` has to do; both files beside this one are tested with it.

use super::pooled_mean;

#[test]
fn batches_of_equal_size_have_the_mean_of_their_means() {
    assert_eq!(pooled_mean(&[(2.0, 2), (4.0, 2)]), Some(1.5)); // 6 nats over 4 targets
    assert_eq!(pooled_mean(&[(0.5, 1)]), Some(0.5));
}

#[test]
fn a_target_weighs_the_same_in_a_batch_of_any_size() {
    // 4 nats and 1 + 1 + 1 nats: 7 over 4 targets. The mean of the two means is 2.5.
    assert_eq!(pooled_mean(&[(4.0, 1), (3.0, 3)]), Some(1.75));
}

#[test]
fn no_targets_have_no_mean() {
    assert_eq!(pooled_mean(&[]), None);
    assert_eq!(pooled_mean(&[(0.0, 0)]), None);
}
