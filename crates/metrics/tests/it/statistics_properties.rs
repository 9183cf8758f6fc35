//! What every standard error owes its reader: it shrinks with the items, and with nothing else.

use llm_metrics::{
    BootstrapPlan, Choice, McNemar, PairedDifference, Proportion, bootstrap_ratio, clustered_mean,
    mean_estimate,
};
use proptest::prelude::*;

/// Values that are not all nearly equal.
fn values() -> impl Strategy<Value = Vec<f64>> {
    let spread = |values: &Vec<f64>| mean_estimate(values).unwrap().standard_error.unwrap() > 1e-3;
    prop::collection::vec(-10.0..10.0_f64, 3..40).prop_filter("some spread", spread)
}

fn scores_and_order() -> impl Strategy<Value = (Vec<i32>, Vec<usize>)> {
    prop::collection::vec(-4..4, 1..8).prop_flat_map(|scores| {
        let places: Vec<usize> = (0..scores.len()).collect();
        (Just(scores), Just(places).prop_shuffle())
    })
}

proptest! {
    #[test]
    fn a_standard_error_shrinks_with_the_root_of_the_items(values in values(), copies in 2_usize..9) {
        let single = mean_estimate(&values).unwrap().standard_error.unwrap();
        let many = mean_estimate(&values.repeat(copies)).unwrap().standard_error.unwrap();
        // The same spread over c n items: divisor c n (c n - 1) for c times the squares.
        let (n, c) = (values.len() as f64, copies as f64);
        let expected = single * ((n - 1.0) / (c * n - 1.0)).sqrt();
        prop_assert!((many / expected - 1.0).abs() < 1e-12);
        prop_assert!(many < single);
    }

    #[test]
    fn copies_of_items_in_their_own_group_change_no_grouped_error(
        values in values(), copies in 1_usize..6,
    ) {
        let groups: Vec<usize> = (0..values.len()).collect();
        let single = clustered_mean(&values, &groups).unwrap().standard_error.unwrap();
        let copied = clustered_mean(&values.repeat(copies), &groups.repeat(copies)).unwrap();
        prop_assert!((copied.standard_error.unwrap() / single - 1.0).abs() < 1e-12);
    }

    #[test]
    fn items_and_names_of_groups_can_be_reordered(
        items in prop::collection::vec((-9.0..9.0_f64, 0_u8..5), 2..30),
    ) {
        let (values, groups): (Vec<f64>, Vec<u8>) = items.iter().copied().unzip();
        let (backwards, renamed): (Vec<f64>, Vec<u8>) =
            items.iter().rev().map(|&(value, group)| (value, 9 - group)).unzip();
        let found = clustered_mean(&backwards, &renamed).unwrap();
        prop_assert_eq!(found, clustered_mean(&values, &groups).unwrap());
    }

    #[test]
    fn shifting_and_scaling_the_scores_does_the_same_to_the_difference(
        pairs in prop::collection::vec((-9_i32..9, -9_i32..9), 2..30), shift in -50_i32..50,
    ) {
        let numbers = |by: i32, scale: f64| -> (Vec<f64>, Vec<f64>) {
            pairs.iter().map(|&(a, b)| (scale * f64::from(a + by), scale * f64::from(b + by))).unzip()
        };
        let of = |(a, b): (Vec<f64>, Vec<f64>)| PairedDifference::of(&a, &b).unwrap();
        let plain = of(numbers(0, 1.0));
        prop_assert_eq!(of(numbers(shift, 1.0)), plain); // whole numbers: exact
        let halved = of(numbers(0, 0.5));
        prop_assert_eq!(halved.difference(), 0.5 * plain.difference());
        prop_assert_eq!(halved.z(), plain.z());
    }

    #[test]
    fn wilson_intervals_hold_the_share_and_narrow_with_the_items(
        (successes, items) in (1_usize..500).prop_flat_map(|items| (0..=items, Just(items))),
        confidence in 0.5..0.999_f64,
    ) {
        let interval = Proportion::new(successes, items).unwrap().wilson_interval(confidence).unwrap();
        let share = successes as f64 / items as f64;
        prop_assert!(0.0 <= interval.lower && interval.upper <= 1.0);
        prop_assert!(interval.lower <= share + 1e-15 && share <= interval.upper + 1e-15);
        let wider = Proportion::new(successes, items).unwrap().wilson_interval(0.9999).unwrap();
        prop_assert!(wider.lower <= interval.lower && interval.upper <= wider.upper);
        let more = Proportion::new(4 * successes, 4 * items).unwrap();
        let narrower = more.wilson_interval(confidence).unwrap();
        prop_assert!(narrower.upper - narrower.lower < interval.upper - interval.lower);
        // Failures are successes of the other outcome.
        let mirrored = Proportion::new(items - successes, items).unwrap();
        let mirrored = mirrored.wilson_interval(confidence).unwrap();
        prop_assert!((1.0 - mirrored.upper - interval.lower).abs() < 1e-14);
    }

    #[test]
    fn mcnemar_is_symmetric_and_falls_with_the_imbalance(b in 0_usize..200, c in 0_usize..200) {
        let p = McNemar { only_first: b, only_second: c }.p_value();
        prop_assert!(p > 0.0 && p <= 1.0);
        prop_assert_eq!(McNemar { only_first: c, only_second: b }.p_value(), p);
        let (fewer, more) = (b.min(c), b.max(c));
        if fewer > 0 {
            let clearer = McNemar { only_first: fewer - 1, only_second: more + 1 }.p_value();
            prop_assert!(clearer < p, "{clearer} {p}");
        }
    }

    #[test]
    fn listing_options_in_another_order_changes_no_credit((scores, order) in scores_and_order()) {
        let numbers = |scores: Vec<i32>| scores.into_iter().map(f64::from).collect::<Vec<f64>>();
        let listed = Choice::among(&numbers(scores.clone())).unwrap();
        let shuffled = order.iter().map(|&option| scores[option]).collect();
        let shuffled = Choice::among(&numbers(shuffled)).unwrap();
        prop_assert_eq!(listed.tie_count(), shuffled.tie_count());
        let mut total = 0.0;
        for (place, &option) in order.iter().enumerate() {
            prop_assert_eq!(shuffled.credit(place), listed.credit(option));
            total += listed.credit(option).unwrap();
        }
        prop_assert!((total - 1.0).abs() < 1e-15, "one answer is right, so all credits sum to one");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// More resamples estimate the same number; they do not make it smaller.
    #[test]
    fn a_bootstrap_error_shrinks_with_documents_and_never_with_resamples(
        totals in prop::collection::vec(1.0..9.0_f64, 8..20), seed in any::<u64>(),
    ) {
        let run = |totals: &[f64], resample_count| {
            let plan = BootstrapPlan { seed, resample_count, confidence: 0.9 };
            bootstrap_ratio(totals, &vec![1.0; totals.len()], plan).unwrap()
        };
        // For a mean the exact bootstrap error is known: sqrt(sum of squares) / m.
        let mean = totals.iter().sum::<f64>() / totals.len() as f64;
        let squares: f64 = totals.iter().map(|x| (x - mean) * (x - mean)).sum();
        let exact = squares.sqrt() / totals.len() as f64;
        for resample_count in [500, 5_000] {
            let found = run(&totals, resample_count);
            let relative_error = (0.5 / resample_count as f64).sqrt();
            let off = found.standard_error / exact - 1.0;
            prop_assert!(off.abs() < 6.0 * relative_error, "{off} with {resample_count}");
            prop_assert_eq!(found.cluster_count, totals.len());
            prop_assert!(found.interval.lower <= found.interval.upper);
        }
        let ninefold = run(&totals.repeat(9), 1_000);
        prop_assert!((3.0 * ninefold.standard_error / exact - 1.0).abs() < 6.0 * 0.0224);
    }
}
