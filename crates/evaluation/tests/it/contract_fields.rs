//! Two results that differ in one field: every field, one at a time.

use llm_corpus::{Document, Partition};
use llm_evaluation::{
    Conditions, ContractError, EvaluationContract, EvaluationResult, Framing, Measure, StartToken,
    Subject, TargetRecord, WindowRule, compare,
};
use llm_metrics::BootstrapPlan;
use proptest::prelude::*;
use serde_json::{Value, json};

pub(crate) const PLAN: BootstrapPlan =
    BootstrapPlan { seed: 3, resample_count: 200, confidence: 0.95 };

pub(crate) fn subject(model: &str) -> Subject {
    Subject {
        model: model.into(),
        tokenizer_sha256: Some("a".repeat(64)),
        code_version: "tests 1".into(),
        dtype: "f64".into(),
        execution: "scalar-cpu".into(),
    }
}

pub(crate) fn contract(model: &str, texts: &[(&str, &str)]) -> EvaluationContract {
    let documents: Vec<Document> =
        texts.iter().map(|(id, text)| Document::new(*id, Partition::Validation, *text)).collect();
    let windows = WindowRule { window: 8, stride: 4, bos_per_window: false };
    let conditions = Conditions::new(Partition::Validation, &documents, Framing::DOCUMENT, windows);
    EvaluationContract::new(subject(model), conditions.with_domains(|_| Some("prose".into())))
        .unwrap()
}

/// A result whose tokens are bytes: `nats` for each, and 2 for an end token.
pub(crate) fn result(contract: EvaluationContract, nats: f64) -> EvaluationResult {
    EvaluationResult::from_records(contract.clone(), records(&contract, nats)).unwrap()
}

pub(crate) fn records(contract: &EvaluationContract, nats: f64) -> Vec<TargetRecord> {
    let conditions = contract.conditions();
    let tokenizer = contract.subject().tokenizer_sha256.is_some();
    let mut records = Vec::new();
    for document in &conditions.documents {
        let unscored = u64::from(conditions.framing.start_token == StartToken::None);
        let text = (unscored..document.bytes).map(|_| (nats, 1));
        let end = conditions.targets.end_token.then_some((2.0, 0));
        for (position, (nats, bytes)) in (1..).zip(text.chain(end)) {
            records.push(TargetRecord {
                document: document.id.clone(),
                position,
                token: 7,
                log_probability: -nats,
                bytes: tokenizer.then_some(bytes),
                rank_best: 1,
                rank_worst: 1,
            });
        }
    }
    records
}

const TEXTS: [(&str, &str); 3] = [("a", "tell"), ("b", "me more"), ("c", "now")];

/// The places of all plain values in a tree, as JSON pointers.
pub(crate) fn leaves(value: &Value, path: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            object.iter().for_each(|(key, value)| leaves(value, &format!("{path}/{key}"), found));
        }
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| leaves(v, &format!("{path}/{i}"), found));
        }
        _ => found.push(path.to_owned()),
    }
}

fn read(value: Value) -> Result<EvaluationContract, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Pointer, another value, the name that a refusal must give, and the measures that still compare.
type Row = (&'static str, Value, &'static str, &'static [Measure]);

fn table() -> Vec<Row> {
    use Measure::{BitsPerByte, BitsPerByteTextOnly};
    let all = &Measure::ALL[..];
    let bytes = &[BitsPerByte, BitsPerByteTextOnly][..];
    let text = &[BitsPerByteTextOnly][..];
    let digest = || json!("b".repeat(64));
    let documents = "conditions.documents[a]";
    let mut table: Vec<Row> = vec![
        ("/subject/model", json!("another"), "subject.model", all),
        ("/subject/code_version", json!("tests 2"), "subject.code_version", all),
        ("/subject/dtype", json!("f32"), "subject.dtype", all),
        ("/subject/execution", json!("gpu"), "subject.execution", all),
        ("/subject/tokenizer_sha256", digest(), "subject.tokenizer_sha256", bytes),
        ("/subject/tokenizer_sha256", Value::Null, "subject.tokenizer_sha256", &[]),
        ("/conditions/split", json!("test"), "conditions.split", &[]),
        ("/conditions/documents/0/id", json!("A"), documents, &[]),
        ("/conditions/documents/0/sha256", digest(), "conditions.documents[a].sha256", &[]),
        ("/conditions/documents/0/bytes", json!(5), "conditions.documents[a].bytes", &[]),
        ("/conditions/documents/0/domain", json!("code"), "conditions.documents[a].domain", &[]),
        ("/conditions/documents/0/domain", Value::Null, "conditions.documents[a].domain", &[]),
        ("/conditions/framing/start_token", json!("none"), "conditions.framing.start_token", &[]),
        (
            "/conditions/framing/start_token",
            json!("eos-as-prefix"),
            "conditions.framing.start_token",
            &[],
        ),
        ("/conditions/targets/end_token", json!(false), "conditions.targets.end_token", text),
        (
            "/conditions/targets/control_tokens",
            json!(true),
            "conditions.targets.control_tokens",
            &[],
        ),
        ("/conditions/windows/window", json!(16), "conditions.windows.window", &[]),
        ("/conditions/windows/stride", json!(2), "conditions.windows.stride", &[]),
        (
            "/conditions/windows/bos_per_window",
            json!(true),
            "conditions.windows.bos_per_window",
            &[],
        ),
        ("/conditions/windows", Value::Null, "conditions.windows", &[]),
        ("/conditions/boundaries", json!("joined"), "conditions.boundaries", &[]),
        ("/conditions/dropout", json!(true), "conditions.dropout", &[]),
        ("/conditions/seed", json!(8), "conditions.seed", &[]),
    ];
    // A random evaluation needs a seed, so the base has one. Documents b and c as document a.
    for (pointer, value) in [("/conditions/documents/1", "b"), ("/conditions/documents/2", "c")] {
        for (key, other) in [
            ("id", json!(format!("x{value}"))),
            ("sha256", digest()),
            ("bytes", json!(9)),
            ("domain", json!("code")),
        ] {
            let pointer = Box::leak(format!("{pointer}/{key}").into_boxed_str());
            let suffix = if key == "id" { String::new() } else { format!(".{key}") };
            let field = format!("conditions.documents[{value}]{suffix}");
            table.push((pointer, other, Box::leak(field.into_boxed_str()), &[]));
        }
    }
    table
}

fn base() -> Value {
    let mut base = serde_json::to_value(contract("m", &TEXTS)).unwrap();
    base["conditions"]["seed"] = json!(7);
    base
}

/// A document list without its framing's end token also scores none, so these two change together.
fn without_end_token() -> Value {
    let mut changed = base();
    changed["conditions"]["framing"]["end_token"] = json!(false);
    changed["conditions"]["targets"]["end_token"] = json!(false);
    changed
}

fn check(base: &EvaluationResult, changed: Value, field: &str, admissible: &[Measure]) {
    let changed = read(changed).unwrap();
    let fields: Vec<String> =
        base.contract().differences(&changed).into_iter().map(|d| d.field).collect();
    assert!(fields.iter().any(|given| given == field), "{field} is not among {fields:?}");
    let changed = result(changed, 1.5);
    for measure in Measure::ALL {
        match compare(base, &changed, measure, PLAN) {
            Ok(comparison) => {
                assert!(admissible.contains(&measure), "{field}: {measure} was compared");
                assert!(comparison.differing.iter().any(|d| d.field == field), "{field}");
            }
            Err(ContractError::NotComparable(refusal)) => {
                assert!(!admissible.contains(&measure), "{field}: {refusal}");
                assert!(refusal.to_string().contains(field), "{field}: {refusal}");
                assert_eq!(refusal.sound, admissible, "{field}");
            }
            Err(ContractError::NoBytes) => {
                assert!(changed.contract().subject().tokenizer_sha256.is_none(), "{field}");
            }
            Err(other) => panic!("{field}: {other}"),
        }
    }
}

#[test]
fn each_field_alone_is_named_and_only_sound_numbers_are_compared() {
    let (base, table) = (base(), table());
    let original = result(read(base.clone()).unwrap(), 1.0);
    let mut places = Vec::new();
    leaves(&base, "", &mut places);
    for place in places {
        let covered = table.iter().any(|(pointer, ..)| *pointer == place);
        assert!(covered || place == "/conditions/framing/end_token", "no row changes {place}");
    }
    for (pointer, value, field, admissible) in table {
        let mut changed = base.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        check(&original, changed, field, admissible);
    }
    let text_only = &[Measure::BitsPerByteTextOnly];
    check(&original, without_end_token(), "conditions.framing.end_token", text_only);
}

/// Takes every field of a file away and adds one to every object: both must be refused. Returns
/// how many fields there were.
pub(crate) fn every_field_is_needed<T: serde::de::DeserializeOwned>(file: &Value) -> usize {
    let refusal = |changed: Value, place: &str| match serde_json::from_value::<T>(changed) {
        Ok(_) => panic!("{place} was taken"),
        Err(error) => error.to_string(),
    };
    let mut objects = vec![String::new()];
    let mut fields = 0;
    while let Some(place) = objects.pop() {
        let keys: Vec<String> = match file.pointer(&place).unwrap() {
            Value::Object(members) => members.keys().cloned().collect(),
            Value::Array(items) => {
                objects.extend((0..items.len()).map(|i| format!("{place}/{i}")));
                continue;
            }
            _ => continue,
        };
        for key in keys {
            let mut changed = file.clone();
            changed.pointer_mut(&place).unwrap().as_object_mut().unwrap().remove(&key);
            let error = refusal(changed, &place);
            assert!(error.contains(&format!("missing field `{key}`")), "{place}/{key}: {error}");
            objects.push(format!("{place}/{key}"));
            fields += 1;
        }
        let mut changed = file.clone();
        changed.pointer_mut(&place).unwrap()["colour"] = json!(1);
        assert!(refusal(changed, &place).contains("unknown field `colour`"), "{place}");
    }
    fields
}

#[test]
fn a_contract_without_one_of_its_fields_or_with_another_one_is_refused() {
    // subject 5, conditions 8, framing 2, windows 3, targets 2, three documents of 4, the two parts
    assert_eq!(every_field_is_needed::<EvaluationContract>(&base()), 5 + 8 + 2 + 3 + 2 + 12 + 2);
}

#[test]
fn values_that_no_evaluation_can_have_are_refused_by_name() {
    let cases = [
        ("/subject/model", json!(" "), "subject.model is empty"),
        ("/subject/tokenizer_sha256", json!("abc"), "subject.tokenizer_sha256 is \"abc\""),
        ("/conditions/documents", json!([]), "conditions.documents is empty"),
        ("/conditions/documents/0/id", json!("b"), "has `b` twice"),
        ("/conditions/documents/0/sha256", json!("A"), "gives `a` the sha256 \"A\""),
        ("/conditions/windows/stride", json!(8), "window 8 with stride 8"),
        ("/conditions/windows/stride", json!(0), "window 8 with stride 0"),
        ("/conditions/framing/end_token", json!(false), "nothing to score"),
    ];
    for (pointer, value, reason) in cases {
        let mut changed = base();
        *changed.pointer_mut(pointer).unwrap() = value;
        let error = read(changed).unwrap_err();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
    let mut random = base();
    random["conditions"]["dropout"] = json!(true);
    random["conditions"]["seed"] = Value::Null;
    assert!(read(random).unwrap_err().contains("random numbers need a seed"));
}

#[test]
fn with_and_without_a_start_token_are_two_contracts_and_the_first_byte_is_counted_as_unscored() {
    let with = contract("m", &TEXTS);
    let mut without = serde_json::to_value(&with).unwrap();
    without["conditions"]["framing"]["start_token"] = json!("none");
    let without = read(without).unwrap();
    assert_ne!(with.conditions_sha256(), without.conditions_sha256());
    assert_eq!(with.subject_sha256(), without.subject_sha256());
    let bytes = |contract: &EvaluationContract| {
        let result = result(contract.clone(), 1.0);
        result.documents().iter().map(|d| (d.bytes.unwrap(), d.targets)).collect::<Vec<_>>()
    };
    assert_eq!(bytes(&with), [(4, 5), (7, 8), (3, 4)]);
    assert_eq!(bytes(&without), [(3, 4), (6, 7), (2, 3)]);
}

proptest! {
    /// Digests and scores know no order of documents, and equal digests mean equal contracts.
    #[test]
    fn the_order_of_the_documents_changes_nothing(
        order in Just([0_usize, 1, 2]).prop_shuffle(),
        field in 0..table().len(),
    ) {
        let sorted = read(base()).unwrap();
        let mut shuffled = base();
        shuffled["conditions"]["documents"] =
            order.iter().map(|&i| base()["conditions"]["documents"][i].clone()).collect();
        let shuffled = read(shuffled).unwrap();
        prop_assert_eq!(sorted.canonical_json(), shuffled.canonical_json());
        prop_assert_eq!(sorted.differences(&shuffled), []);
        prop_assert_eq!(result(sorted.clone(), 1.0), result(shuffled, 1.0));

        let (pointer, value, ..) = table().swap_remove(field);
        let mut changed = base();
        *changed.pointer_mut(pointer).unwrap() = value;
        let changed = read(changed).unwrap();
        prop_assert_ne!(sorted.sha256(), changed.sha256());
        prop_assert_ne!(sorted.signature(), changed.signature());
        let again: EvaluationContract = serde_json::from_str(&changed.canonical_json()).unwrap();
        prop_assert_eq!(again, changed);
    }
}
