//! Results: made of records, read back, compared, split by suspicion, cached.

use llm_corpus::{CorpusManifest, Document, Partition};
use llm_evaluation::{
    ContractError, EvaluationContract, EvaluationResult, FlaggedScores, Measure, RecordSummary,
    ResultCache, TargetRecord, compare,
};
use llm_metrics::BootstrapPlan;
use serde_json::{Value, json};

use crate::contract_fields::{PLAN, contract, records, result};

const TEXTS: [(&str, &str); 3] = [("x", "abc"), ("y", "abcdefg"), ("z", "abcde")];

/// One target of a document for each entry: nats and bytes.
fn targets(document: &str, targets: &[(f64, u64)]) -> Vec<TargetRecord> {
    let record = |(position, &(nats, bytes)): (usize, &(f64, u64))| TargetRecord {
        document: document.into(),
        position,
        token: 7,
        log_probability: -nats,
        bytes: Some(bytes),
        rank_best: 1,
        rank_worst: 1,
    };
    (1..).zip(targets).map(record).collect()
}

#[test]
fn numbers_of_a_result_are_those_of_its_records() {
    let contract = contract("m", &TEXTS);
    let records = records(&contract, 1.25);
    let summary = RecordSummary::from_records(records.clone()).unwrap();
    let result = EvaluationResult::from_records(contract, records.into_iter().rev()).unwrap();
    // 15 bytes at 1.25 nats and 3 end tokens at 2.
    let nats = 15.0 * 1.25 + 6.0;
    let ln2 = std::f64::consts::LN_2;
    for (measure, by_hand, by_summary) in [
        (Measure::NatsPerToken, nats / 18.0, summary.nats_per_token().unwrap()),
        (Measure::BitsPerByte, nats / ln2 / 15.0, summary.bits_per_byte().unwrap().unwrap()),
        (
            Measure::BitsPerByteTextOnly,
            1.25 / ln2,
            summary.bits_per_byte_text_only().unwrap().unwrap(),
        ),
    ] {
        let given = result.number(measure).unwrap();
        assert!((given - by_hand).abs() < 1e-14, "{measure}: {given}");
        assert!((given - by_summary).abs() < 1e-14, "{measure}: {given}");
    }
}

#[test]
fn records_that_the_contract_does_not_describe_are_refused() {
    let contract = contract("m", &[("x", "ab"), ("y", "c")]);
    let y = targets("y", &[(1.0, 1), (1.0, 0)]);
    let with_x = |x: &[(f64, u64)]| [targets("x", x), y.clone()].concat();
    let good = [(1.0, 1), (1.0, 1), (1.0, 0)];
    let mut gap = with_x(&good);
    gap.remove(1);
    let cases = [
        (y.clone(), "`x` does not fit its contract: it has no record"),
        ([with_x(&good), targets("w", &good)].concat(), "`w` does not fit its contract: it has"),
        (gap, "position 2 has no record"),
        (with_x(&[(1.0, 1), (1.0, 1)]), "stand at [], expected [2]"),
        (with_x(&[(1.0, 1), (1.0, 0), (1.0, 1)]), "stand at [2], expected [3]"),
        (with_x(&[(1.0, 2), (1.0, 1), (1.0, 0)]), "stand for 3 bytes, its text has 2"),
        (with_x(&[(1.0, 1), (1.0, 0)]), "stand for 1 bytes, its text has 2"),
        ([with_x(&good), targets("x", &good)].concat(), "2 scores of one target"),
    ];
    assert!(EvaluationResult::from_records(contract.clone(), with_x(&good)).is_ok());
    for (records, reason) in cases {
        let error = EvaluationResult::from_records(contract.clone(), records).unwrap_err();
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    }
    let mut unknown = with_x(&good);
    unknown.iter_mut().for_each(|record| record.bytes = None);
    let error = EvaluationResult::from_records(contract, unknown).unwrap_err().to_string();
    assert!(error.contains("bytes are known with a tokenizer, and only then"), "{error}");
}

#[test]
fn a_result_survives_its_file_and_a_changed_number_is_found() {
    let original = result(contract("m", &TEXTS), 0.1);
    let file = serde_json::to_value(&original).unwrap();
    assert_eq!(serde_json::from_value::<EvaluationResult>(file.clone()).unwrap(), original);
    assert!(file["determinism"].as_str().unwrap().starts_with("nothing random"));
    let signature = file["signature"].as_str().unwrap();
    let expected = "model:m|tokenizer:aaaaaaaa|code:tests_1|dtype:f64|execution:scalar-cpu|\
                    split:validation|documents:3|bytes:15|start:bos|end:scored|windows:8/4|\
                    control:none|boundaries:separate|dropout:off|seed:none|conditions:";
    assert!(signature.starts_with(expected), "{signature}");

    let changes = [
        ("/signature", json!("model:other"), "signature"),
        ("/conditions_sha256", json!("0"), "conditions_sha256"),
        ("/numbers/nats_per_token", json!(0.05), "numbers.nats_per_token"),
        ("/numbers/bits_per_byte", Value::Null, "numbers.bits_per_byte"),
        ("/numbers/targets", json!(17), "numbers.targets"),
        ("/documents/0/nats", json!(0.5), "numbers"),
        ("/documents/0/nats", json!(-0.5), "no model spends -0.5 nats"),
        ("/documents/0/targets", json!(0), "0 targets"),
        ("/documents/0/bytes", json!(2), "stand for 2 bytes, its text has 3"),
        ("/documents/0/id", json!("w"), "those of `w`"),
        ("/documents/0/text_nats", json!(9.0), "no model spends"),
        ("/contract/subject/model", json!("better"), "contract_sha256"),
        ("/contract/conditions/split", json!("test"), "conditions_sha256"),
    ];
    for (pointer, value, reason) in changes {
        let mut changed = file.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let error = serde_json::from_value::<EvaluationResult>(changed).unwrap_err().to_string();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
    let mut shorter = file;
    shorter["documents"].as_array_mut().unwrap().pop();
    assert!(serde_json::from_value::<EvaluationResult>(shorter).is_err());
}

#[test]
fn hostile_totals_neither_panic_nor_pass() {
    let mut file = serde_json::to_value(result(contract("m", &TEXTS), 0.1)).unwrap();
    for i in 0..3 {
        file["documents"][i]["targets"] = json!(u64::MAX);
        file["contract"]["conditions"]["documents"][i]["bytes"] = json!(u64::MAX);
        file["documents"][i]["bytes"] = json!(u64::MAX);
    }
    assert!(serde_json::from_value::<EvaluationResult>(file).is_err());
}

/// Equal lengths, so that the pooled difference is the mean of 0.5, 0 and 1 nats per token.
#[test]
fn differences_are_paired_by_document_and_resampled_by_document() {
    let contract = |model| contract(model, &[("x", "abc"), ("y", "abd"), ("z", "abe")]);
    let of = |model, nats: [f64; 3]| {
        let end = (2.0, 0);
        let all = ["x", "y", "z"].into_iter().zip(nats);
        let records = all.flat_map(|(id, n)| targets(id, &[(n, 1), (n, 1), (n, 1), end]));
        EvaluationResult::from_records(contract(model), records.collect::<Vec<_>>()).unwrap()
    };
    let (left, right) = (of("left", [2.0, 3.0, 5.0]), of("right", [1.5, 3.0, 4.0]));
    let plan = BootstrapPlan { resample_count: 20_000, ..PLAN };
    let comparison = compare(&left, &right, Measure::BitsPerByteTextOnly, plan).unwrap();
    let bits = |nats: f64| nats / std::f64::consts::LN_2;
    assert!((comparison.difference - bits(0.5)).abs() < 1e-14);
    assert!((comparison.document_mean_difference - bits(0.5)).abs() < 1e-14);
    // Sample variance of 0.5, 0, 1 is 1/4, over 3 documents.
    let standard_error = comparison.document_mean_standard_error.unwrap();
    assert!((standard_error - bits((0.25_f64 / 3.0).sqrt())).abs() < 1e-14);
    // Over all 27 resamples the variance is that of the three values, 1/6, over 3.
    let spread = comparison.bootstrap.unwrap();
    assert!((spread.standard_error / bits((1.0_f64 / 18.0).sqrt()) - 1.0).abs() < 0.02);
    // One in 27 is all y, one in 27 all z: more than 2.5 percent.
    assert!(spread.lower == 0.0 && (spread.upper - bits(1.0)).abs() < 1e-14, "{spread:?}");
    assert_eq!((spread.seed, spread.resamples), (3, 20_000));
    let differences: Vec<f64> = comparison.documents.iter().map(|d| d.difference).collect();
    for (given, expected) in differences.iter().zip([0.5, 0.0, 1.0]) {
        assert!((given - bits(expected)).abs() < 1e-14);
    }
    assert_eq!(compare(&left, &right, Measure::BitsPerByteTextOnly, plan).unwrap(), comparison);
    let fields: Vec<&str> = comparison.differing.iter().map(|d| d.field.as_str()).collect();
    assert_eq!(fields, ["subject.model"]);
}

#[test]
fn two_documents_are_two_units_and_one_has_no_spread() {
    let of = |texts: &[(&str, &str)]| {
        compare(
            &result(contract("m", texts), 1.0),
            &result(contract("n", texts), 1.5),
            Measure::NatsPerToken,
            PLAN,
        )
        .unwrap()
    };
    let long = "a".repeat(5000);
    let two = of(&[("x", &long), ("y", &long)]);
    assert!(two.clusters.starts_with("2 documents are 2 independent units"), "{}", two.clusters);
    assert!(two.clusters.contains("(10002)") && two.bootstrap.is_some());
    assert!(two.caveats.iter().any(|caveat| caveat.contains("fewer than 30 documents")));
    let one = of(&[("x", &long)]);
    assert!(one.clusters.starts_with("1 document is 1 independent unit"));
    assert_eq!((one.bootstrap, one.document_mean_standard_error), (None, None));
}

#[test]
fn other_documents_can_be_left_out_of_both_results() {
    let left = result(contract("m", &[("x", "abc"), ("y", "abcd")]), 1.0);
    let right = result(contract("n", &[("y", "abcd"), ("z", "ab")]), 1.5);
    let error = compare(&left, &right, Measure::NatsPerToken, PLAN).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("documents[x] is present and absent"), "{text}");
    assert!(text.contains("restrict both to the 1 document(s) that are the same"), "{text}");
    let shared = |result: &EvaluationResult| result.of_documents(|id| id == "y").unwrap();
    let comparison = compare(&shared(&left), &shared(&right), Measure::NatsPerToken, PLAN).unwrap();
    assert!((comparison.left - 6.0 / 5.0).abs() < 1e-15); // 4 bytes at 1 nat, the end at 2
    assert!(left.of_documents(|_| false).is_err());
}

#[test]
fn tokenizers_that_leave_other_bytes_unscored_do_not_compare_by_byte() {
    let mut changed = serde_json::to_value(contract("m", &[("x", "abcd")])).unwrap();
    changed["conditions"]["framing"]["start_token"] = json!("none");
    let bytes: EvaluationContract = serde_json::from_value(changed.clone()).unwrap();
    changed["subject"]["tokenizer_sha256"] = json!("b".repeat(64));
    let words: EvaluationContract = serde_json::from_value(changed).unwrap();
    let bytes = EvaluationResult::from_records(
        bytes,
        targets("x", &[(1.0, 1), (1.0, 1), (1.0, 1), (1.0, 0)]),
    );
    let words = EvaluationResult::from_records(words, targets("x", &[(2.0, 2), (1.0, 0)]));
    let error = compare(&bytes.unwrap(), &words.unwrap(), Measure::BitsPerByte, PLAN).unwrap_err();
    assert!(error.to_string().contains("documents[x].bytes is 3 and 2"), "{error}");
}

#[test]
fn scores_with_and_without_flagged_documents_add_up() {
    let all = result(contract("m", &TEXTS), 1.0);
    let scores = FlaggedScores::new(all.clone(), &["y"]).unwrap();
    let targets = |result: &EvaluationResult| -> u64 {
        result.documents().iter().map(|document| document.targets).sum()
    };
    let (clean, flagged) = (scores.without_flagged.unwrap(), scores.flagged.unwrap());
    assert_eq!((targets(&all), targets(&clean), targets(&flagged)), (18, 10, 8));
    assert_eq!(clean.contract().conditions().documents.len(), 2);
    assert_ne!(clean.contract().sha256(), all.contract().sha256());
    let none = FlaggedScores::new(all.clone(), &[]).unwrap();
    assert!(none.flagged.is_none() && none.without_flagged == Some(all.clone()));
    let every = FlaggedScores::new(all.clone(), &["x", "y", "z"]).unwrap();
    assert!(every.without_flagged.is_none());
    let error = FlaggedScores::new(all, &["w"]).unwrap_err();
    assert!(error.to_string().contains("`w`"), "{error}");
}

#[test]
fn domains_are_pooled_apart() {
    let mut value = serde_json::to_value(contract("m", &TEXTS)).unwrap();
    value["conditions"]["documents"][1]["domain"] = json!("code");
    value["conditions"]["documents"][2]["domain"] = Value::Null;
    let result = result(serde_json::from_value(value).unwrap(), 1.0);
    let domains: Vec<_> = result
        .domains()
        .unwrap()
        .into_iter()
        .map(|(domain, summary)| (domain, summary.total_nll(), summary.target_count()))
        .collect();
    // z: 5 bytes and an end token at 2 nats; y: 7; x: 3
    assert_eq!(domains, [(None, 7.0, 6), (Some("code"), 9.0, 8), (Some("prose"), 5.0, 4)]);
}

#[test]
fn a_training_document_is_no_held_out_document() {
    let contract = contract("m", &TEXTS);
    let manifest = |partition| {
        let documents =
            [Document::new("t0", partition, "other"), Document::new("t1", partition, "abcde")];
        CorpusManifest::new(&documents)
    };
    let error = contract.conditions().check_held_out(&manifest(Partition::Train)).unwrap_err();
    let ContractError::TrainingDocument { document, training, .. } = error else {
        panic!("{error}")
    };
    assert_eq!((document.as_str(), training.as_str()), ("z", "t1"));
    assert!(contract.conditions().check_held_out(&manifest(Partition::Validation)).is_ok());
}

#[test]
fn a_cache_never_answers_for_another_contract_and_survives_damage() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResultCache::new(folder.path().join("results"));
    let contracts: Vec<EvaluationContract> =
        ["weights 1", "weights 2"].map(|model| contract(model, &TEXTS)).to_vec();
    let mut computed = 0;
    let mut ask = |contract: &EvaluationContract, nats: f64| {
        let compute = || {
            computed += 1;
            Ok::<_, ContractError>(result(contract.clone(), nats))
        };
        (cache.get_or_compute(contract, compute).unwrap(), computed)
    };
    assert_eq!(ask(&contracts[0], 1.0).1, 1);
    assert_eq!(ask(&contracts[1], 2.0).1, 2, "answered for other weights");
    let (again, computed) = ask(&contracts[0], 9.0);
    assert_eq!((again, computed), (result(contracts[0].clone(), 1.0), 2));

    let path = folder.path().join("results").join(format!("{}.json", contracts[0].sha256()));
    let whole = std::fs::read(&path).unwrap();
    let other = folder.path().join("results").join(format!("{}.json", contracts[1].sha256()));
    let damages: [Vec<u8>; 4] =
        [whole[..whole.len() / 2].to_vec(), vec![], vec![0xff; 9], std::fs::read(other).unwrap()];
    for (already, damage) in damages.iter().enumerate() {
        std::fs::write(&path, damage).unwrap();
        assert_eq!(ask(&contracts[0], 1.0).1, 3 + already, "took a damaged entry");
        assert_eq!(std::fs::read(&path).unwrap(), whole);
    }
    let wrong = cache.get_or_compute(&contract("3", &TEXTS), || -> Result<_, ContractError> {
        Ok(result(contracts[0].clone(), 1.0))
    });
    assert!(wrong.is_err());
}
