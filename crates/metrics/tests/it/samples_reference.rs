//! Measures of generated text against values made elsewhere by other methods.
//!
//! `testdata/samples.json` was written by `testdata/samples_reference.py`, which says how each value
//! was found.

use llm_metrics::{
    Agreement, Comparison, DistinctNgrams, Effect, JudgeEffects, MauvePlan, Side, Verdict,
    divergence_frontier, hashed_byte_ngrams, k_means, longest_loop, mauve_over_seeds,
};
use serde_json::Value;

/// The cases of one section, of which there are `count`.
fn cases(section: &str, count: usize) -> Vec<Value> {
    let file: Value = serde_json::from_str(include_str!("../../testdata/samples.json")).unwrap();
    let cases = file[section].as_array().unwrap().clone();
    assert_eq!(cases.len(), count, "{section} lost or gained cases");
    cases
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

fn tokens(value: &Value) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|x| x.as_u64().unwrap()).collect()
}

fn size(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

#[track_caller]
fn assert_close(found: &[f64], expected: &Value) {
    let expected = numbers(expected);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, expected {expected}");
    }
}

#[test]
fn distinct_ngrams_are_counted_as_in_the_reference() {
    for case in cases("distinct", 6) {
        let found = DistinctNgrams::of(&[tokens(&case["tokens"])], size(&case["n"])).unwrap();
        let expected = (size(&case["distinct"]), size(&case["total"]));
        assert_eq!((found.distinct, found.total), expected, "{case}");
    }
}

#[test]
fn the_longest_loop_is_the_one_that_a_search_through_every_stretch_finds() {
    for case in cases("loop", 10) {
        let tokens = tokens(&case["tokens"]);
        let found = longest_loop(&tokens, tokens.len());
        let field = |name: &str| case["found"][name].as_u64().map(|x| x as usize);
        assert_eq!(found.map(|found| found.len), field("len"), "{case}");
        assert_eq!(found.map(|found| found.period), field("period"), "{case}");
        assert_eq!(found.map(|found| found.start), field("start"), "{case}");
    }
}

#[test]
fn areas_below_the_frontier_are_those_of_the_reference() {
    for case in cases("frontier", 14) {
        let (p, q) = (numbers(&case["p"]), numbers(&case["q"]));
        let found = divergence_frontier(&p, &q, case["scaling"].as_f64().unwrap()).unwrap();
        assert!((found.area - case["area"].as_f64().unwrap()).abs() < 1e-12, "{case}");
    }
}

#[test]
fn mauve_from_texts_to_area_is_that_of_the_reference_for_every_seed() {
    for case in cases("mauve", 4) {
        let vectors = |key: &str| -> Vec<Vec<f64>> {
            let texts = case[key].as_array().unwrap().iter().map(|text| text.as_str().unwrap());
            texts
                .map(|text| {
                    let (n, dimensions) = (size(&case["n"]), size(&case["dimensions"]));
                    hashed_byte_ngrams(text.as_bytes(), n, dimensions).unwrap()
                })
                .collect()
        };
        let (p, q, seeds) = (vectors("p"), vectors("q"), tokens(&case["seeds"]));
        let plan = MauvePlan { clusters: size(&case["clusters"]), scaling: 5.0, seed: 0 };
        assert_close(&mauve_over_seeds(&p, &q, plan, &seeds).unwrap().values, &case["values"]);

        let together: Vec<Vec<f64>> = p.iter().chain(&q).cloned().collect();
        let errors: Vec<f64> = seeds
            .iter()
            .map(|&seed| k_means(&together, plan.clusters, seed).unwrap().squared_error)
            .collect();
        assert_close(&errors, &case["squared_errors"]);
    }
}

#[test]
fn fitted_tastes_and_their_errors_are_those_of_the_reference() {
    let side = |code: f64| match code {
        1.0 => Side::First,
        -1.0 => Side::Second,
        _ => Side::Neither,
    };
    for case in cases("judge", 2) {
        let (codes, pairs) = (case["codes"].as_array().unwrap(), tokens(&case["pairs"]));
        let verdicts: Vec<Verdict> = codes
            .iter()
            .zip(numbers(&case["verdicts"]))
            .zip(pairs)
            .map(|((codes, verdict), pair)| {
                let codes: Vec<Side> = numbers(codes).into_iter().map(side).collect();
                let (pair, longer, own, better) = (pair as usize, codes[1], codes[2], codes[3]);
                let comparison = Comparison { pair, longer, own, better };
                Verdict { comparison, first_chosen: verdict > 0.0 }
            })
            .collect();
        let fit = JudgeEffects::fit(&verdicts).unwrap();
        let effects: Vec<Effect> =
            vec![fit.position, fit.length.unwrap(), fit.own.unwrap(), fit.merit.unwrap()];
        let values: Vec<f64> = effects.iter().map(|effect| effect.value).collect();
        let errors: Vec<f64> = effects.iter().map(|effect| effect.standard_error).collect();
        assert_close(&values, &case["values"]);
        assert_close(&errors, &case["standard_errors"]);
    }
}

#[test]
fn agreement_and_kappa_are_those_of_the_reference() {
    for case in cases("kappa", 2) {
        let found = Agreement::of(&tokens(&case["one"]), &tokens(&case["other"])).unwrap();
        let found = [found.observed, found.by_chance, found.kappa.unwrap()];
        for (found, key) in found.into_iter().zip(["observed", "by_chance", "kappa"]) {
            assert!((found - case[key].as_f64().unwrap()).abs() < 1e-14, "{key} in {case}");
        }
    }
}
