//! What pooling has to do; both files beside this one are tested with it.

use super::{Domain, declared_perplexity, observed_perplexity};

/// 75 targets at 2 nats and 25 at 4: 2.5 nats on average.
const DOMAINS: [Domain; 2] =
    [Domain { mean_nll: 2.0, targets: 75 }, Domain { mean_nll: 4.0, targets: 25 }];

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-6, "{value}, expected {expected}");
}

#[test]
fn the_observed_perplexity_weighs_every_target_the_same() {
    assert_close(observed_perplexity(&DOMAINS), 12.182494); // e^2.5
}

#[test]
fn a_domain_cut_in_two_changes_nothing() {
    let [easy, hard] = DOMAINS;
    let cut = [easy, Domain { targets: 10, ..hard }, Domain { targets: 15, ..hard }];
    assert_close(observed_perplexity(&cut), 12.182494);
}

#[test]
fn declared_weights_combine_losses_before_the_exponential() {
    assert_close(declared_perplexity(&DOMAINS, &[0.5, 0.5]).unwrap(), 20.085537); // e^3
    assert_close(declared_perplexity(&DOMAINS, &[0.75, 0.25]).unwrap(), 12.182494);
}

#[test]
fn weights_that_are_no_weighting_are_refused() {
    assert_eq!(declared_perplexity(&DOMAINS, &[0.5, 0.4]), None);
    assert_eq!(declared_perplexity(&DOMAINS, &[1.0]), None);
}
