//! Every figure of `testdata/measuring.json`, recomputed from its inputs.
//!
//! A case names a computation, gives its inputs and says what must come out. Adding a case
//! needs no Rust; a quantity that no computation produces fails.

mod computations;

use computations::{Found, compute};
use serde_json::Value;

/// A number, or the text `inf`, which JSON has no number for.
fn expected_number(value: &Value) -> f64 {
    if value == "inf" { f64::INFINITY } else { value.as_f64().expect("a number or inf") }
}

/// What is wrong with a quantity, if anything.
fn complaint(found: &Found, expected: &Value) -> Option<String> {
    let agrees = match (found, expected) {
        (Found::Truth(found), Value::Bool(expected)) => found == expected,
        (Found::Text(found), Value::String(expected)) => found == expected,
        (Found::Numbers(found), Value::Array(expected)) => {
            let list = match &expected[0] {
                Value::Array(list) => list.iter().map(expected_number).collect(),
                one => vec![expected_number(one)],
            };
            let tolerance = expected[1].as_f64().expect("a tolerance");
            let near = |(a, b): (&f64, &f64)| a == b || (a - b).abs() <= tolerance;
            found.len() == list.len() && found.iter().zip(&list).all(near)
        }
        _ => false,
    };
    (!agrees).then(|| format!("{found:?}, expected {expected}"))
}

#[test]
fn every_stored_figure_comes_out_within_its_tolerance() {
    let file: Value = serde_json::from_str(include_str!("../../testdata/measuring.json")).unwrap();
    let cases = file["cases"].as_array().unwrap();
    let mut complaints = Vec::new();
    let mut checked = 0;
    for case in cases {
        let name = case["name"].as_str().unwrap();
        let found = compute(case);
        for (quantity, expected) in case["expect"].as_object().unwrap() {
            let wrong = match found.get(quantity.as_str()) {
                Some(found) => complaint(found, expected),
                None => Some("is not computed".into()),
            };
            complaints.extend(wrong.map(|text| format!("{name}: {quantity} {text}")));
            checked += 1;
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert_eq!((cases.len(), checked), (CASES, FIGURES), "measuring.json lost or gained figures");
}

/// What the file holds: a case that is dropped by accident fails.
const CASES: usize = 49;
const FIGURES: usize = 170;
