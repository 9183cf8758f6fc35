//! What `causal_weights` has to do; both files beside this one are tested with it.

use super::causal_weights;

/// Scores 0, ln 2 and ln 4: exponentials 1, 2 and 4.
fn scores() -> Vec<Vec<f64>> {
    let ln_2 = std::f64::consts::LN_2;
    vec![vec![0.0, ln_2, 2.0 * ln_2]; 3]
}

#[track_caller]
fn assert_row(row: &[f64], expected: [f64; 3]) {
    assert!(row.iter().zip(expected).all(|(x, e)| (x - e).abs() < 1e-12), "{row:?}");
}

#[test]
fn the_future_has_no_weight() {
    let weights = causal_weights(&scores());
    assert_eq!((weights[0][1], weights[0][2], weights[1][2]), (0.0, 0.0, 0.0));
}

#[test]
fn the_last_token_sees_everything() {
    assert_row(&causal_weights(&scores())[2], [1.0 / 7.0, 2.0 / 7.0, 4.0 / 7.0]);
}

#[test]
fn every_row_sums_to_one() {
    let weights = causal_weights(&scores());
    assert_row(&weights[0], [1.0, 0.0, 0.0]);
    assert_row(&weights[1], [1.0 / 3.0, 2.0 / 3.0, 0.0]);
}

#[test]
fn a_score_of_the_future_changes_no_earlier_row() {
    let mut changed = scores();
    changed.iter_mut().for_each(|row| row[2] = 100.0);
    assert_eq!(causal_weights(&changed)[..2], causal_weights(&scores())[..2]);
}
