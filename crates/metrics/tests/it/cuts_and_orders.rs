//! The promise of exact sums: neither order nor cut shows in the result.

use llm_metrics::{ExactSum, MetricSummary, score_assigned_probabilities};
use proptest::prelude::*;

/// Terms of every size and sign, finite or not, and a permutation of their places.
fn terms_and_order() -> impl Strategy<Value = (Vec<f64>, Vec<usize>)> {
    let term = prop_oneof![6 => any::<f64>(), 6 => -1e3..1e3, 1 => Just(f64::INFINITY)];
    prop::collection::vec(term, 1..40).prop_flat_map(|terms| {
        let places: Vec<usize> = (0..terms.len()).collect();
        (Just(terms), Just(places).prop_shuffle())
    })
}

/// The losses of one target each, and the places at which the list is cut into batches.
fn losses_and_cuts() -> impl Strategy<Value = (Vec<f64>, Vec<bool>)> {
    let loss = prop_oneof![8 => 0.0..12.0, 1 => 0.0..1e-12, 1 => 1e6..1e9];
    prop::collection::vec((loss, any::<bool>()), 1..60).prop_map(|pairs| pairs.into_iter().unzip())
}

/// Merges summaries from left to right.
fn merged(summaries: impl IntoIterator<Item = MetricSummary>) -> MetricSummary {
    let mut summaries = summaries.into_iter();
    let first = summaries.next().expect("at least one batch");
    summaries.fold(first, |left, right| left.merge(right).expect("few targets"))
}

/// Splits `losses` after every place where `cut_after` is true.
fn batches(losses: &[f64], cut_after: &[bool]) -> Vec<MetricSummary> {
    let mut batches = vec![vec![]];
    for (&loss, &cut) in losses.iter().zip(cut_after) {
        batches.last_mut().expect("never empty").push(loss);
        if cut {
            batches.push(vec![]);
        }
    }
    batches.retain(|batch| !batch.is_empty());
    batches.iter().map(|batch| MetricSummary::from_token_nlls(batch).expect("losses")).collect()
}

proptest! {
    #[test]
    fn any_order_gives_the_same_bits((terms, order) in terms_and_order()) {
        let forward: ExactSum = terms.iter().copied().collect();
        let shuffled: ExactSum = order.iter().map(|&place| terms[place]).collect();
        prop_assert_eq!(forward.value().to_bits(), shuffled.value().to_bits());
        prop_assert!(forward == shuffled || forward.value().is_nan());
    }

    #[test]
    fn any_split_into_merged_sums_gives_the_same_bits(
        (terms, order) in terms_and_order(),
        parts in 1_usize..6,
    ) {
        let whole: ExactSum = terms.iter().copied().collect();
        let mut partial = vec![ExactSum::new(); parts];
        for (term, place) in terms.iter().zip(&order) {
            partial[place % parts].add(*term);
        }
        let mut left_to_right = ExactSum::new();
        partial.iter().for_each(|part| left_to_right.merge(part));
        let mut right_to_left = ExactSum::new();
        partial.iter().rev().for_each(|part| right_to_left.merge(part));
        prop_assert_eq!(whole.value().to_bits(), left_to_right.value().to_bits());
        prop_assert_eq!(whole.value().to_bits(), right_to_left.value().to_bits());
    }

    #[test]
    fn a_summary_is_the_same_however_its_losses_were_batched((losses, cuts) in losses_and_cuts()) {
        let whole = MetricSummary::from_token_nlls(&losses).unwrap();
        let pieces = batches(&losses, &cuts);
        let backwards = merged(pieces.iter().rev().cloned());
        let forwards = merged(pieces);
        prop_assert_eq!(&forwards, &whole);
        prop_assert_eq!(&backwards, &whole);
        prop_assert_eq!(forwards.mean_nll().to_bits(), whole.mean_nll().to_bits());
    }

    #[test]
    fn probabilities_may_be_scored_together_or_apart(
        probabilities in prop::collection::vec(0.0..=1.0, 2..40),
        cut in any::<prop::sample::Index>(),
    ) {
        let cut = 1 + cut.index(probabilities.len() - 1);
        let (left, right) = probabilities.split_at(cut);
        let apart = merged([left, right].map(|part| score_assigned_probabilities(part).unwrap()));
        prop_assert_eq!(apart, score_assigned_probabilities(&probabilities).unwrap());
    }
}

/// Five documents of 1 to 5 targets, scored in batches of 1 to 5 documents: one mean, to the bit.
#[test]
fn five_documents_score_alike_at_every_batch_size() {
    // Losses for which plain addition gives several different totals (checked below).
    let documents: Vec<Vec<f64>> = (1..=5_u32)
        .map(|n| (0..n).map(|t| libm::log(1.0 + f64::from(7 * n + 3 * t) / 0.37)).collect())
        .collect();
    let whole = MetricSummary::from_token_nlls(&documents.concat()).unwrap();
    assert_eq!(whole.target_count(), 15);

    let mut plain_totals = vec![];
    for batch_size in 1..=5 {
        let batches = documents.chunks(batch_size).map(<[Vec<f64>]>::concat);
        plain_totals.push(batches.clone().map(|batch| batch.iter().sum::<f64>()).sum::<f64>());
        let summary = merged(batches.map(|batch| MetricSummary::from_token_nlls(&batch).unwrap()));
        assert_eq!(summary, whole, "batch size {batch_size}");
        assert_eq!(summary.mean_nll().to_bits(), whole.mean_nll().to_bits());
    }
    assert!(plain_totals.iter().any(|&total| total != plain_totals[0]), "{plain_totals:?}");
}
