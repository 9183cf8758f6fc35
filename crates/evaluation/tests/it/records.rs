//! Records as JSON lines: the same bits back, and nothing that no model can have said.

use llm_evaluation::{RecordSummary, ScoreError, TargetRecord, read_records, write_records};
use proptest::prelude::*;

fn record(document: &str, position: usize, log_probability: f64) -> TargetRecord {
    TargetRecord {
        document: document.into(),
        position,
        token: 7,
        log_probability,
        bytes: Some(1),
        rank_best: 1,
        rank_worst: 2,
    }
}

fn any_record() -> impl Strategy<Value = TargetRecord> {
    let log_probability = any::<f64>().prop_filter_map("finite", |x| {
        let x = -x.abs();
        x.is_finite().then_some(x)
    });
    let fields = (".{0,12}", 1..usize::MAX, any::<u32>(), log_probability);
    (fields, any::<Option<u64>>(), 1..u64::MAX, any::<u64>()).prop_map(
        |((document, position, token, log_probability), bytes, rank_best, tied)| TargetRecord {
            document,
            position,
            token,
            log_probability,
            bytes,
            rank_best,
            rank_worst: rank_best.saturating_add(tied),
        },
    )
}

proptest! {
    #[test]
    fn records_read_back_to_the_same_bits(records in prop::collection::vec(any_record(), 0..8)) {
        let mut file = Vec::new();
        write_records(&mut file, &records).unwrap();
        prop_assert_eq!(file.iter().filter(|&&byte| byte == b'\n').count(), records.len());
        let back: Vec<_> = read_records(&file[..]).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(&back, &records);
        for (back, record) in back.iter().zip(&records) {
            prop_assert_eq!(back.log_probability.to_bits(), record.log_probability.to_bits());
        }
    }
}

#[test]
fn keys_are_those_of_the_format_and_bytes_may_be_absent() {
    let mut file = Vec::new();
    write_records(&mut file, &[TargetRecord { bytes: None, ..record("é\n", 3, -0.0) }]).unwrap();
    let expected = "{\"document\":\"é\\n\",\"position\":3,\"token\":7,\"log_probability\":-0.0,\
                    \"rank_best\":1,\"rank_worst\":2}\n";
    assert_eq!(String::from_utf8(file).unwrap(), expected);
}

#[test]
fn lines_that_are_no_records_are_errors_with_their_number() {
    let good = r#"{"document":"d","position":1,"token":7,"log_probability":-1.5,"rank_best":1,"rank_worst":1}"#;
    assert_eq!(read_records(good.as_bytes()).count(), 1);
    for (from, to) in [
        (good, ""),
        ("}", ""),
        ("-1.5", "0.5"),
        ("-1.5", "null"),
        ("-1.5", "-1e999"),
        ("\"position\":1", "\"position\":0"),
        ("\"position\":1", "\"position\":-1"),
        ("\"token\":7,", ""),
        ("\"token\":7,", "\"token\":7,\"logprob\":1,"),
        ("\"token\":7,", "\"token\":7,\"token\":7,"),
        ("\"rank_best\":1", "\"rank_best\":0"),
        ("\"rank_best\":1", "\"rank_best\":2"),
    ] {
        let file = format!("{good}\n{}\n{good}\n", good.replace(from, to));
        let results: Vec<_> = read_records(file.as_bytes()).collect();
        let error = results[1].as_ref().unwrap_err();
        assert!(matches!(error, ScoreError::Record { line: 2, .. }), "{to}: {error}");
        assert!(results[0].is_ok() && results[2].is_ok());
    }
}

#[test]
fn values_that_json_cannot_say_are_not_written_or_summed() {
    for bad in [f64::NAN, f64::NEG_INFINITY, 1e-300] {
        let records = [record("d", 1, -1.0), record("d", 2, bad)];
        let error = write_records(Vec::new(), &records).unwrap_err();
        assert!(matches!(error, ScoreError::Record { line: 2, .. }), "{error}");
        let error = RecordSummary::from_records(records).unwrap_err();
        assert!(matches!(error, ScoreError::Record { line: 2, .. }), "{error}");
    }
}

#[test]
fn a_target_scored_twice_is_refused() {
    let records = [record("a", 1, -1.0), record("b", 1, -1.0), record("a", 1, -1.0)];
    let error = RecordSummary::from_records(records).unwrap_err();
    assert!(matches!(&error, ScoreError::Count { document, .. } if document == "a"), "{error}");
}
