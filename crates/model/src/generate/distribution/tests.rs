use super::*;
use crate::SplitMix64;
use proptest::prelude::*;

/// Logits of 16, 4, 4, 2, 1 (of 27 parts), in another order of ids.
fn parts() -> Distribution {
    Distribution::from_logits(&[2.0, 16.0, 4.0, 1.0, 4.0].map(libm::log)).unwrap()
}

fn table(distribution: &Distribution) -> Vec<(TokenId, f64)> {
    distribution.candidates().iter().map(|c| (c.id, c.probability)).collect()
}

fn assert_table(distribution: &Distribution, expected: &[(TokenId, f64)]) {
    let given = table(distribution);
    assert_eq!(given.len(), expected.len(), "{given:?}");
    for ((id, p), (expected_id, expected_p)) in given.iter().zip(expected) {
        assert_eq!(id, expected_id, "{given:?}");
        assert!((p - expected_p).abs() < 1e-15, "{given:?}");
    }
}

#[test]
fn ids_are_ranked_by_logit_and_the_lower_id_wins_a_tie() {
    let n = 27.0;
    assert_table(
        &parts(),
        &[(1, 16.0 / n), (2, 4.0 / n), (4, 4.0 / n), (0, 2.0 / n), (3, 1.0 / n)],
    );
    assert_eq!(parts().most_likely(), 1);
    let zeros = Distribution::from_logits(&[-0.0_f32, 0.0, -0.0]).unwrap();
    assert_eq!(table(&zeros).iter().map(|c| c.0).collect::<Vec<_>>(), [0, 1, 2]);
}

#[test]
fn temperature_one_half_squares_the_odds_and_two_takes_their_roots() {
    // Squares 256, 16, 16, 4, 1 add up to 293; roots 4, 2, 2, sqrt 2, 1.
    let n = 293.0;
    assert_table(
        &parts().temperature(0.5).unwrap(),
        &[(1, 256.0 / n), (2, 16.0 / n), (4, 16.0 / n), (0, 4.0 / n), (3, 1.0 / n)],
    );
    let n = 9.0 + 2f64.sqrt();
    assert_table(
        &parts().temperature(2.0).unwrap(),
        &[(1, 4.0 / n), (2, 2.0 / n), (4, 2.0 / n), (0, 2f64.sqrt() / n), (3, 1.0 / n)],
    );
    assert_eq!(parts().temperature(1.0).unwrap(), parts());
}

#[test]
fn a_tiny_temperature_leaves_only_the_most_likely_id() {
    let cold = parts().temperature(1e-300).unwrap();
    assert_eq!(table(&cold)[..2], [(1, 1.0), (2, 0.0)]);
    assert_eq!([0.0, 0.5, 1.0 - f64::EPSILON / 2.0].map(|unit| cold.at(unit)), [1, 1, 1]);
    assert_eq!(cold.entropy(), 0.0);
}

#[test]
fn top_k_keeps_the_lower_id_of_two_equals_at_the_border() {
    assert_table(&parts().top_k(2).unwrap(), &[(1, 16.0 / 20.0), (2, 4.0 / 20.0)]);
    assert_eq!(table(&parts().top_k(1).unwrap()), [(1, 1.0)]);
    assert_eq!(parts().top_k(5).unwrap(), parts());
    assert_eq!(parts().top_k(99).unwrap(), parts());
}

#[test]
fn top_p_keeps_the_id_that_crosses_and_no_more() {
    // Sums of the ranked probabilities: 16, 20, 24, 26, 27 of 27.
    for (p, kept) in [(1e-9, 1), (0.59, 1), (0.6, 2), (0.75, 3), (0.9, 4), (0.97, 5), (1.0, 5)] {
        assert_eq!(parts().top_p(p).unwrap().candidates().len(), kept, "{p}");
    }
    // Four equal ids: two of them reach exactly one half.
    let equal = Distribution::from_logits(&[7.0; 4]).unwrap();
    assert_eq!(table(&equal.top_p(0.5).unwrap()), [(0, 0.5), (1, 0.5)]);
}

#[test]
fn filters_work_on_what_the_filter_before_left() {
    // After top-k 2 the first id has 16 of 20, which alone reaches 0.75; of all 27 it would not.
    assert_eq!(table(&parts().top_k(2).unwrap().top_p(0.75).unwrap()), [(1, 1.0)]);
    assert_eq!(parts().top_p(0.75).unwrap().top_k(2).unwrap().candidates().len(), 2);
}

#[test]
fn points_of_the_unit_interval_fall_on_the_ranked_ids() {
    // Halves, a quarter and two eighths are exact.
    let d = Distribution::from_logits(&[1.0, 1.0, 4.0, 2.0].map(|x: f64| libm::log(x))).unwrap();
    assert_table(&d, &[(2, 0.5), (3, 0.25), (0, 0.125), (1, 0.125)]);
    let ids = [0.0, 0.49, 0.51, 0.74, 0.76, 0.87, 0.88, 0.999_999].map(|unit| d.at(unit));
    assert_eq!(ids, [2, 2, 3, 3, 0, 0, 1, 1]);
}

#[test]
fn entropy_of_equal_ids_is_the_logarithm_of_their_number() {
    let equal = Distribution::from_logits(&[3.0_f32; 8]).unwrap();
    assert!((equal.entropy() - 8f64.ln()).abs() < 1e-15);
}

#[test]
fn logits_that_are_no_distribution_are_refused_by_id() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    for (logits, id) in
        [(&[0.0, nan, inf][..], 1), (&[inf, nan], 0), (&[-inf, -inf], 0), (&[nan], 0), (&[], 0)]
    {
        let error = Distribution::from_logits(logits).unwrap_err();
        assert!(matches!(error, ModelError::Logits { id: i, .. } if i == id), "{error}");
    }
    let masked = Distribution::from_logits(&[-inf, 1.0, -inf]).unwrap();
    assert_eq!(table(&masked), [(1, 1.0), (0, 0.0), (2, 0.0)]);
    assert_eq!(masked.at(1.0 - f64::EPSILON / 2.0), 1);
}

#[test]
fn settings_that_cannot_be_are_refused_by_name() {
    let name = |result: Result<Distribution, ModelError>| match result.unwrap_err() {
        ModelError::InvalidConfig { field, .. } => field,
        other => panic!("{other}"),
    };
    for x in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(name(parts().temperature(x)), "temperature");
    }
    for x in [0.0, -0.1, 1.1, f64::NAN] {
        assert_eq!(name(parts().top_p(x)), "top_p");
    }
    assert_eq!(name(parts().top_k(0)), "top_k");
}

/// The number of times that each id comes in n draws has mean n p and variance n p (1 - p).
fn assert_frequencies(distribution: &Distribution, seed: u64, draws: u32) {
    let mut stream = SplitMix64::new(seed);
    let mut counts = std::collections::HashMap::new();
    for _ in 0..draws {
        *counts.entry(distribution.at(stream.unit())).or_insert(0_u32) += 1;
    }
    let n = f64::from(draws);
    for candidate in distribution.candidates() {
        let p = candidate.probability;
        let count = f64::from(counts.remove(&candidate.id).unwrap_or(0));
        let standard_error = (n * p * (1.0 - p)).sqrt();
        let distance = (count - n * p).abs();
        assert!(distance <= 4.0 * standard_error, "{candidate:?} came {count} times of {n}");
    }
    assert!(counts.is_empty(), "ids that had been filtered out: {counts:?}");
}

#[test]
fn frequencies_are_within_four_standard_errors_of_the_probabilities() {
    let filtered = [
        parts(),
        parts().temperature(0.5).unwrap(),
        parts().temperature(3.0).unwrap(),
        parts().top_k(3).unwrap(),
        parts().top_p(0.9).unwrap(),
        parts().temperature(2.0).unwrap().top_k(4).unwrap().top_p(0.8).unwrap(),
    ];
    for (seed, distribution) in (1..).zip(&filtered) {
        assert_frequencies(distribution, seed, 100_000);
    }
}

proptest! {
    #[test]
    fn filters_keep_a_beginning_of_the_ranks_with_probabilities_that_sum_to_one(
        logits in prop::collection::vec(prop_oneof![-8.0..8.0_f64, Just(1.0), Just(-1e4)], 1..60),
        temperature in 0.05..20.0_f64,
        k in 1_usize..70,
        p in 0.01..=1.0_f64,
    ) {
        let all = Distribution::from_logits(&logits).unwrap();
        let warm = all.clone().temperature(temperature).unwrap();
        let top = warm.clone().top_k(k).unwrap();
        let nucleus = top.clone().top_p(p).unwrap();
        prop_assert_eq!(top.candidates().len(), k.min(logits.len()));
        for d in [&all, &warm, &top, &nucleus] {
            let sum: f64 = d.candidates().iter().map(|c| c.probability).sum();
            prop_assert!((sum - 1.0).abs() < 1e-12);
            let ids = d.candidates().iter().map(|c| c.id);
            prop_assert!(ids.eq(all.candidates().iter().take(d.candidates().len()).map(|c| c.id)));
        }
        // As few as possible: without its last id, the nucleus would not reach p.
        let mass = |count: usize| -> f64 {
            top.candidates()[..count].iter().map(|c| c.probability).sum()
        };
        let kept = nucleus.candidates().len();
        prop_assert!(kept == k.min(logits.len()) || mass(kept) >= p);
        prop_assert!(p == 1.0 || kept == 1 || mass(kept - 1) < p);
    }
}
