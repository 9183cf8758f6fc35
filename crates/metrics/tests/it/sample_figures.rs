//! Every figure of `testdata/sample_figures.json`, recomputed from its inputs.

use llm_metrics::{DistinctNgrams, divergence_frontier, longest_loop, words};
use serde_json::Value;

/// The quantity of a case, by name.
fn compute(case: &Value, quantity: &str) -> f64 {
    let histogram = |key: &str| -> Vec<f64> {
        case[key].as_array().unwrap().iter().map(|share| share.as_f64().unwrap()).collect()
    };
    let text: Vec<&[u8]> = words(case["text"].as_str().unwrap_or("").as_bytes()).collect();
    let distinct = || DistinctNgrams::of(&[&text], case["n"].as_u64().unwrap() as usize).unwrap();
    let found = longest_loop(&text, text.len());
    match quantity {
        "distinct_share" => distinct().distinct_share(),
        "repeated_share" => distinct().repeated_share(),
        "loop_items" => found.map_or(0.0, |found| found.len as f64),
        "loop_period" => found.map_or(0.0, |found| found.period as f64),
        "mauve" => divergence_frontier(&histogram("p"), &histogram("q"), 5.0).unwrap().area,
        other => panic!("no computation gives {other}"),
    }
}

#[test]
fn every_stored_figure_comes_out_within_its_tolerance() {
    let file: Value =
        serde_json::from_str(include_str!("../../testdata/sample_figures.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let mut checked = 0;
    for case in cases {
        for (quantity, expected) in case["expect"].as_object().unwrap() {
            let found = compute(case, quantity);
            let [value, tolerance] = [&expected[0], &expected[1]].map(|x| x.as_f64().unwrap());
            assert!((found - value).abs() <= tolerance, "{}: {quantity} {found}", case["name"]);
            checked += 1;
        }
    }
    assert_eq!((cases.len(), checked), (8, 16), "sample_figures.json lost or gained figures");
}
