//! Agreement with correctly rounded sums made elsewhere.
//!
//! `testdata/fsum.txt` has one case per line, `name: terms = sum`, numbers as the 16 hex digits of
//! their bits. `testdata/fsum_reference.py` wrote it.

use llm_metrics::ExactSum;

const CASES: &str = include_str!("../../testdata/fsum.txt");

struct Case {
    name: &'static str,
    terms: Vec<f64>,
    sum: f64,
}

fn cases() -> Vec<Case> {
    let number = |hex| f64::from_bits(u64::from_str_radix(hex, 16).expect("16 hex digits"));
    let case = |line: &'static str| {
        let (name, numbers) = line.split_once(": ").expect("a name");
        let (terms, sum) = numbers.split_once("= ").expect("a sum");
        Case { name, terms: terms.split_whitespace().map(number).collect(), sum: number(sum) }
    };
    CASES.lines().map(case).collect()
}

#[test]
fn every_stored_sum_comes_out_to_the_last_bit() {
    let cases = cases();
    assert_eq!(cases.len(), 88, "fsum.txt is not the file that was stored");
    for Case { name, terms, sum } in cases {
        let value = terms.into_iter().collect::<ExactSum>().value();
        assert_eq!(value.to_bits(), sum.to_bits(), "{name}: {value:e}, expected {sum:e}");
    }
}

#[test]
fn terms_in_reverse_and_merged_one_by_one_give_the_same_bits() {
    for Case { name, terms, sum } in cases() {
        let mut merged = ExactSum::new();
        for &term in terms.iter().rev() {
            merged.merge(&ExactSum::from_iter([term]));
        }
        assert_eq!(merged.value().to_bits(), sum.to_bits(), "{name}");
        assert_eq!(merged, terms.into_iter().collect::<ExactSum>(), "{name}");
    }
}

#[test]
fn plain_addition_would_fail_on_many_of_the_stored_cases() {
    let differs = |case: &Case| case.terms.iter().sum::<f64>().to_bits() != case.sum.to_bits();
    assert!(cases().iter().filter(|case| differs(case)).count() > 30);
}
