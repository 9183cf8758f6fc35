//! Published figures about multiple choice, recomputed from `testdata/option_figures.json`.

use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_evaluation::tasks::{
    ExamplePool, FewShot, OptionRecord, OptionRule, OptionScoring, PromptTemplate, Question,
    TaskItem, TaskSummary, score_options,
};
use llm_metrics::{Proportion, unpaired_standard_error};
use llm_tokenizer::chapter_four_tokenizer;
use serde_json::Value;

use crate::task_models::{Recorder, record};

fn close(value: f64, expected: &Value) {
    let [figure, tolerance] = [0, 1].map(|i| expected[i].as_f64().unwrap());
    assert!((value - figure).abs() <= tolerance, "{value}, expected {figure}");
}

fn number(case: &Value, name: &str) -> usize {
    case[name].as_u64().unwrap_or_else(|| panic!("{name}")) as usize
}

#[test]
fn every_figure_is_recomputed() {
    let file: Value = serde_json::from_str(include_str!("../../testdata/option_figures.json"))
        .expect("the file is JSON");
    let cases = file["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 20);
    for case in cases {
        eprintln!("{}", case["name"]); // shown by the test harness if something below fails
        match case["compute"].as_str().unwrap() {
            "pick" => pick(case),
            "lengths" => lengths(case),
            "first_row" => first_row(case),
            "rule_name" => {
                let known = case["given"].as_str().unwrap().parse::<OptionRule>().is_ok();
                assert_eq!(known, case["known"].as_bool().unwrap());
            }
            "few_shot" => few_shot(case),
            "standard_error" => close(100.0 * accuracy_error(case), &case["points"]),
            "unresolved_gap" => {
                let error =
                    100.0 * unpaired_standard_error(accuracy_error(case), accuracy_error(case));
                close(error, &case["error_of_the_difference"]);
                assert!(case["gap_points"].as_f64().unwrap() < 1.96 * error);
            }
            "swing" => {
                let swing =
                    case["percent"][1].as_f64().unwrap() - case["percent"][0].as_f64().unwrap();
                close(swing, &case["points"]);
                assert_eq!(swing.round(), case["called"].as_f64().unwrap());
            }
            other => panic!("{other}"),
        }
    }
}

/// The options as records of one item, with the lengths of their texts.
fn records(case: &Value) -> Vec<OptionRecord> {
    let nats = |value: &Value| -> Vec<f64> {
        value.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    let of = |(option, value): (usize, &Value)| OptionRecord {
        neutral_log_probabilities: value.get("neutral").map(nats),
        ..record(0, option, option == 0, value["text"].as_str().unwrap(), &nats(&value["nats"]))
    };
    case["options"].as_array().unwrap().iter().enumerate().map(of).collect()
}

fn pick(case: &Value) {
    let result = TaskSummary::from_records(records(case)).unwrap();
    for (what, expected) in [("picks", &case["picks"]), ("ties", &case["ties"])] {
        for (rule, expected) in expected.as_object().unwrap() {
            let choice = &result.choices(rule.parse().unwrap()).unwrap()[0];
            let given = if what == "picks" { choice.chosen } else { choice.ties };
            assert_eq!(given as u64, expected.as_u64().unwrap(), "{what} of {rule}");
        }
    }
    let without: Vec<OptionRecord> = records(case)
        .into_iter()
        .map(|record| OptionRecord { neutral_log_probabilities: None, ..record })
        .collect();
    let without = TaskSummary::from_records(without).unwrap();
    assert!(without.choices(OptionRule::MutualInformation).is_err());
    for rule in without.rules() {
        assert_eq!(without.choices(rule).unwrap(), result.choices(rule).unwrap());
    }
}

fn lengths(case: &Value) {
    let [prompt, option] = ["prompt", "option"].map(|name| case[name].as_str().unwrap());
    let tokenizer = chapter_four_tokenizer();
    let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
    let item = TaskItem::new(prompt, [option, " other"], 0).unwrap();
    let scoring = OptionScoring::default();
    let questions = [Question::plain(&item)];
    let records =
        score_options(&model, &tokenizer, &questions, &scoring, NonZeroUsize::MIN).unwrap();
    let given = [records[0].characters, records[0].bare_characters, records[0].bytes];
    assert_eq!(given.map(|n| n as usize), ["characters", "bare", "bytes"].map(|n| number(case, n)));
}

fn first_row(case: &Value) {
    let tokenizer = chapter_four_tokenizer();
    let model = Recorder::new(tokenizer.vocab_size());
    // A start token and letters that no merge joins: one id each.
    let item = TaskItem::new("xy", ["z", "zz"], 0).unwrap();
    let scoring = OptionScoring::default();
    let questions = [Question::plain(&item)];
    score_options(&model, &tokenizer, &questions, &scoring, NonZeroUsize::MIN).unwrap();
    let asked = model.asked.borrow();
    let (ids, first) = &asked[0];
    assert_eq!(*first, number(case, "prompt_ids")); // three ids are read before the first target
    assert_eq!(first - 1, number(case, "row_behind"));
    assert_eq!(ids.len(), 3); // and no other
}

fn few_shot(case: &Value) {
    let items: Vec<TaskItem> =
        (0..5).map(|i| TaskItem::new(format!("q{i}"), [" yes", " no"], i % 2).unwrap()).collect();
    let template = PromptTemplate::new("Answer.\n", "Q: {context}\nA:{answer}\n").unwrap();
    let few_shot = FewShot { template, shots: number(case, "shots"), seed: 1 };
    let prompt = few_shot.question(&items[0], &ExamplePool::new(&items)).unwrap();
    let lines: Vec<&str> = prompt.prompt().lines().collect();
    let solved = lines.iter().filter(|line| **line == "A: yes" || **line == "A: no").count();
    let open = lines.iter().filter(|line| **line == "A:").count();
    assert_eq!((solved, open), (number(case, "solved_blocks"), number(case, "open_questions")));
    assert_eq!((lines[0], lines[lines.len() - 2]), ("Answer.", "Q: q0"));
    assert!(prompt.prompt().ends_with("A:"));
}

fn accuracy_error(case: &Value) -> f64 {
    Proportion::new(number(case, "right"), number(case, "items")).unwrap().standard_error()
}
