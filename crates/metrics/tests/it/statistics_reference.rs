//! Statistics against values made elsewhere by other methods.
//!
//! `testdata/statistics.json` was written by `testdata/statistics_reference.py`, which says how
//! each value was found: exact fractions, enumeration, matrices, SciPy.

use llm_metrics::{
    BootstrapPlan, DetectableDifference, McNemar, PairedDifference, Proportion,
    binomial_probability, bootstrap_ratio, clustered_mean, mean_estimate, normal_cdf,
    normal_quantile,
};
use serde_json::Value;

/// The cases of one section, of which there are at least `fewest`.
fn cases(section: &str, fewest: usize) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../testdata/statistics.json")).unwrap();
    let cases = file[section].as_array().unwrap().clone();
    assert!(cases.len() >= fewest, "{section} lost cases");
    cases
}

fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("{key} in {case}"))
}

fn count(case: &Value, key: &str) -> usize {
    case[key].as_u64().unwrap_or_else(|| panic!("{key} in {case}")) as usize
}

fn numbers(case: &Value, key: &str) -> Vec<f64> {
    case[key].as_array().unwrap().iter().map(|value| value.as_f64().unwrap()).collect()
}

#[track_caller]
fn assert_close(found: f64, case: &Value, key: &str, relative: f64) {
    let expected = number(case, key);
    let allowed = relative * expected.abs().max(f64::MIN_POSITIVE);
    assert!((found - expected).abs() <= allowed, "{key}: {found}, expected {expected} in {case}");
}

#[test]
fn proportions_have_the_reference_error_and_wilson_interval() {
    for case in cases("proportion", 8) {
        let proportion = Proportion::new(count(&case, "successes"), count(&case, "items")).unwrap();
        assert_close(proportion.standard_error(), &case, "standard_error", 1e-14);
        let interval = proportion.wilson_interval(number(&case, "confidence")).unwrap();
        assert!((interval.lower - number(&case, "lower")).abs() < 1e-13, "{case}");
        assert!((interval.upper - number(&case, "upper")).abs() < 1e-13, "{case}");
    }
}

#[test]
fn means_have_the_reference_standard_error() {
    for case in cases("mean", 3) {
        let estimate = mean_estimate(&numbers(&case, "values")).unwrap();
        assert_close(estimate.mean, &case, "mean", 1e-14);
        assert_close(estimate.standard_error.unwrap(), &case, "standard_error", 1e-14);
    }
}

#[test]
fn grouped_means_have_the_sandwich_standard_error() {
    for case in cases("clustered", 4) {
        let groups: Vec<u64> =
            case["groups"].as_array().unwrap().iter().map(|g| g.as_u64().unwrap()).collect();
        let estimate = clustered_mean(&numbers(&case, "values"), &groups).unwrap();
        assert_close(estimate.standard_error.unwrap(), &case, "standard_error", 1e-13);
    }
}

#[test]
fn paired_differences_have_the_reference_standard_error() {
    for case in cases("paired", 2) {
        let paired = PairedDifference::of(&numbers(&case, "a"), &numbers(&case, "b")).unwrap();
        assert_close(paired.difference(), &case, "difference", 1e-14);
        assert_close(paired.standard_error().unwrap(), &case, "standard_error", 1e-13);
    }
}

#[test]
fn mcnemar_gives_the_exact_fraction() {
    for case in cases("mcnemar", 9) {
        let only_first = count(&case, "only_first");
        let test = McNemar { only_first, only_second: count(&case, "only_second") };
        assert_close(test.p_value(), &case, "p_value", 1e-12);
    }
}

#[test]
fn binomial_probabilities_are_the_exact_fractions() {
    for case in cases("binomial", 7) {
        let (trials, successes) = (count(&case, "trials"), count(&case, "successes"));
        let found = binomial_probability(trials, successes, number(&case, "p")).unwrap();
        assert_close(found, &case, "probability", 1e-12);
    }
}

#[test]
fn the_normal_distribution_and_its_quantiles_agree() {
    for case in cases("normal", 7) {
        let (z, probability) = (number(&case, "z"), number(&case, "probability"));
        // In the tail a rounding of z counts z^2 times: 64 * 1e-16 and more.
        assert_close(normal_cdf(z), &case, "probability", 1e-13);
        let back = normal_quantile(probability).unwrap();
        assert!((back - z).abs() < 1e-12, "{back} in {case}");
    }
}

#[test]
fn the_detectable_difference_is_where_the_test_reaches_its_power() {
    for case in cases("detectable", 4) {
        let plan = DetectableDifference {
            significance: number(&case, "significance"),
            power: number(&case, "power"),
            deviation: number(&case, "deviation"),
        };
        let found = plan.with_items(count(&case, "items")).unwrap();
        assert_close(found, &case, "difference", 1e-12);
    }
}

#[test]
fn bootstrap_errors_approach_those_of_all_resamples() {
    // R resamples estimate a standard deviation with a relative error of sqrt((k - 1) / 4R), where
    // k is the kurtosis, 3 for normal values and below 3.7 in these cases: 0.6 % for R = 20,000.
    let plan = BootstrapPlan { seed: 0, resample_count: 20_000, confidence: 0.95 };
    for case in cases("bootstrap", 4) {
        let (numerators, denominators) =
            (numbers(&case, "numerators"), numbers(&case, "denominators"));
        let found = bootstrap_ratio(&numerators, &denominators, plan).unwrap();
        assert_close(found.estimate, &case, "estimate", 1e-15);
        assert_close(found.standard_error, &case, "standard_error", 3.0 * 0.006);
    }
}
