//! Unit tests of the n-grams: values by hand, a slow reading of the formulas, rows, refusals.

use super::*;
use crate::BigramModel;
use llm_corpus::Partition;
use llm_metrics::ExactSum;
use proptest::prelude::*;

fn document(ids: &[TokenId]) -> EncodedDocument {
    EncodedDocument::from_ids("essay", Partition::Train, ids.to_vec()).unwrap()
}

fn fit(vocab_size: usize, order: usize, smoothing: Smoothing, ids: &[&[TokenId]]) -> NgramModel {
    let documents: Vec<_> = ids.iter().map(|ids| document(ids)).collect();
    NgramModel::fit(vocab_size, order, smoothing, &documents).unwrap()
}

fn close(given: f64, expected: f64) {
    assert!((given - expected).abs() < 1e-15, "{given}, expected {expected}");
}

#[test]
fn uniform_needs_no_documents_and_a_unigram_counts_targets_only() {
    assert_eq!(NgramModel::uniform(56).unwrap().probability(&[], 55).unwrap(), 1.0 / 56.0);
    // Targets 2, 2, 1 of V = 4: the start token 0 is never one.
    let unigram = fit(4, 1, Smoothing::AddK { k: 0.5 }, &[&[0, 2, 2, 1]]);
    for (next, expected) in [(0, 0.5 / 5.0), (1, 1.5 / 5.0), (2, 2.5 / 5.0), (3, 0.5 / 5.0)] {
        assert_eq!(unigram.probability(&[3], next).unwrap(), expected);
    }
}

#[test]
fn interpolation_gives_the_fractions_worked_out_by_hand() {
    // V = 4, strength 3; targets 2, 2, 1. P1(2) = (2 + 3/4) / 6 = 11/24, P1(1) = (1 + 3/4) / 6 = 7/24.
    // After 2 came 2 and 1, once each: P2(2 | 2) = (1 + 3 * 11/24) / 5 = 19/40.
    let model = fit(4, 2, Smoothing::Interpolated { strength: 3.0 }, &[&[0, 2, 2, 1]]);
    close(model.probability(&[], 2).unwrap(), 11.0 / 24.0);
    close(model.probability(&[2], 2).unwrap(), 19.0 / 40.0);
    close(model.probability(&[2], 1).unwrap(), (1.0 + 7.0 / 8.0) / 5.0);
    close(model.probability(&[3], 1).unwrap(), 7.0 / 24.0); // 3 never seen: all from below
}

#[test]
fn kneser_ney_counts_different_predecessors_below_the_longest_context() {
    // 3 came after 2 and after 4; 1 came twice, but only after 3. V = 5, D = 1/2.
    // Predecessors: 1 has 1, 2 has 1, 3 has 2, 4 has 1; 5 in all, 4 kinds.
    // P1(w) = (max(n - 1/2, 0) + 1/2 * 4 * 1/5) / 5.
    let smoothing = Smoothing::KneserNey { discount: 0.5 };
    let model = fit(5, 2, smoothing, &[&[0, 2, 3, 1], &[0, 4, 3, 1]]);
    for (next, expected) in [(0, 0.08), (1, 0.18), (2, 0.18), (3, 0.38), (4, 0.18)] {
        close(model.probability(&[], next).unwrap(), expected);
    }
    close(model.probability(&[3], 1).unwrap(), (1.5 + 0.5 * 0.18) / 2.0);
    close(model.probability(&[3], 0).unwrap(), (0.5 * 0.08) / 2.0);
    close(model.probability(&[2], 3).unwrap(), 0.5 + 0.5 * 0.38);

    // Absolute discounting goes by frequency: 3 and 1 are equally likely guesses.
    let plain = fit(
        5,
        2,
        Smoothing::AbsoluteDiscounting { discount: 0.5 },
        &[&[0, 2, 3, 1], &[0, 4, 3, 1]],
    );
    assert_eq!(plain.probability(&[], 3).unwrap(), plain.probability(&[], 1).unwrap());
    close(plain.probability(&[], 3).unwrap(), (1.5 + 0.5 * 4.0 / 5.0) / 6.0);
}

#[test]
fn each_document_that_begins_with_an_ngram_counts_for_it() {
    // Nothing stands before `0 2`, so its three sightings are three; `4 2` had 3 in front, twice.
    let smoothing = Smoothing::KneserNey { discount: 0.5 };
    let model = fit(6, 3, smoothing, &[&[0, 2], &[0, 2], &[0, 2, 3, 4, 2, 3, 4, 2], &[0, 5]]);
    let unigram = |next| model.probability(&[], next).unwrap();
    close(model.probability(&[0], 2).unwrap(), (2.5 + 0.5 * 2.0 * unigram(2)) / 4.0);
    close(model.probability(&[4], 2).unwrap(), 0.5 + 0.5 * unigram(2));
}

#[test]
fn no_ngram_joins_two_documents() {
    let smoothing = Smoothing::AbsoluteDiscounting { discount: 0.5 };
    let model = fit(4, 3, smoothing, &[&[0, 2, 1], &[0, 3, 1]]);
    let seen = |ngram: &[TokenId]| {
        let (next, context) = ngram.split_last().unwrap();
        model.counts[ngram.len() - 1].get(context).is_some_and(|row| row.count(*next) > 0)
    };
    assert!(seen(&[0, 2, 1]) && seen(&[0, 3, 1]));
    assert!(!seen(&[1, 0]) && !seen(&[2, 1, 0]) && !seen(&[1, 0, 3]));
    assert_eq!(model.ngram_count(), 3 + 4 + 2); // 2 3 1; 02 21 03 31; 021 031
}

#[test]
fn ngrams_end_in_scored_targets_only() {
    // Two windows over 0 2 2 3; the second repeats `2 2` as context only.
    let smoothing = Smoothing::AddK { k: 1.0 };
    let second = document(&[2, 2, 3]).with_scored(vec![false, true]).unwrap();
    let model = NgramModel::fit(4, 2, smoothing, &[document(&[0, 2, 2]), second]).unwrap();
    assert_eq!(model.probability(&[2], 2).unwrap(), 2.0 / 6.0); // `2 2` once, `2 3` once
}

#[test]
fn settings_that_make_no_distributions_are_refused_by_name() {
    let documents = [document(&[0, 2, 1])];
    for (setting, vocab_size, order, smoothing) in [
        ("vocab_size", 0, 2, Smoothing::AddK { k: 1.0 }),
        ("order", 4, MAX_ORDER + 1, Smoothing::AddK { k: 1.0 }),
        ("k", 4, 2, Smoothing::AddK { k: 0.0 }),
        ("k", 4, 2, Smoothing::AddK { k: f64::NAN }),
        ("strength", 4, 2, Smoothing::Interpolated { strength: f64::INFINITY }),
        ("discount", 4, 2, Smoothing::AbsoluteDiscounting { discount: 0.0 }),
        ("discount", 4, 2, Smoothing::KneserNey { discount: 1.0 }),
    ] {
        let error = NgramModel::fit(vocab_size, order, smoothing, &documents).unwrap_err();
        assert!(
            matches!(&error, BaselineError::Setting { setting: s, .. } if *s == setting),
            "{error}"
        );
    }
    assert!(NgramModel::uniform(0).is_err());
}

#[test]
fn documents_and_ids_are_refused_as_by_the_bigram() {
    let smoothing = Smoothing::KneserNey { discount: 0.75 };
    assert_eq!(NgramModel::fit(4, 3, smoothing, &[]), Err(BaselineError::NoTrainingDocuments));
    let test = EncodedDocument::from_ids("essay", Partition::Test, vec![0, 1]).unwrap();
    let refused = NgramModel::fit(4, 3, smoothing, &[test]);
    assert!(matches!(refused, Err(BaselineError::NotForTraining { .. })));
    let refused = NgramModel::fit(4, 3, smoothing, &[document(&[0, 4])]);
    assert!(matches!(refused, Err(BaselineError::DocumentOutsideVocabulary { position: 1, .. })));

    let model = fit(4, 2, smoothing, &[&[0, 2, 1]]);
    let unknown = Err(BaselineError::IdOutsideVocabulary { id: 4, vocab_size: 4 });
    assert_eq!(model.probability(&[0], 4), unknown);
    assert_eq!(model.probability(&[4, 0], 2), unknown); // even where it would not matter
    assert_eq!(model.fill_row(&[4, 0], &mut [0.0; 4]), unknown.map(|_| ()));
}

#[test]
fn identities_tell_kind_constants_vocabulary_and_single_counts_apart() {
    let texts: [&[TokenId]; 2] = [&[0, 2, 3, 1], &[0, 3, 1]];
    let kneser_ney = Smoothing::KneserNey { discount: 0.75 };
    let identity = |model: NgramModel| model.identity();
    let base = identity(fit(4, 3, kneser_ney, &texts));
    assert!(base.starts_with("3-gram-kneser-ney-0.75 sha256:"), "{base}");
    assert_eq!(base.len(), "3-gram-kneser-ney-0.75 sha256:".len() + 64);
    assert_eq!(identity(fit(4, 3, kneser_ney, &[texts[1], texts[0]])), base);
    let others = [
        identity(fit(5, 3, kneser_ney, &texts)),
        identity(fit(4, 2, kneser_ney, &texts)),
        identity(fit(4, 3, Smoothing::KneserNey { discount: 0.7 }, &texts)),
        identity(fit(4, 3, Smoothing::AbsoluteDiscounting { discount: 0.75 }, &texts)),
        identity(fit(4, 3, kneser_ney, &[texts[0], texts[1], texts[1]])),
        identity(NgramModel::uniform(4).unwrap()),
    ];
    assert!(others.iter().all(|other| *other != base));
}

fn smoothings() -> impl Strategy<Value = Smoothing> {
    prop_oneof![
        (0.01f64..3.0).prop_map(|k| Smoothing::AddK { k }),
        (0.01f64..9.0).prop_map(|strength| Smoothing::Interpolated { strength }),
        (0.01f64..0.99).prop_map(|discount| Smoothing::AbsoluteDiscounting { discount }),
        (0.01f64..0.99).prop_map(|discount| Smoothing::KneserNey { discount }),
    ]
}

const VOCAB_SIZE: usize = 5;

fn ids() -> impl Strategy<Value = Vec<TokenId>> {
    prop::collection::vec(0..VOCAB_SIZE as TokenId, 2..14)
}

fn documents() -> impl Strategy<Value = Vec<EncodedDocument>> {
    prop::collection::vec(ids().prop_map(|ids| document(&ids)), 1..6)
}

/// The formulas as they stand in the documentation, every count by reading all documents again.
fn by_reading_again(
    documents: &[EncodedDocument],
    order: usize,
    smoothing: Smoothing,
    context: &[TokenId],
    next: TokenId,
) -> f64 {
    let count = |w: TokenId| -> f64 {
        let ngram = [context, &[w]].concat();
        let mut starts = 0;
        let mut in_front: Vec<TokenId> = Vec::new();
        for ids in documents.iter().map(EncodedDocument::ids) {
            for (start, _) in ids.windows(ngram.len()).enumerate().filter(|(_, x)| *x == ngram) {
                match start {
                    0 if ngram.len() == 1 => {} // the first id is no target
                    0 => starts += 1,
                    _ => in_front.push(ids[start - 1]),
                }
            }
        }
        if matches!(smoothing, Smoothing::KneserNey { .. }) && context.len() + 1 < order {
            in_front.sort_unstable();
            in_front.dedup();
        }
        (starts + in_front.len()) as f64
    };
    let all: Vec<f64> = (0..VOCAB_SIZE as TokenId).map(count).collect();
    let total: f64 = all.iter().sum();
    let kinds = all.iter().filter(|&&c| c > 0.0).count() as f64;
    let shorter = || match context {
        _ if matches!(smoothing, Smoothing::AddK { .. }) => f64::NAN,
        [] => 1.0 / VOCAB_SIZE as f64,
        [_, rest @ ..] => by_reading_again(documents, order, smoothing, rest, next),
    };
    let seen = count(next);
    match smoothing {
        Smoothing::AddK { k } => (seen + k) / (total + k * VOCAB_SIZE as f64),
        _ if total == 0.0 => shorter(),
        Smoothing::Interpolated { strength } => (seen + strength * shorter()) / (total + strength),
        Smoothing::AbsoluteDiscounting { discount } | Smoothing::KneserNey { discount } => {
            (seen - discount).max(0.0) / total + discount * kinds / total * shorter()
        }
    }
}

proptest! {
    #[test]
    fn rows_sum_to_one_after_any_history_and_agree_with_single_probabilities(
        documents in documents(),
        order in 0usize..6,
        smoothing in smoothings(),
        history in prop::collection::vec(0..VOCAB_SIZE as TokenId, 0..8),
    ) {
        let model = NgramModel::fit(VOCAB_SIZE, order, smoothing, &documents).unwrap();
        let mut row = [f64::NAN; VOCAB_SIZE];
        model.fill_row(&history, &mut row).unwrap();
        prop_assert!((row.into_iter().collect::<ExactSum>().value() - 1.0).abs() < 1e-12);
        for (next, p) in row.into_iter().enumerate() {
            prop_assert!(p > 0.0);
            prop_assert_eq!(model.probability(&history, next as TokenId).unwrap(), p);
        }
    }

    #[test]
    fn probabilities_are_those_of_the_formulas(
        documents in documents(),
        order in 1usize..5,
        smoothing in smoothings(),
        history in prop::collection::vec(0..VOCAB_SIZE as TokenId, 0..6),
        next in 0..VOCAB_SIZE as TokenId,
    ) {
        let model = NgramModel::fit(VOCAB_SIZE, order, smoothing, &documents).unwrap();
        let context = &history[history.len().saturating_sub(order - 1)..];
        let expected = by_reading_again(&documents, order, smoothing, context, next);
        let given = model.probability(&history, next).unwrap();
        prop_assert!((given - expected).abs() < 1e-14, "{} {}", given, expected);
    }

    #[test]
    fn order_two_with_one_added_is_the_bigram_bit_for_bit(documents in documents()) {
        let ngram = NgramModel::fit(VOCAB_SIZE, 2, Smoothing::AddK { k: 1.0 }, &documents).unwrap();
        let bigram = BigramModel::fit(VOCAB_SIZE, &documents).unwrap();
        let (mut left, mut right) = ([0.0; VOCAB_SIZE], [0.0; VOCAB_SIZE]);
        for previous in 0..VOCAB_SIZE as TokenId {
            ngram.fill_row(&[previous], &mut left).unwrap();
            bigram.fill_row(&[previous], &mut right).unwrap();
            prop_assert_eq!(left, right);
            for next in 0..VOCAB_SIZE as TokenId {
                prop_assert_eq!(bigram.probability(previous, next).unwrap(), right[next as usize]);
            }
        }
    }

    #[test]
    fn the_order_of_documents_changes_nothing(
        mut documents in documents(),
        order in 0usize..5,
        smoothing in smoothings(),
    ) {
        let model = NgramModel::fit(VOCAB_SIZE, order, smoothing, &documents).unwrap();
        documents.reverse();
        prop_assert_eq!(NgramModel::fit(VOCAB_SIZE, order, smoothing, &documents).unwrap(), model);
    }
}
