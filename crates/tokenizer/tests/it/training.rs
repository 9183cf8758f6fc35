//! What is learned from which text.

use llm_tokenizer::{
    LearnedMerge, Pretokenizer, Tokenizer, TokenizerError, TrainingConfig, WeightedDocument, train,
    train_by_recounting,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::strategies::repetitive_text;

fn config(merges: usize) -> TrainingConfig {
    TrainingConfig { merges, minimum_count: 1, pretokenizer: Pretokenizer::None }
}

/// Trains with both trainers, demands the same answer, and returns (left, right, count).
fn learn(documents: &[(&str, u64)], config: &TrainingConfig) -> Vec<(u32, u32, u64)> {
    let documents: Vec<_> = documents
        .iter()
        .map(|(text, weight)| WeightedDocument { text: text.as_bytes(), weight: *weight })
        .collect();
    let learned = train(&documents, config).unwrap();
    assert_eq!(learned, train_by_recounting(&documents, config).unwrap());
    for (rank, step) in (0..).zip(&learned) {
        assert_eq!(step.merge.id, 258 + rank);
    }
    learned.iter().map(|l| (l.merge.left, l.merge.right, l.count)).collect()
}

fn tokenizer(learned: &[LearnedMerge], pretokenizer: Pretokenizer) -> Tokenizer {
    Tokenizer::from_training(learned, pretokenizer).unwrap()
}

#[test]
fn the_worked_example_learns_ab_then_ac() {
    // ids: a = 99, b = 100, c = 101.
    // abab has the pairs ab, ba, ab; abac has ab, ba, ac. So ab: 3, ba: 2, ac: 1.
    // Afterwards the documents are [258, 258] and [258, 99, 101], with three pairs that stand
    // once each: (258, 258), (258, 99) and (99, 101). The smallest is (99, 101).
    // Then [258, 258] and [258, 259], again once each: (258, 258) is the smaller one.
    let learned = learn(&[("abab", 1), ("abac", 1)], &config(3));
    assert_eq!(learned, [(99, 100, 3), (99, 101, 1), (258, 258, 1)]);
}

#[test]
fn held_out_text_is_encoded_with_the_learned_merges() {
    let documents = [WeightedDocument::once(b"abab"), WeightedDocument::once(b"abac")];
    let learned = train(&documents, &config(2)).unwrap();
    assert_eq!(tokenizer(&learned, Pretokenizer::None).encode(b"acac").unwrap(), [259, 259]);
}

#[test]
fn overlapping_pairs_count_and_replacement_is_leftmost() {
    // aaa has the pair aa twice. Replaced from the left it is [258, 99], not [99, 258].
    assert_eq!(learn(&[("aaa", 1)], &config(2)), [(99, 99, 2), (258, 99, 1)]);
    // aaaaa: four times; then [258, 258, 99] has (258, 99) and (258, 258) once each.
    assert_eq!(learn(&[("aaaaa", 1)], &config(2)), [(99, 99, 4), (258, 99, 1)]);
}

#[test]
fn ties_go_to_the_smallest_left_then_right_id() {
    assert_eq!(learn(&[("ba", 1), ("ab", 1)], &config(1)), [(99, 100, 1)]);
    assert_eq!(learn(&[("ac", 1), ("ab", 1)], &config(1)), [(99, 100, 1)]);
}

#[test]
fn pairs_do_not_cross_documents() {
    assert_eq!(learn(&[("a", 1), ("b", 1), ("a", 1), ("b", 1)], &config(5)), []);
}

#[test]
fn pairs_do_not_cross_pieces() {
    let gpt2 = TrainingConfig { pretokenizer: Pretokenizer::Gpt2, ..config(5) };
    assert_eq!(learn(&[("a1a1a1", 1)], &gpt2), []);
    // With the space before it, a word is one piece: " a" three times.
    assert_eq!(learn(&[("1 a a1 a", 1)], &gpt2), [(34, 99, 3)]);
}

#[test]
fn a_weight_counts_like_copies() {
    assert_eq!(learn(&[("ab", 1), ("cd", 5)], &config(2)), [(101, 102, 5), (99, 100, 1)]);
    assert_eq!(learn(&[("ab", 0), ("cd", 1)], &config(2)), [(101, 102, 1)]);
}

#[test]
fn training_stops_when_no_pair_is_frequent_enough() {
    let at_least = |minimum_count| TrainingConfig { minimum_count, ..config(9) };
    let documents = [("abab", 1), ("abac", 1)];
    assert_eq!(learn(&documents, &at_least(4)), []);
    assert_eq!(learn(&documents, &at_least(2)), [(99, 100, 3)]);
    assert_eq!(learn(&[], &at_least(1)), []);
    // All six merges that there are: 6 tokens less than the 8 bytes, one per document.
    assert_eq!(learn(&documents, &at_least(0)).len(), 4);
}

#[test]
fn a_long_run_is_halved_at_every_step() {
    // 2^k tokens in a row are 2^k - 1 pairs, and one step makes 2^(k-1) tokens of them.
    let text = vec![b'a'; 1 << 20];
    let learned = train(&[WeightedDocument::once(&text)], &config(100)).unwrap();
    let counts: Vec<u64> = learned.iter().map(|step| step.count).collect();
    let expected: Vec<u64> = (1..=20).rev().map(|k| (1 << k) - 1).collect();
    assert_eq!(counts, expected);
}

#[test]
fn requests_that_would_overflow_are_refused() {
    let too_many = train(&[], &config(1 << 22)).unwrap_err();
    assert!(matches!(too_many, TokenizerError::TooLarge { given: 0x40_0000, .. }), "{too_many}");
    let heavy = [WeightedDocument { text: b"ab", weight: u64::MAX }];
    for trainer in [train, train_by_recounting] {
        let too_heavy = trainer(&heavy, &config(1)).unwrap_err();
        assert!(matches!(too_heavy, TokenizerError::TooLarge { limit: u64::MAX, .. }));
    }
}

fn weighted_texts() -> impl Strategy<Value = Vec<(Vec<u8>, u64)>> {
    vec((repetitive_text(), 0..4_u64), 0..6)
}

fn any_config() -> impl Strategy<Value = TrainingConfig> {
    let pretokenizer = prop::sample::select(vec![Pretokenizer::None, Pretokenizer::Gpt2]);
    (0..40_usize, 0..4_u64, pretokenizer).prop_map(|(merges, minimum_count, pretokenizer)| {
        TrainingConfig { merges, minimum_count, pretokenizer }
    })
}

fn weigh(texts: &[(Vec<u8>, u64)]) -> Vec<WeightedDocument<'_>> {
    texts.iter().map(|(text, weight)| WeightedDocument { text, weight: *weight }).collect()
}

proptest! {
    #[test]
    fn both_trainers_agree_at_every_rank(texts in weighted_texts(), config in any_config()) {
        let documents = weigh(&texts);
        prop_assert_eq!(
            train(&documents, &config).unwrap(),
            train_by_recounting(&documents, &config).unwrap()
        );
    }

    #[test]
    fn weights_are_copies_and_order_does_not_matter(
        texts in weighted_texts(),
        config in any_config(),
    ) {
        let copies: Vec<_> = texts
            .iter()
            .rev()
            .flat_map(|(text, weight)| (0..*weight).map(|_| WeightedDocument::once(text)))
            .collect();
        prop_assert_eq!(
            train(&weigh(&texts), &config).unwrap(),
            train(&copies, &config).unwrap()
        );
    }

    /// The encoder, which knows nothing of counts, puts the training text into the state that
    /// the trainer was in: there the next pair stands as often as the trainer says.
    #[test]
    fn encoded_training_text_has_the_next_pair_as_often_as_counted(
        mut texts in weighted_texts(),
        pretokenizer in prop::sample::select(vec![Pretokenizer::None, Pretokenizer::Gpt2]),
        rank in any::<prop::sample::Index>(),
    ) {
        texts.push((b"ab".to_vec(), 1)); // so that there is something to learn
        let config = TrainingConfig { pretokenizer, ..config(12) };
        let learned = train(&weigh(&texts), &config).unwrap();
        let rank = rank.index(learned.len());
        let (next, tokenizer) = (learned[rank], tokenizer(&learned[..rank], Pretokenizer::None));
        let mut count = 0;
        for (text, weight) in &texts {
            for piece in pretokenizer.pieces(text) {
                let ids = tokenizer.encode(piece).unwrap();
                let pair = [next.merge.left, next.merge.right];
                count += weight * ids.windows(2).filter(|ids| *ids == pair).count() as u64;
            }
        }
        prop_assert_eq!(count, next.count);
    }
}
