//! Task results under contracts: scored by them, kept in files, cached, counted in the ledger.

use std::num::NonZeroUsize;

use llm_corpus::Partition;
use llm_evaluation::tasks::{
    BoundaryRule, FewShot, Join, OptionRecord, OptionRule, OptionScoring, PromptTemplate,
    TaskConditions, TaskContract, TaskError, TaskItem, TaskResult, compare,
    score_task_under_contract,
};
use llm_evaluation::{LanguageModel, Look, ResultCache, SplitLedger, Subject};
use llm_tokenizer::Tokenizer;
use serde_json::{Value, json};

use crate::task_contract_fields::{contract, items, result};
use crate::task_models::{models, tokenizer_with_words};

fn questions() -> Vec<TaskItem> {
    let item = |context, options: [&str; 2]| TaskItem::new(context, options, 0).unwrap();
    vec![item("ab ", ["ba", "cab"]), item("b", [" a", " caa"]), item("ca", ["b", "a b"])]
}

fn few_shot() -> FewShot {
    let template = PromptTemplate::new("", "{context}{answer};").unwrap();
    FewShot { template, shots: 2, seed: 9 }
}

fn scored_contract(model: &dyn LanguageModel, tokenizer: &Tokenizer) -> TaskContract {
    let scoring = OptionScoring { neutral_prompt: Some("c".into()), ..OptionScoring::default() };
    let conditions = TaskConditions::new(Partition::Test, &questions(), scoring, OptionRule::Byte)
        .with_few_shot(few_shot(), &questions());
    TaskContract::new(Subject::new(model, Some(tokenizer), "f64"), conditions).unwrap()
}

fn score(
    contract: &TaskContract,
    model: &dyn LanguageModel,
    tokenizer: &Tokenizer,
    items: &[TaskItem],
    pool: &[TaskItem],
    batch: usize,
) -> Result<TaskResult, TaskError> {
    let batch = NonZeroUsize::new(batch).unwrap();
    score_task_under_contract(contract, model, tokenizer, items, pool, batch)
}

#[test]
fn order_of_items_and_pool_and_the_batch_change_no_comparison() {
    let tokenizer = tokenizer_with_words(&["ab"]);
    let reversed: Vec<TaskItem> = questions().into_iter().rev().collect();
    for model in models(&tokenizer) {
        let contract = scored_contract(&*model, &tokenizer);
        let one = score(&contract, &*model, &tokenizer, &questions(), &questions(), 1).unwrap();
        let other = score(&contract, &*model, &tokenizer, &reversed, &reversed, 3).unwrap();
        assert_eq!(one.accuracy().unwrap(), other.accuracy().unwrap());
        let bits = |result: &TaskResult| {
            let records = result.summary().records();
            let mut all: Vec<(String, usize, Vec<u64>)> = records
                .map(|r| {
                    let bits = r.log_probabilities.iter().map(|x| x.to_bits()).collect();
                    (r.digest.clone(), r.option, bits)
                })
                .collect();
            all.sort();
            all
        };
        assert_eq!(bits(&one), bits(&other));
        let comparison = compare(&one, &other).unwrap().paired;
        assert_eq!((comparison.only_first, comparison.only_second), (0, 0));
    }
}

#[test]
fn what_the_contract_does_not_name_is_not_scored() {
    let tokenizer = tokenizer_with_words(&["ab"]);
    let models = models(&tokenizer);
    let (model, other_model) = (&*models[0], &*models[1]);
    let contract = scored_contract(model, &tokenizer);
    let message = |contract: &TaskContract, model, tokenizer, items: &[_], pool: &[_]| {
        score(contract, model, tokenizer, items, pool, 1).unwrap_err().to_string()
    };
    let all = questions();
    let error = message(&contract, other_model, &tokenizer, &all, &all);
    assert!(error.contains("subject.model is"), "{error}");
    let other_tokenizer = tokenizer_with_words(&["ba"]);
    let error = message(&contract, model, &other_tokenizer, &all, &all);
    assert!(error.contains("subject.tokenizer_sha256 is"), "{error}");
    let error = message(&contract, model, &tokenizer, &all[..2], &all);
    assert!(error.contains("conditions.items.count is 3, here it is 2"), "{error}");
    let error = message(&contract, model, &tokenizer, &all, &all[1..]);
    assert!(error.contains("conditions.pool.count is 3, here it is 2"), "{error}");
    for (pointer, value, reason) in [
        ("/conditions/dropout", json!(true), "conditions.dropout is true"),
        ("/subject/code_version", json!("other 2"), "subject.code_version is \"other 2\""),
    ] {
        let mut changed = serde_json::to_value(&contract).unwrap();
        *changed.pointer_mut(pointer).unwrap() = value;
        let changed: TaskContract = serde_json::from_value(changed).unwrap();
        let error = message(&changed, model, &tokenizer, &all, &all);
        assert!(error.contains(reason), "{error}");
    }
    // A pool that nothing is drawn from is a misunderstanding.
    let mut plain = contract.conditions().clone();
    (plain.few_shot, plain.pool) = (None, None);
    let plain = TaskContract::new(contract.subject().clone(), plain).unwrap();
    let error = message(&plain, model, &tokenizer, &all, &all);
    assert!(error.contains("conditions.pool is null, here it is"), "{error}");
    assert!(score(&plain, model, &tokenizer, &all, &[], 1).is_ok());
}

#[test]
fn records_of_other_rules_do_not_fit_a_contract() {
    let good = result(contract("m"), &items());
    let records = |change: fn(&mut OptionRecord)| -> Vec<OptionRecord> {
        let mut records: Vec<OptionRecord> = good.summary().records().cloned().collect();
        records[2..4].iter_mut().for_each(change);
        records
    };
    let refused =
        |records| TaskResult::from_records(contract("m"), records).unwrap_err().to_string();
    let error = refused(records(|record| record.neutral_log_probabilities = None));
    assert!(error.starts_with("item 1: neutral scores"), "{error}");
    let error = refused(records(|record| record.join = Join::BackedOff));
    assert!(error.contains("an option is BackedOff, which Separate never does"), "{error}");
    let error = refused(records(|record| record.digest = "c".repeat(64)));
    assert!(error.contains("conditions.items.sha256 is"), "{error}");
    let mut no_tokenizer = serde_json::to_value(contract("m")).unwrap();
    no_tokenizer["subject"]["tokenizer_sha256"] = Value::Null;
    let no_tokenizer: TaskContract = serde_json::from_value(no_tokenizer).unwrap();
    let error = TaskResult::from_records(no_tokenizer, records(|_| ())).unwrap_err().to_string();
    assert!(error.contains("options become ids by a tokenizer"), "{error}");
}

#[test]
fn a_result_survives_its_file_and_a_changed_number_is_found() {
    let original = result(contract("m"), &items());
    let file = serde_json::to_value(&original).unwrap();
    assert_eq!(serde_json::from_value::<TaskResult>(file.clone()).unwrap(), original);
    let signature = file["signature"].as_str().unwrap();
    let expected = "model:m|tokenizer:aaaaaaaa|code:tests_1|dtype:f64|execution:scalar-cpu|\
                    split:test|items:3|rule:sum|shots:2/seed-4|start:bos|boundary:separate|\
                    neutral:given|dropout:off|conditions:";
    assert!(signature.starts_with(expected), "{signature}");
    assert_eq!(file["numbers"].as_object().unwrap().len(), 6);
    for (pointer, value, reason) in [
        ("/signature", json!("model:other"), "signature"),
        ("/conditions_sha256", json!("0"), "conditions_sha256"),
        ("/numbers/sum/accuracy", json!(0.9), "numbers.sum.accuracy is 0.9"),
        ("/records/0/log_probabilities/0", json!(-2.5), "numbers.byte.accuracy is"),
        ("/records/0/neutral_log_probabilities/0", json!(-3.125), "records_sha256 is"),
        ("/records/0/log_probabilities/0", json!(0.5), "expected finite numbers, 0 or below"),
        ("/records/0/digest", json!("0"), "different digests"),
        ("/contract/conditions/rule", json!("char"), "conditions_sha256"),
        ("/contract/conditions/items/count", json!(4), "conditions.items.count is 4"),
    ] {
        let mut changed = file.clone();
        *changed.pointer_mut(pointer).unwrap() = value;
        let error = serde_json::from_value::<TaskResult>(changed).unwrap_err().to_string();
        assert!(error.contains(reason), "{pointer}: {error}");
    }
    let mut permuted = file;
    permuted["records"].as_array_mut().unwrap().swap(0, 2);
    let error = serde_json::from_value::<TaskResult>(permuted).unwrap_err().to_string();
    assert!(error.starts_with("result: records is [") && error.len() < 500, "{error}");
}

#[test]
fn task_results_are_cached_by_contract_and_their_splits_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let cache = ResultCache::new(folder.path().join("results"));
    let by_sum = contract("m");
    let by_char = result(contract("m"), &items()).by_rule(OptionRule::Char).unwrap();
    let mut computed = 0;
    let mut ask = |contract: &TaskContract| {
        let compute = || -> Result<TaskResult, TaskError> {
            computed += 1;
            Ok(result(contract.clone(), &items()))
        };
        (cache.get_or_compute(contract, compute).unwrap(), computed)
    };
    assert_eq!(ask(&by_sum).1, 1);
    assert_eq!(ask(by_char.contract()), (by_char.clone(), 2));
    assert_eq!(ask(&by_sum), (result(by_sum.clone(), &items()), 2));

    let ledger = SplitLedger::new(folder.path().join("looks.jsonl"));
    ledger.record(&by_sum, "final", Look::Once).unwrap();
    let error = ledger.record(by_char.contract(), "another rule", Look::Once).unwrap_err();
    assert!(error.to_string().contains("scored 1 time(s) before"), "{error}");
}

#[test]
fn joins_that_two_tokenizers_settle_differently_are_a_caveat() {
    let make = |tokenizer: &str, join: Join| {
        let mut contract = serde_json::to_value(contract("m")).unwrap();
        contract["subject"]["tokenizer_sha256"] = json!(tokenizer.repeat(64));
        let contract: TaskContract = serde_json::from_value(contract).unwrap();
        let records = result(contract.clone(), &items());
        let records = records.summary().records().map(|r| OptionRecord { join, ..r.clone() });
        TaskResult::from_records(contract, records).unwrap()
    };
    let caveats = |left: Join, tokenizer: &str| {
        compare(&make("a", left), &make(tokenizer, Join::Clean)).unwrap().caveats
    };
    assert!(caveats(Join::Split, "b")[0].contains("6 and 0 times"));
    assert_eq!(caveats(Join::Clean, "b"), Vec::<String>::new());
    assert_eq!(caveats(Join::Split, "a"), Vec::<String>::new());
    assert_eq!(contract("m").conditions().scoring.boundary, BoundaryRule::Separate);
}
