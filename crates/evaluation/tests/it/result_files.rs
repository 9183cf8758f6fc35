//! Result files changed in any one place: refused, or the same result.

use llm_evaluation::EvaluationResult;
use llm_evaluation::tasks::TaskResult;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::{contract_fields, task_contract_fields};

/// Puts every one of some values in every place that holds a plain value.
fn change_every_value<R: Serialize + DeserializeOwned + PartialEq>(original: &R) -> usize {
    let file = serde_json::to_value(original).unwrap();
    let mut places = Vec::new();
    contract_fields::leaves(&file, "", &mut places);
    let values = [
        Value::Null,
        json!(true),
        json!(-1),
        json!(0),
        json!(u64::MAX),
        json!(-1e300),
        json!(""),
        json!("0".repeat(64)),
        json!([]),
        json!({}),
    ];
    let mut refused = 0;
    for place in &places {
        for value in &values {
            let mut changed = file.clone();
            *changed.pointer_mut(place).unwrap() = value.clone();
            match serde_json::from_value::<R>(changed) {
                Ok(read) => assert!(read == *original, "{place} was changed to {value}"),
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() < 1000, "{place}: {error}");
                }
            }
        }
    }
    assert!(refused >= places.len() * (values.len() - 1), "{refused} of {}", places.len());
    places.len()
}

#[test]
fn no_value_of_a_text_result_can_be_changed_unseen() {
    let contract = contract_fields::contract("m", &[("a", "tell"), ("b", "me more")]);
    let places = change_every_value::<EvaluationResult>(&contract_fields::result(contract, 1.0));
    assert!(places > 45, "{places}");
}

#[test]
fn no_value_of_a_task_result_can_be_changed_unseen() {
    let contract = task_contract_fields::contract("m");
    let items = task_contract_fields::items();
    let places = change_every_value::<TaskResult>(&task_contract_fields::result(contract, &items));
    assert!(places > 150, "{places}");
}

/// What is no such object at all is told in words of the file, not of the program.
#[test]
fn a_file_of_something_else_is_refused_in_plain_words() {
    let text = |error: serde_json::Error| error.to_string();
    let no_result = serde_json::from_value::<EvaluationResult>(json!(true)).map_err(text);
    let expected = "invalid type: boolean `true`, expected a result, an object";
    assert_eq!(no_result.unwrap_err(), expected);
    let no_tasks = serde_json::from_value::<TaskResult>(json!("x")).map_err(text);
    let expected = "invalid type: string \"x\", expected a result of tasks, an object";
    assert_eq!(no_tasks.unwrap_err(), expected);
}
