//! TODO(chapter): tests of your computation, with values that were worked out by hand.

use std::f64::consts::LN_2;

use practical_ch00_my_topic::{Args, run};

#[test]
fn the_loss_of_three_targets_is_the_one_computed_by_hand() {
    // -ln(1/2) - ln(1/4) - ln(1/2) = 4 ln 2, over three targets.
    let report = run(&Args { probabilities: vec![0.5, 0.25, 0.5] }).unwrap();
    assert_eq!(report.target_count, 3);
    assert!((report.mean_nll - 4.0 * LN_2 / 3.0).abs() < 1e-15);
    assert!((report.perplexity - 2f64.powf(4.0 / 3.0)).abs() < 1e-14);
}

#[test]
fn what_is_no_probability_is_refused() {
    for bad in [vec![], vec![1.5], vec![-0.5], vec![f64::NAN]] {
        assert!(run(&Args { probabilities: bad }).is_err());
    }
}
