//! What `accumulated_gradient` has to do; both files beside this one are tested with it.

use super::accumulated_gradient;

#[test]
fn one_microbatch_has_the_gradient_of_its_mean() {
    // At w = 1: (1 * 2 - 1) * 2 = 2 and (1 * 1 - 5) * 1 = -4, with the mean -1.
    assert_eq!(accumulated_gradient(1.0, &[vec![(2.0, 1.0), (1.0, 5.0)]]), -1.0);
}

#[test]
fn a_pair_weighs_the_same_in_a_microbatch_of_any_size() {
    // At w = 0 a pair (1, y) has the gradient -y: -(4 + 1 + 1 + 1) / 4. The mean of means is -2.5.
    let uneven = [vec![(1.0, 4.0)], vec![(1.0, 1.0); 3]];
    assert_eq!(accumulated_gradient(0.0, &uneven), -1.75);
}

#[test]
fn the_cut_into_microbatches_changes_nothing() {
    let pairs = [(1.0, 2.0), (3.0, -1.0), (0.5, 0.25), (2.0, 8.0)];
    let whole = accumulated_gradient(0.5, &[pairs.to_vec()]);
    for cut in 0..=4 {
        let (left, right) = pairs.split_at(cut);
        let parts = [left.to_vec(), right.to_vec()]; // one of them is empty at both ends
        assert_eq!(accumulated_gradient(0.5, &parts), whole);
    }
}
