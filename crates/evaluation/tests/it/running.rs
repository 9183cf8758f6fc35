//! Sums while a pass runs against the summary that keeps every record.

use llm_evaluation::{PassTotals, RecordSummary, RunningSummary, ScoreError, TargetRecord};
use proptest::prelude::*;

fn record(document: usize, position: usize, nats: f64, bytes: Option<u64>) -> TargetRecord {
    TargetRecord {
        document: format!("d{document}"),
        position,
        token: 5,
        log_probability: -nats,
        bytes,
        rank_best: 1 + (nats as u64) % 3,
        rank_worst: 2 + (nats as u64) % 3,
    }
}

fn totals(records: &[TargetRecord]) -> Result<PassTotals, ScoreError> {
    let mut running = RunningSummary::new(&[1, 2, 3], 10)?;
    records.iter().try_for_each(|record| running.add(record))?;
    running.finish()
}

proptest! {
    #[test]
    fn both_summaries_have_the_same_numbers(
        documents in prop::collection::vec(prop::collection::vec((0.0..50.0, 0_u64..4), 1..20), 1..6),
    ) {
        let targets = documents.iter().enumerate().flat_map(|(d, targets)| {
            (1..).zip(targets).map(move |(at, &(nats, bytes))| record(d, at, nats, Some(bytes)))
        });
        let records: Vec<_> = targets.collect();
        let running = totals(&records)?;
        let summary = RecordSummary::from_records(records)?;
        prop_assert_eq!(&running.metrics, &summary.metrics()?);
        prop_assert_eq!(running.bytes, summary.byte_count());
        prop_assert_eq!(running.bits_per_byte(), summary.bits_per_byte().unwrap_or(None));
        let text_only = summary.bits_per_byte_text_only().unwrap_or(None);
        prop_assert_eq!(running.bits_per_byte_text_only(), text_only);
        prop_assert_eq!(running.tokens_per_byte(), summary.tokens_per_byte().unwrap_or(None));
        prop_assert_eq!(&running.top_k_errors, &summary.top_k_error(&[1, 2, 3], 10)?);
        let [left, right] = [running.averages()?, summary.averages()?].map(|a| a.document_level);
        prop_assert!((left - right).abs() <= 1e-12 * right);
        let [left, right] = [running.estimate()?, summary.estimate()?].map(|e| e.standard_error);
        prop_assert_eq!(left.is_some(), right.is_some());
        prop_assert!((left.unwrap_or(0.0) - right.unwrap_or(0.0)).abs() < 1e-9);
    }
}

#[test]
fn a_record_out_of_order_is_refused() {
    let missing = totals(&[record(0, 1, 1.0, None), record(0, 3, 1.0, None)]).unwrap_err();
    assert_eq!(missing.to_string(), "record 2: document `d0` has position 3, expected 2");
    assert!(totals(&[record(0, 2, 1.0, None)]).is_err());
    assert!(totals(&[]).is_err());
}

#[test]
fn bytes_that_are_unknown_of_one_target_are_unknown_of_all() {
    let totals = totals(&[record(0, 1, 1.0, Some(1)), record(0, 2, 1.0, None)]).unwrap();
    assert_eq!((totals.bytes, totals.bits_per_byte()), (None, None));
    assert_eq!((totals.documents[0].bytes, totals.documents[0].text_nats), (None, None));
}
