//! What holds for measures of any generated text.

use llm_metrics::{
    DistinctNgrams, MauvePlan, SplitMix64, divergence_frontier, k_means, longest_loop, mauve,
    unknown_words, words,
};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(0u8..4, 0..30), 1..6)
}

fn vectors(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<f64>>> {
    // Few different coordinates, so that equal vectors and ties are common.
    prop::collection::vec(prop::collection::vec((0i8..5).prop_map(f64::from), 3), count)
}

fn histogram() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(0u32..100, 4).prop_filter_map("a histogram needs a count", |counts| {
        let total: u32 = counts.iter().sum();
        (total > 0).then(|| counts.iter().map(|&c| f64::from(c) / f64::from(total)).collect())
    })
}

proptest! {
    #[test]
    fn distinct_ngrams_do_not_depend_on_the_order_of_samples_and_grow_with_n(
        samples in texts(), n in 1usize..5, seed in any::<u64>(),
    ) {
        let Ok(found) = DistinctNgrams::of(&samples, n) else {
            prop_assert!(samples.iter().all(|sample| sample.len() < n));
            return Ok(());
        };
        prop_assert!(1 <= found.distinct && found.distinct <= found.total);
        prop_assert!((found.distinct_share() + found.repeated_share() - 1.0).abs() < 1e-15);
        let mut shuffled = samples.clone();
        SplitMix64::new(seed).shuffle(&mut shuffled);
        prop_assert_eq!(DistinctNgrams::of(&shuffled, n), Ok(found));
        // A longer n-gram repeats only if its beginning does.
        if let Ok(longer) = DistinctNgrams::of(&samples, n + 1) {
            prop_assert!(longer.total - longer.distinct <= found.total - found.distinct);
        }
    }

    #[test]
    fn the_longest_loop_is_one_and_no_stretch_that_loops_is_longer(
        items in prop::collection::vec(0u8..3, 0..24),
    ) {
        let is_loop = |part: &[u8], period: usize| {
            part.len() >= 2 * period && part[period..] == part[..part.len() - period]
        };
        let longest = longest_loop(&items, items.len());
        if let Some(found) = longest {
            prop_assert!(is_loop(&items[found.start..found.start + found.len], found.period));
        }
        let limit = longest.map_or(0, |found| found.len);
        for start in 0..items.len() {
            for end in start + limit + 1..=items.len() {
                let part = &items[start..end];
                prop_assert!((1..=part.len()).all(|period| !is_loop(part, period)));
            }
        }
    }

    #[test]
    fn no_bytes_break_the_cut_into_words(text in prop::collection::vec(any::<u8>(), 0..60)) {
        let found: Vec<&[u8]> = words(&text).collect();
        prop_assert!(found.iter().all(|word| !word.is_empty() && !word[0].is_ascii_whitespace()));
        let known: BTreeSet<&[u8]> = found.iter().copied().collect();
        if let Ok(unknown) = unknown_words(found.iter().copied(), &known) {
            prop_assert_eq!((unknown.unknown, unknown.total), (0, found.len()));
        }
    }

    #[test]
    fn the_area_is_at_most_one_symmetric_and_one_for_equals(p in histogram(), q in histogram()) {
        let area = |p, q| divergence_frontier(p, q, 5.0).unwrap().area;
        let (pq, qp) = (area(&p, &q), area(&q, &p));
        prop_assert!(0.004 < pq && pq <= 1.0 + 1e-12, "{pq}");
        prop_assert!((pq - qp).abs() < 1e-12, "{pq} {qp}");
        prop_assert!((area(&p, &p) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_order_of_vectors_changes_no_bit_of_the_clustering(
        points in vectors(1..30), k in 1usize..6, seed in any::<u64>(), order in any::<u64>(),
    ) {
        let found = k_means(&points, k, seed).unwrap();
        prop_assert!(found.cluster_count <= k.min(points.len()));
        prop_assert!(found.assignments.iter().all(|&cluster| cluster < found.cluster_count));
        let mut places: Vec<usize> = (0..points.len()).collect();
        SplitMix64::new(order).shuffle(&mut places);
        let moved: Vec<Vec<f64>> = places.iter().map(|&place| points[place].clone()).collect();
        let again = k_means(&moved, k, seed).unwrap();
        prop_assert_eq!(again.squared_error.to_bits(), found.squared_error.to_bits());
        for (at, &place) in places.iter().enumerate() {
            prop_assert_eq!(again.assignments[at], found.assignments[place]);
        }
    }

    #[test]
    fn mauve_sees_sets_and_not_lists(
        p in vectors(1..20), q in vectors(1..20), seed in any::<u64>(), order in any::<u64>(),
    ) {
        let plan = MauvePlan { clusters: 4, scaling: 5.0, seed };
        let found = mauve(&p, &q, plan).unwrap();
        let mut moved = p.clone();
        SplitMix64::new(order).shuffle(&mut moved);
        prop_assert_eq!(mauve(&moved, &q, plan).unwrap().value().to_bits(), found.value().to_bits());
        prop_assert_eq!(mauve(&p, &p, plan).unwrap().value(), 1.0);
        prop_assert!((mauve(&q, &p, plan).unwrap().value() - found.value()).abs() < 1e-12);
    }
}
