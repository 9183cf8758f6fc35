//! Two task results that differ in one field of their contracts: every field, one at a time.

use llm_corpus::Partition;
use llm_evaluation::tasks::{
    BoundaryRule, FewShot, OptionRecord, OptionRule, OptionScoring, PromptTemplate, TaskConditions,
    TaskContract, TaskError, TaskItem, TaskResult, compare,
};
use llm_evaluation::{Refusal, StartToken};
use serde_json::{Value, json};

use crate::contract_fields::{every_field_is_needed, leaves, subject};
use crate::task_models::record;

pub(crate) fn items() -> Vec<TaskItem> {
    let item = |context, answer| TaskItem::new(context, [" a", " bb"], answer).unwrap();
    vec![item("one", 0), item("two", 1), item("six", 0)]
}

fn pool() -> Vec<TaskItem> {
    ["ten", "red", "hot"].map(|context| TaskItem::new(context, [" a", " bb"], 1).unwrap()).to_vec()
}

pub(crate) fn contract(model: &str) -> TaskContract {
    let template = PromptTemplate::new("Go on.\n", "{context}:{answer}\n").unwrap();
    let scoring = OptionScoring {
        start_token: StartToken::Bos,
        boundary: BoundaryRule::Separate,
        neutral_prompt: Some("so".into()),
    };
    let conditions = TaskConditions::new(Partition::Test, &items(), scoring, OptionRule::Sum)
        .with_few_shot(FewShot { template, shots: 2, seed: 4 }, &pool());
    TaskContract::new(subject(model), conditions).unwrap()
}

/// One token for each option; the first one of an item is always the more probable.
pub(crate) fn result(contract: TaskContract, items: &[TaskItem]) -> TaskResult {
    let neutral = contract.conditions().scoring.neutral_prompt.is_some();
    let mut records = Vec::new();
    for (number, item) in items.iter().enumerate() {
        for (option, text) in item.options().iter().enumerate() {
            let nats = -1.0 - option as f64;
            records.push(OptionRecord {
                digest: item.digest(),
                neutral_log_probabilities: neutral.then(|| vec![-3.0]),
                ..record(number, option, option == item.answer(), text, &[nats])
            });
        }
    }
    TaskResult::from_records(contract, records).unwrap()
}

fn read(value: Value) -> Result<TaskContract, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

/// Pointer, another value, and the rules by which both results still compare.
fn table() -> Vec<(&'static str, Value, &'static [OptionRule])> {
    use OptionRule::{Byte, Char, CharBare, MutualInformation, Sum};
    let all = &OptionRule::ALL[..];
    let per_text = &[Sum, Char, CharBare, Byte, MutualInformation][..];
    let no_neutral = &OptionRule::ALL[..5];
    let digest = || json!("b".repeat(64));
    vec![
        ("/subject/model", json!("another"), all),
        ("/subject/code_version", json!("tests 2"), all),
        ("/subject/dtype", json!("f32"), all),
        ("/subject/execution", json!("gpu"), all),
        ("/subject/tokenizer_sha256", digest(), per_text),
        ("/conditions/split", json!("validation"), &[]),
        ("/conditions/few_shot/template/instruction", json!("Go.\n"), &[]),
        ("/conditions/few_shot/template/block", json!("{context}:{answer}\n\n"), &[]),
        ("/conditions/few_shot/shots", json!(1), &[]),
        ("/conditions/few_shot/seed", json!(5), &[]),
        ("/conditions/pool/count", json!(4), &[]),
        ("/conditions/pool/sha256", digest(), &[]),
        ("/conditions/scoring/start_token", json!("none"), &[]),
        ("/conditions/scoring/boundary", json!("back-off"), &[]),
        ("/conditions/scoring/neutral_prompt", json!("well"), no_neutral),
        ("/conditions/scoring/neutral_prompt", Value::Null, no_neutral),
        ("/conditions/dropout", json!(true), &[]),
    ]
}

/// The refusal, or `None` if the two compare.
fn refusal(left: &TaskResult, right: &TaskResult) -> Option<Refusal<OptionRule>> {
    match compare(left, right) {
        Ok(_) => None,
        Err(TaskError::NotComparable(refusal)) => Some(*refusal),
        Err(other) => panic!("{other}"),
    }
}

/// The path of a field in a refusal.
fn field(pointer: &str) -> String {
    pointer[1..].replace('/', ".")
}

#[test]
fn each_field_alone_is_named_and_only_sound_accuracies_are_compared() {
    let base = serde_json::to_value(contract("m")).unwrap();
    let original = result(contract("m"), &items());
    let mut places = Vec::new();
    leaves(&base, "", &mut places);
    for place in places {
        let elsewhere = place.starts_with("/conditions/items/") || place == "/conditions/rule";
        let covered = table().iter().any(|(pointer, ..)| *pointer == place);
        assert!(covered || elsewhere, "no row changes {place}");
    }
    for (pointer, value, sound) in table() {
        let mut changed = base.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let changed = result(read(changed).unwrap(), &items());
        let differences = original.contract().differences(changed.contract());
        assert_eq!(differences.len(), 1, "{differences:?}");
        assert_eq!(differences[0].field, field(pointer));
        assert_ne!(original.contract().sha256(), changed.contract().sha256());
        assert_ne!(original.contract().signature(), changed.contract().signature());
        for rule in changed.summary().rules() {
            let (left, right) = (original.by_rule(rule).unwrap(), changed.by_rule(rule).unwrap());
            match refusal(&left, &right) {
                None => {
                    assert!(sound.contains(&rule), "{pointer}: compared by {rule}");
                    assert_eq!(compare(&left, &right).unwrap().differing, differences);
                }
                Some(refusal) => {
                    assert!(!sound.contains(&rule), "{pointer}: {refusal}");
                    assert_eq!((&refusal.spoiled_by, &refusal.sound[..]), (&differences, sound));
                    assert!(refusal.to_string().contains(&field(pointer)), "{refusal}");
                }
            }
        }
    }
}

#[test]
fn another_rule_is_refused_by_name_and_converted() {
    let by_sum = result(contract("m"), &items());
    let by_char = by_sum.by_rule(OptionRule::Char).unwrap();
    assert_eq!(by_char.contract().conditions().rule, OptionRule::Char);
    assert_eq!(by_char.accuracy().unwrap(), by_sum.summary().accuracy(OptionRule::Char).unwrap());
    let refusal = refusal(&by_sum, &by_char).unwrap();
    assert_eq!((refusal.spoiled_by.len(), &refusal.sound[..]), (1, &OptionRule::ALL[..]));
    let error = compare(&by_sum, &by_char).unwrap_err().to_string();
    let expected = "accuracy by sum does not compare: conditions.rule is \"sum\" and \"char\"; ";
    assert!(error.starts_with(expected), "{error}");
    assert!(compare(&by_sum, &by_char.by_rule(OptionRule::Sum).unwrap()).is_ok());
}

#[test]
fn other_items_are_refused_and_both_results_can_be_restricted_to_the_shared_ones() {
    let left = result(contract("m"), &items());
    let mut others = items();
    others[2] = TaskItem::new("new", [" a", " bb"], 0).unwrap();
    let mut conditions = contract("m").conditions().clone();
    conditions.items = llm_evaluation::tasks::ItemSet::of(&others);
    let right = result(TaskContract::new(subject("m"), conditions).unwrap(), &others);
    let error = compare(&left, &right).unwrap_err().to_string();
    assert!(error.contains("conditions.items.sha256 is "), "{error}");
    assert!(error.ends_with("restrict both to the 2 item(s) that are the same in both"), "{error}");

    let shared = |result: &TaskResult| {
        let in_both = |digest: &str| items()[..2].iter().any(|item| item.digest() == digest);
        result.of_items(in_both).unwrap()
    };
    let comparison = compare(&shared(&left), &shared(&right)).unwrap();
    assert_eq!((comparison.paired.item_count, comparison.differing), (2, vec![]));
    assert!(left.of_items(|_| false).is_err());
    let fewer = compare(&shared(&left), &left).unwrap_err().to_string();
    assert!(fewer.contains("conditions.items.count is 2 and 3"), "{fewer}");
}

#[test]
fn a_contract_without_one_of_its_fields_or_with_another_one_is_refused() {
    // subject 5, conditions 7, items 2, few_shot 3, template 2, pool 2, scoring 3, the two parts
    let base = serde_json::to_value(contract("m")).unwrap();
    assert_eq!(every_field_is_needed::<TaskContract>(&base), 5 + 7 + 2 + 3 + 2 + 2 + 3 + 2);
    let again: TaskContract = serde_json::from_str(&contract("m").canonical_json()).unwrap();
    assert_eq!(again, contract("m"));
}

#[test]
fn values_that_no_evaluation_can_have_are_refused_by_name() {
    let without_neutral = |mut base: Value| {
        base["conditions"]["scoring"]["neutral_prompt"] = Value::Null;
        base
    };
    let base = serde_json::to_value(contract("m")).unwrap();
    let cases = [
        (base.clone(), "/subject/model", json!(""), "subject.model is empty"),
        (base.clone(), "/conditions/items/count", json!(0), "conditions.items.count is 0"),
        (base.clone(), "/conditions/items/sha256", json!("x"), "conditions.items.sha256 is \"x\""),
        (base.clone(), "/conditions/pool/sha256", json!("y"), "conditions.pool.sha256 is \"y\""),
        (base.clone(), "/conditions/few_shot/shots", json!(4), "is 4, the pool has 3 items"),
        (base.clone(), "/conditions/pool", Value::Null, "conditions.pool belongs to few_shot"),
        (base.clone(), "/conditions/few_shot", Value::Null, "conditions.pool belongs to few_shot"),
        (base.clone(), "/conditions/rule", json!("acc"), "unknown variant `acc`"),
        (
            without_neutral(base),
            "/conditions/rule",
            json!("mutual-information"),
            "conditions.rule is mutual-information, but",
        ),
    ];
    for (mut changed, pointer, value, reason) in cases {
        *changed.pointer_mut(pointer).unwrap() = value;
        let error = read(changed).unwrap_err();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
}
