//! Figures about counting and about what changes a task, from `testdata/contract.json`.

use std::num::NonZeroUsize;

use llm_baselines::{NgramModel, Smoothing};
use llm_corpus::{EncodedDocument, Partition, TokenId};
use llm_evaluation::{
    ContractError, EvaluationContract, EvaluationResult, Measure, RecordSummary, TargetRecord,
    WindowRule, collect_records, compare,
};
use serde_json::{Value, json};

use crate::contract_fields::{PLAN, contract};
use crate::models::{VOCAB_SIZE, framed};

fn figures() -> Value {
    serde_json::from_str(include_str!("../../testdata/contract.json")).unwrap()
}

fn count(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn rule(window: usize, stride: usize) -> WindowRule {
    WindowRule { window, stride, bos_per_window: false }
}

#[test]
fn reading_again_is_counted_apart_and_adds_no_target() {
    for case in figures()["window_counts"].as_array().unwrap() {
        let [ids, window, stride] = ["ids", "window", "stride"].map(|key| count(&case[key]));
        let plan = rule(window, stride).plan(ids).unwrap();
        assert_eq!(plan.window_count(), count(&case["windows"]));
        assert_eq!(plan.target_count(), count(&case["scored"]));
        // The first id of the first window is read for the first time.
        assert_eq!(plan.context_only_count() - 1, count(&case["read_again"]));
    }
    let case = &figures()["stride_leaves_count"];
    for stride in case["strides"].as_array().unwrap() {
        let plan = rule(count(&case["window"]), count(stride)).plan(count(&case["ids"])).unwrap();
        let scored: usize = plan.windows().map(|window| window.target_count()).sum();
        assert_eq!(scored, count(&case["scored"]), "stride {stride}");
    }
}

/// A count model that knows the period when it sees enough of it.
fn mean_nll(period: &[TokenId], repeats: usize, rule: WindowRule) -> f64 {
    let ids = [&[0], period.repeat(repeats).as_slice()].concat();
    let text = EncodedDocument::from_ids("t", Partition::Train, ids.clone()).unwrap();
    let smoothing = Smoothing::Interpolated { strength: 1.0 };
    let model = NgramModel::fit(VOCAB_SIZE, 5, smoothing, &[text]).unwrap();
    let score = || {
        let documents = [framed("d", &ids)];
        let (records, _) = collect_records(&model, &documents, rule, NonZeroUsize::MIN).unwrap();
        RecordSummary::from_records(records).unwrap().nats_per_token().unwrap()
    };
    let (first, second) = (score(), score());
    assert_eq!(first.to_bits(), second.to_bits(), "scored twice, two numbers");
    first
}

#[test]
fn more_resets_or_another_stride_are_another_task() {
    let case = &figures()["period_text"];
    let period: Vec<TokenId> =
        case["period"].as_array().unwrap().iter().map(|id| count(id) as TokenId).collect();
    let repeats = count(&case["repeats"]);
    let [long, short] = [0, 1].map(|i| count(&case["windows"][i]));
    let by_reset = [long, short].map(|window| mean_nll(&period, repeats, rule(window, window - 1)));
    assert!(by_reset[1] > by_reset[0] + 0.01, "{by_reset:?}");
    let window = count(&case["window"]);
    let by_stride =
        [0, 1].map(|i| mean_nll(&period, repeats, rule(window, count(&case["strides"][i]))));
    assert!(by_stride[1] > by_stride[0] + 0.01, "{by_stride:?}");
}

#[test]
fn per_token_numbers_depend_on_the_tokenizer_and_bits_per_byte_do_not() {
    let case = &figures()["two_tokenizers"];
    let (bytes, nats) = (count(&case["bytes"]), case["nats"].as_f64().unwrap());
    let result = |tokens: usize, digest: &str| {
        let mut changed = serde_json::to_value(contract("m", &[("x", "abcdef")])).unwrap();
        changed["conditions"]["targets"]["end_token"] = json!(false);
        changed["subject"]["tokenizer_sha256"] = json!(digest.repeat(64));
        let contract: EvaluationContract = serde_json::from_value(changed).unwrap();
        let record = |position| TargetRecord {
            document: "x".into(),
            position,
            token: 9,
            log_probability: -nats / tokens as f64,
            bytes: Some((bytes / tokens) as u64),
            rank_best: 1,
            rank_worst: 1,
        };
        EvaluationResult::from_records(contract, (1..=tokens).map(record)).unwrap()
    };
    let [left, right] =
        [(0, "c"), (1, "d")].map(|(i, digest)| result(count(&case["tokens"][i]), digest));
    let within = case["within"].as_f64().unwrap();
    for (i, result) in [&left, &right].into_iter().enumerate() {
        let perplexity = result.number(Measure::NatsPerToken).unwrap().exp();
        let expected = case["perplexities"][i].as_f64().unwrap();
        assert!((perplexity - expected).abs() < within, "{perplexity}");
        let bits = result.number(Measure::BitsPerByte).unwrap();
        assert!((bits - case["bits_per_byte"].as_f64().unwrap()).abs() < within, "{bits}");
    }
    let error = compare(&left, &right, Measure::NatsPerToken, PLAN).unwrap_err();
    let ContractError::NotComparable(refusal) = error else { panic!("{error}") };
    assert_eq!(refusal.sound, [Measure::BitsPerByte, Measure::BitsPerByteTextOnly]);
    assert!(
        refusal
            .to_string()
            .ends_with("compare both by bits_per_byte, which depends on none of these")
    );
    let compared = compare(&left, &right, Measure::BitsPerByte, PLAN).unwrap();
    assert!(compared.difference.abs() < 1e-15);
    assert!(compared.caveats[0].contains("windows are counted in tokens"));
}
