//! The numbers of the report, worked out by hand.

use std::sync::OnceLock;

use clap::Parser;
use practical_ch09_stable_log_loss::{Args, Report, precision, run, underflow};

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&Args::parse_from(["chapter"])).unwrap())
}

#[track_caller]
fn assert_close(x: f64, expected: f64) {
    assert!((x - expected).abs() < 1e-6, "{x}, expected {expected}");
}

#[test]
fn softmax_in_single_precision_loses_a_token_at_110_nats_and_log_softmax_keeps_it() {
    let report = &report().underflow;
    assert_eq!((report.softmax_f32, report.nll_from_softmax, report.lost), (0.0, None, true));
    assert_eq!(report.nll_from_log_softmax_f32, 110.0);
    assert_eq!(report.nll_from_log_softmax, 110.0);
    assert_close(report.bits, 158.696_454); // 110 / 0.6931472
    assert_eq!(report.document_bits_per_token_from_softmax, None);
    assert_close(report.document_bits_per_token, 2.576_965); // (99 + 158.696454) / 100
}

#[test]
fn a_likely_token_has_the_same_loss_in_both_ways() {
    // Two equal logits: one half each, ln 2 nats, 1 bit.
    let report = underflow(0.0).unwrap();
    assert!(!report.lost);
    assert_eq!(report.softmax_f32, 0.5);
    assert_close(report.nll_from_softmax.unwrap(), std::f64::consts::LN_2);
    assert_close(report.document_bits_per_token, 1.0);
}

#[test]
fn a_token_is_lost_where_the_exponential_ends_and_not_before() {
    assert!(!underflow(103.0).unwrap().lost);
    assert!(underflow(104.0).unwrap().lost);
    assert_eq!(underflow(1e6).unwrap().nll_from_log_softmax, 1e6);
}

#[test]
fn exponentials_end_at_minus_104_and_89_in_f32_and_at_minus_746_and_710_in_f64() {
    // ln 2^-150 = -103.97, ln 2^128 = 88.72, ln 2^-1075 = -745.13, ln 2^1024 = 709.78.
    let rows = &report().range;
    let of = |x| rows.iter().find(|row| row.x == x).map(|row| (row.exp_f32, row.exp_f64)).unwrap();
    assert_eq!([of(-104.0).0, of(-103.0).0], ["0", "a number"]);
    assert_eq!([of(88.0).0, of(89.0).0], ["a number", "infinite"]);
    assert_eq!([of(-746.0).1, of(-745.0).1], ["0", "a number"]);
    assert_eq!([of(709.0).1, of(710.0).1], ["a number", "infinite"]);
}

#[test]
fn the_gradient_is_the_probability_less_one_for_what_came() {
    let report = &report().gradient;
    assert_close(report.nll, 8f64.ln());
    let expected = [0.5, 0.25, 0.125 - 1.0, 0.125];
    for (token, expected) in report.tokens.iter().zip(expected) {
        assert_close(token.gradient, expected);
    }
    assert!(report.largest_difference < 1e-15);
    assert!(report.difference_quotient_error < 1e-9);
}

#[test]
fn no_model_needs_less_than_the_entropy() {
    let report = &report().cross_entropy;
    assert_eq!(report.entropy, 1.75); // 0.5 * 1 + 0.25 * 2 + 2 * 0.125 * 3
    let bits: Vec<Option<f64>> = report.models.iter().map(|row| row.cross_entropy).collect();
    assert_eq!([bits[0], bits[1], bits[3]], [Some(1.75), Some(2.0), None]);
    assert_close(bits[2].unwrap(), 1.918_251); // 0.5 log2(1 / 0.7) + 0.5 log2 10
    assert_close(report.models[2].divergence.unwrap(), 0.168_251);
    assert!(report.never_below_the_entropy);
    assert!(report.models[3].infinite && !report.models[2].infinite);
}

#[test]
fn a_long_sum_in_single_precision_is_off_by_more_than_a_rounding() {
    let long = report().precision;
    assert_eq!(long.vocab_size, 49_152);
    assert!(long.mean_error.abs() > 3.0 * long.one_rounding, "{long:?}");
    assert!(long.mean_error.abs() < 1e-3, "{long:?}");
    let short = precision(16).unwrap();
    assert!(short.mean_error.abs() < 1e-6, "{short:?}");
}
