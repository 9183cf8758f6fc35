//! Every target weighs the same, whichever batch it was scored in.
//!
//! Worked by hand: probabilities [1/2, 1/4] cost 1 + 2 = 3 bits over 2 targets and
//! [1/2, 1/2, 1/4, 1/2] cost 1 + 1 + 2 + 1 = 5 bits over 4. One bit is ln 2 nats.

use llm_metrics::{MetricSummary, score_assigned_probabilities};
use std::f64::consts::LN_2;

fn two_batches() -> [MetricSummary; 2] {
    [&[0.5, 0.25][..], &[0.5, 0.5, 0.25, 0.5]].map(|p| score_assigned_probabilities(p).unwrap())
}

#[test]
fn merging_gives_eight_bits_over_six_targets() {
    let [first, second] = two_batches();
    assert_eq!((first.target_count(), second.target_count()), (2, 4));
    assert!((first.mean_nll() - 1.5 * LN_2).abs() < 1e-15); // 1.039721
    assert!((second.mean_nll() - 1.25 * LN_2).abs() < 1e-15); // 0.866434

    let both = first.merge(second).unwrap();
    assert_eq!(both.target_count(), 6);
    assert!((both.total_nll() - 8.0 * LN_2).abs() < 1e-14);
    assert_eq!(format!("{:.6}", both.mean_nll()), "0.924196"); // 8/6 ln 2
    assert_eq!(format!("{:.6}", both.perplexity()), "2.519842"); // 2^(8/6)
}

#[test]
fn averages_of_batch_averages_are_other_numbers() {
    let [first, second] = two_batches();
    let mean_of_means = (first.mean_nll() + second.mean_nll()) / 2.0;
    let mean_of_perplexities = (first.perplexity() + second.perplexity()) / 2.0;
    assert_eq!(format!("{mean_of_means:.6}"), "0.953077"); // 11/8 ln 2
    assert_eq!(format!("{mean_of_perplexities:.6}"), "2.603421"); // (2^1.5 + 2^1.25) / 2
}

#[test]
fn merging_does_not_depend_on_the_order() {
    let [first, second] = two_batches();
    assert_eq!(first.clone().merge(second.clone()), second.merge(first));
}
