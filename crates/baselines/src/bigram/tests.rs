//! Unit tests of the add-one bigram: counts, rows, refusals.

use super::*;
use llm_corpus::Partition;
use llm_metrics::MetricError;
use proptest::prelude::*;

/// Ids of the byte-level vocabulary: start, end, then byte value + 2.
const BOS: TokenId = 0;
const EOS: TokenId = 1;
const A: TokenId = 99;
const B: TokenId = 100;
const V: usize = 266;

fn document(partition: Partition, ids: &[TokenId]) -> EncodedDocument {
    EncodedDocument::from_ids("essay", partition, ids.to_vec()).unwrap()
}

/// `aaab` and `aab`.
fn fitted() -> BigramModel {
    let documents = [[BOS, A, A, A, B, EOS].as_slice(), &[BOS, A, A, B, EOS]];
    BigramModel::fit(V, &documents.map(|ids| document(Partition::Train, ids))).unwrap()
}

#[test]
fn transitions_are_counted_inside_documents_only() {
    let model = fitted();
    assert_eq!(model.transitions(), 9);
    let seen = [(BOS, A, 2), (A, A, 3), (A, B, 2), (B, EOS, 2)];
    for (previous, next, count) in seen {
        assert_eq!(model.transition_count(previous, next), count, "{previous} -> {next}");
    }
    assert_eq!(model.counts().collect::<Vec<_>>(), seen); // so there are no others
    assert_eq!(model.transition_count(EOS, BOS), 0); // the pair that joining would make
    assert_eq!(model.context_count(EOS), 0);
}

#[test]
fn smoothed_rows_are_the_fractions_worked_out_by_hand() {
    let model = fitted();
    // C_BOS = 2, C_a = 5, C_b = 2; the denominators are these plus 266.
    for (previous, next, numerator, denominator) in [
        (BOS, A, 3.0, 268.0),
        (A, A, 4.0, 271.0),
        (A, B, 3.0, 271.0),
        (B, EOS, 3.0, 268.0),
        (BOS, B, 1.0, 268.0),
        (B, A, 1.0, 268.0),
        (EOS, BOS, 1.0, 266.0), // never left in training: uniform
    ] {
        assert_eq!(model.probability(previous, next).unwrap(), numerator / denominator);
    }
}

#[test]
fn only_scored_targets_are_counted() {
    // Two windows over BOS a a b; the second repeats `a a` as context only.
    let first = document(Partition::Train, &[BOS, A, A]);
    let second = document(Partition::Train, &[A, A, B]).with_scored(vec![false, true]).unwrap();
    let model = BigramModel::fit(V, &[first, second]).unwrap();
    assert_eq!(model.transitions(), 3);
    assert_eq!(model.transition_count(A, A), 1);
}

#[test]
fn documents_that_are_not_for_training_are_refused_by_name() {
    for partition in [Partition::Validation, Partition::Test] {
        let documents =
            [document(Partition::Train, &[BOS, A, EOS]), document(partition, &[BOS, EOS])];
        let refused = BigramModel::fit(V, &documents).unwrap_err();
        let expected = BaselineError::NotForTraining { document: "essay".into(), partition };
        assert_eq!(refused, expected);
        assert_eq!(
            refused.to_string(),
            format!(
                "document `essay` belongs to the {partition} partition, expected train: fit a \
                 baseline on training documents only"
            )
        );
    }
}

#[test]
fn nothing_to_count_is_refused() {
    assert_eq!(BigramModel::fit(V, &[]), Err(BaselineError::NoTrainingDocuments));
}

#[test]
fn ids_outside_the_vocabulary_are_refused_by_id_when_fitting() {
    // The last id of a document is never a context and the first never a target: both are checked.
    for (ids, position) in [(vec![7, 2], 0), (vec![2, 6, 7], 2), (vec![2, TokenId::MAX], 1)] {
        let id = ids[position];
        let refused = BigramModel::fit(7, &[document(Partition::Train, &ids)]);
        let document = "essay".into();
        let expected =
            BaselineError::DocumentOutsideVocabulary { document, position, id, vocab_size: 7 };
        assert_eq!(refused, Err(expected));
    }
    assert!(BigramModel::fit(7, &[document(Partition::Train, &[6, 6])]).is_ok());
}

#[test]
fn ids_outside_the_vocabulary_are_refused_by_id_when_scoring() {
    let model = fitted();
    for (previous, next, id) in [(266, A, 266), (A, 266, 266), (TokenId::MAX, 300, TokenId::MAX)] {
        let expected = BaselineError::IdOutsideVocabulary { id, vocab_size: V };
        assert_eq!(model.probability(previous, next), Err(expected.clone()));
        let pairs = [(BOS, A), (previous, next)];
        assert_eq!(score_bigram_transitions(&model, pairs), Err(expected));
    }
    assert!(model.probability(265, 265).is_ok());
}

#[test]
fn no_pairs_have_no_score() {
    let refused = score_bigram_transitions(&fitted(), []);
    assert_eq!(refused, Err(BaselineError::Metric(MetricError::NoTargets)));
}

#[test]
fn a_vocabulary_of_billions_costs_no_memory() {
    let largest = TokenId::MAX as usize; // a full table would need 2^64 cells
    let ids = [5, TokenId::MAX - 1, 5];
    let model = BigramModel::fit(largest, &[document(Partition::Train, &ids)]).unwrap();
    assert_eq!(model.probability(5, TokenId::MAX - 1).unwrap(), 2.0 / (1.0 + largest as f64));
    assert_eq!(model.rows.values().map(|row| row.counts.len()).sum::<usize>(), 2);
}

/// A vocabulary size and documents over it.
fn vocabulary_and_documents() -> impl Strategy<Value = (usize, Vec<EncodedDocument>)> {
    (2_usize..40).prop_flat_map(|vocab_size| {
        let ids = prop::collection::vec(0..vocab_size as TokenId, 2..12);
        let documents =
            prop::collection::vec(ids.prop_map(|ids| document(Partition::Train, &ids)), 1..8);
        (Just(vocab_size), documents)
    })
}

proptest! {
    #[test]
    fn rows_sum_to_one((vocab_size, documents) in vocabulary_and_documents()) {
        let model = BigramModel::fit(vocab_size, &documents).unwrap();
        let ids = 0..vocab_size as TokenId;
        for previous in ids.clone() {
            // Exactly, as fractions over C_u + V ..
            let seen: u64 = ids.clone().map(|next| model.transition_count(previous, next)).sum();
            prop_assert_eq!(seen, model.context_count(previous));
            // .. and as floats, each within one part in 2^53 of its fraction.
            let row: ExactSum =
                ids.clone().map(|next| model.probability(previous, next).unwrap()).collect();
            prop_assert!((row.value() - 1.0).abs() <= f64::EPSILON);
        }
    }

    #[test]
    fn counts_agree_with_looking_at_every_pair((vocab_size, documents) in vocabulary_and_documents()) {
        let model = BigramModel::fit(vocab_size, &documents).unwrap();
        for u in 0..vocab_size as TokenId {
            for v in 0..vocab_size as TokenId {
                let pairs = documents.iter().flat_map(|document| document.ids().windows(2));
                let seen = pairs.filter(|pair| *pair == [u, v]).count();
                prop_assert_eq!(model.transition_count(u, v), seen as u64);
            }
        }
    }

    #[test]
    fn the_order_of_documents_changes_nothing((vocab_size, mut documents) in vocabulary_and_documents()) {
        let model = BigramModel::fit(vocab_size, &documents).unwrap();
        documents.reverse();
        prop_assert_eq!(BigramModel::fit(vocab_size, &documents).unwrap(), model);
    }
}
