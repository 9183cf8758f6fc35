//! Summary numbers against values worked out apart from the code.

use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_evaluation::{RecordSummary, ScoreError, TargetRecord, WindowRule, collect_records};
use proptest::prelude::*;
use serde::Deserialize;

use crate::models::framed;

/// Targets of one document: nats and bytes of each.
pub(crate) fn document(name: &str, targets: &[(f64, u64)]) -> Vec<TargetRecord> {
    let record = |(position, &(nats, bytes)): (usize, &(f64, u64))| TargetRecord {
        document: name.into(),
        position,
        token: 0,
        log_probability: -nats,
        bytes: Some(bytes),
        rank_best: 1,
        rank_worst: 1,
    };
    (1..).zip(targets).map(record).collect()
}

pub(crate) fn summary(records: Vec<TargetRecord>) -> RecordSummary {
    RecordSummary::from_records(records).unwrap()
}

fn close(given: f64, expected: f64, within: f64) {
    assert!((given - expected).abs() <= within, "{given}, expected {expected} within {within}");
}

#[derive(Deserialize)]
struct Numbers {
    bits_per_byte: Vec<BitsPerByte>,
    uniform: Vec<Uniform>,
}

#[derive(Deserialize)]
struct BitsPerByte {
    nats_per_token: f64,
    tokens: usize,
    bytes: u64,
    bits_per_byte: f64,
    within: f64,
}

#[derive(Deserialize)]
struct Uniform {
    vocab_size: usize,
    nats: f64,
    bits: f64,
    within: f64,
}

fn numbers() -> Numbers {
    serde_json::from_str(include_str!("../../testdata/numbers.json")).unwrap()
}

#[test]
fn bits_per_byte_turn_the_order_of_two_models_with_different_tokens_around() {
    for case in numbers().bits_per_byte {
        // All bytes on the first token: which token has them does not matter to the total.
        let mut targets = vec![(case.nats_per_token, 0); case.tokens];
        targets[0].1 = case.bytes;
        let summary = summary(document("d", &targets));
        close(summary.bits_per_byte().unwrap().unwrap(), case.bits_per_byte, case.within);
        close(summary.nats_per_token().unwrap(), case.nats_per_token, 1e-12);
    }
    let cases = numbers().bits_per_byte;
    assert!(cases[0].nats_per_token < cases[1].nats_per_token); // better per token
    assert!(cases[0].bits_per_byte > cases[1].bits_per_byte); // worse per byte
}

#[test]
fn uniform_models_cost_the_logarithm_of_their_vocabulary_in_windows_of_any_kind() {
    for case in numbers().uniform {
        let model = NgramModel::uniform(case.vocab_size).unwrap();
        for (window, stride) in [(2, 1), (5, 1), (5, 4)] {
            let rule = WindowRule { window, stride, bos_per_window: false };
            let document = [framed("d", &[0, 7, 1, 3, 3, 6, 2])];
            let (records, _) = collect_records(&model, &document, rule, NonZeroUsize::MIN).unwrap();
            assert!(records.iter().all(|r| r.rank_best == 1));
            assert!(records.iter().all(|r| r.rank_worst == case.vocab_size as u64));
            let summary = summary(records);
            close(summary.nats_per_token().unwrap(), case.nats, case.within);
            close(summary.bits_per_token().unwrap(), case.bits, case.within);
            close(summary.perplexity().unwrap() / case.vocab_size as f64, 1.0, 1e-12);
        }
    }
}

#[test]
fn the_end_token_is_charged_in_the_code_length_and_not_in_the_text_only_number() {
    // Nats 1, 2, 3 for tokens of 1, 0, 2 bytes: 6 and 1 + 3 nats over 3 bytes.
    let summary = summary(document("d", &[(1.0, 1), (2.0, 0), (3.0, 2)]));
    let ln_2 = std::f64::consts::LN_2;
    close(summary.bits_per_byte().unwrap().unwrap(), 6.0 / (3.0 * ln_2), 1e-15);
    close(summary.bits_per_byte_text_only().unwrap().unwrap(), 4.0 / (3.0 * ln_2), 1e-15);
    close(summary.tokens_per_byte().unwrap().unwrap(), 1.0, 0.0);
    assert_eq!((summary.target_count(), summary.byte_count()), (3, Some(3)));
    close(summary.bits_per_character(2).unwrap(), 6.0 / (2.0 * ln_2), 1e-15); // as in "aé"
}

#[test]
fn perplexity_pools_targets_and_is_no_mean_over_documents() {
    // Ten tokens at 2 nats, one at 6: 26/11 nats pooled, 4 as mean of document means.
    let mut records = document("long", &[(2.0, 1); 10]);
    records.extend(document("short", &[(6.0, 1)]));
    let summary = summary(records);
    close(summary.perplexity().unwrap(), 10.63, 0.005);
    assert_eq!(summary.of_documents(|id| id == "short").nats_per_token().unwrap(), 6.0);
    assert_eq!(summary.of_documents(|id| id != "short").document_count(), 1);
    assert!(summary.of_documents(|_| false).metrics().is_err());
    let averages = summary.averages().unwrap();
    close(averages.document_level.exp(), 54.60, 0.005);
    close(averages.token_level, 26.0 / 11.0, 1e-15);
}

#[test]
fn a_short_hard_document_is_no_half_of_the_score() {
    // 4 nats, and 1 + 1 + 1: 7/4 pooled. Not (4 + 1) / 2, nor e to that, nor (e^4 + e) / 2.
    let mut records = document("short", &[(4.0, 1)]);
    records.extend(document("long", &[(1.0, 1); 3]));
    let summary = summary(records);
    assert_eq!(summary.nats_per_token().unwrap(), 1.75);
    close(summary.perplexity().unwrap(), 5.755, 0.0005);
    assert_eq!(summary.averages().unwrap().document_level, 2.5);
    close(2.5_f64.exp(), 12.18, 0.005);
    let alone = |id: &'static str| summary.of_documents(move |other| other == id);
    let mean = (alone("short").perplexity().unwrap() + alone("long").perplexity().unwrap()) / 2.0;
    close(mean, 28.66, 0.005);
}

#[test]
fn error_bars_count_documents_and_not_tokens() {
    // Means 1 and 3, 4 targets each: deviations from 2 add up to -4 and 4; sqrt(2/1 * 32) / 8 = 1.
    let records = |copies: usize| {
        let mut records = document("a", &vec![(1.0, 1); 4 * copies]);
        records.extend(document("b", &vec![(3.0, 1); 4 * copies]));
        records
    };
    let estimate = summary(records(1)).estimate().unwrap();
    assert_eq!((estimate.mean, estimate.standard_error), (2.0, Some(1.0)));
    assert_eq!((estimate.item_count, estimate.unit_count), (8, 2));
    // A hundred times the tokens, still two documents.
    close(summary(records(100)).estimate().unwrap().standard_error.unwrap(), 1.0, 1e-12);
    let single = summary(document("a", &[(1.0, 1), (3.0, 1)])).estimate().unwrap();
    assert_eq!(single.standard_error, None);
}

#[test]
fn top_k_errors_are_bounds_where_ties_straddle_k() {
    let mut records = document("d", &[(1.0, 1); 3]);
    (records[0].rank_best, records[0].rank_worst) = (1, 1);
    (records[1].rank_best, records[1].rank_worst) = (2, 4);
    (records[2].rank_best, records[2].rank_worst) = (5, 5);
    let errors = summary(records).top_k_error(&[1, 3, 5], 6).unwrap();
    let bounds: Vec<_> = errors.iter().map(|e| (e.optimistic(), e.pessimistic())).collect();
    assert_eq!(bounds, [(2.0 / 3.0, 2.0 / 3.0), (1.0 / 3.0, 2.0 / 3.0), (0.0, 0.0)]);
}

#[test]
fn numbers_of_nothing_and_per_unknown_bytes_are_not_made_up() {
    let nothing = RecordSummary::new();
    assert!(matches!(nothing.metrics(), Err(ScoreError::Metric(_))));
    assert!(nothing.bits_per_byte().is_err() && nothing.averages().is_err());
    assert!(nothing.estimate().is_err() && nothing.top_k_error(&[1], 4).is_err());

    let no_bytes = summary(document("d", &[(1.0, 0)]));
    assert!(matches!(no_bytes.bits_per_byte(), Err(ScoreError::Metric(_))));
    assert!(matches!(no_bytes.bits_per_character(0), Err(ScoreError::Metric(_))));

    let mut records = document("d", &[(1.0, 1), (1.0, 1)]);
    records[1].bytes = None;
    let unknown = summary(records);
    assert_eq!((unknown.byte_count(), unknown.bits_per_byte().unwrap()), (None, None));
    assert_eq!(unknown.bits_per_byte_text_only().unwrap(), None);
}

proptest! {
    #[test]
    fn the_order_of_records_leaves_no_trace_and_the_identity_of_units_holds(
        documents in prop::collection::vec(
            prop::collection::vec((0.0f64..40.0, 0u64..9), 1..8), 1..5,
        ),
        rotation in 0usize..40,
    ) {
        let mut records: Vec<_> = documents
            .iter()
            .enumerate()
            .flat_map(|(i, targets)| document(&format!("d{i}"), targets))
            .collect();
        let one_order = summary(records.clone());
        let middle = rotation % records.len();
        records.rotate_left(middle);
        records.reverse();
        let other_order = summary(records);
        prop_assert_eq!(one_order.metrics().unwrap(), other_order.metrics().unwrap());
        prop_assert_eq!(one_order.averages().unwrap(), other_order.averages().unwrap());
        prop_assert_eq!(one_order.estimate().unwrap(), other_order.estimate().unwrap());

        if one_order.byte_count() > Some(0) {
            let bits_per_byte = one_order.bits_per_byte().unwrap().unwrap();
            prop_assert_eq!(other_order.bits_per_byte().unwrap(), Some(bits_per_byte));
            let product =
                one_order.bits_per_token().unwrap() * one_order.tokens_per_byte().unwrap().unwrap();
            prop_assert!((product - bits_per_byte).abs() <= 1e-12 * bits_per_byte.max(1.0));
        }
    }
}
