//! `llm tasks`.

use std::fs;

use llm_from_scratch_practical::evaluation::tasks::{OptionRule, TaskSummary, read_option_records};

use crate::support::{Folder, json, llm, printed, refused};

const ITEMS: &str = "{\"context\":\"1, 2,\",\"options\":[\" 3\",\" 10\"],\"answer\":0,\"group\":\"a\"}\n\
{\"context\":\"one, two,\",\"options\":[\" three\",\" ten\"],\"answer\":0,\"group\":\"a\"}\n\
{\"context\":\"I, II,\",\"options\":[\" III\",\" X\"],\"answer\":0,\"group\":\"b\"}\n";

#[test]
fn every_rule_comes_from_the_records_of_one_pass() {
    let folder = Folder::new();
    let (model, items) = (folder.model("m.llm", 1), folder.write("i.jsonl", ITEMS));
    let records = folder.at("r.jsonl");
    let words = ["tasks", "--model", &model, "--items", &items];
    let report = json(llm(words).args(["--records", &records, "--rule", "char-bare"]));
    assert_eq!((&report["items"], &report["result"]["rule"]), (&3.into(), &"char-bare".into()));
    assert_eq!(report["rules"].as_array().unwrap().len(), 5); // no neutral prompt

    let file = fs::read(&records).unwrap();
    let read = read_option_records(&file[..]).collect::<Result<Vec<_>, _>>().unwrap();
    let summary = TaskSummary::from_records(read).unwrap();
    for (rule, reported) in OptionRule::ALL.iter().zip(report["rules"].as_array().unwrap()) {
        let expected = serde_json::to_value(summary.accuracy(*rule).unwrap()).unwrap();
        assert_eq!(*reported, expected);
    }
    let neutral = json(llm(words).args(["--neutral-prompt", ":", "--rule", "mutual-information"]));
    assert_eq!(neutral["rules"].as_array().unwrap().len(), 6);
    assert_eq!(neutral["rules"][0], report["rules"][0]);
}

#[test]
fn examples_are_drawn_by_seed_and_never_the_item_itself() {
    let folder = Folder::new();
    let (model, items) = (folder.model("m.llm", 1), folder.write("i.jsonl", ITEMS));
    let words = ["tasks", "--model", &model, "--items", &items, "--few-shot"];
    // Contexts of 16 bytes leave no room for an example of this template.
    assert!(refused(llm(words).arg("1"), 1).contains("item 0"));
    // Of three items, two are left as examples.
    let message = refused(llm(words).arg("3"), 1);
    assert!(message.contains('3') && message.contains('2'), "{message}");
    for option in ["--pool", "--template", "--instruction"] {
        let words = ["tasks", "--model", &model, "--items", &items, option, &items];
        assert!(refused(&mut llm(words), 2).contains("--few-shot"), "{option}");
    }
    let words_of_rule =
        ["tasks", "--model", &model, "--items", &items, "--rule", "mutual-information"];
    assert!(refused(&mut llm(words_of_rule), 2).contains("--neutral-prompt"));
    let message = refused(llm(words).args(["1", "--template", "{context}"]), 1);
    assert!(message.contains("answer"), "{message}");
}

#[test]
fn items_that_are_none_are_named_by_file_and_line() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let bad = folder.write("bad.jsonl", "{\"context\":\"a\",\"options\":[\"b\"],\"answer\":0}\n");
    let message = refused(&mut llm(["tasks", "--model", &model, "--items", &bad]), 1);
    assert!(message.contains("bad.jsonl: line 1"), "{message}");
    let none = folder.write("none.jsonl", "");
    let message = refused(&mut llm(["tasks", "--model", &model, "--items", &none]), 1);
    assert!(message.contains("none.jsonl: has no items"), "{message}");
    let words = ["tasks", "--model", &model, "--items", &bad, "--rule", "mean"];
    assert!(refused(&mut llm(words), 2).contains("char-bare"));
}

#[test]
fn two_models_on_the_same_items_are_compared_by_item() {
    let folder = Folder::new();
    let items = folder.write("i.jsonl", ITEMS);
    let result = |seed, options: &[&str]| {
        let (model, contract) = (folder.model("m.llm", seed), folder.at(&format!("{seed}.json")));
        let words = ["tasks", "--model", &model, "--items", &items, "--contract", &contract];
        json(llm(words).args(options));
        contract
    };
    let (one, two) = (result(1, &[]), result(2, &[]));
    let report = json(&mut llm(["compare", &one, &two]));
    assert_eq!(
        (&report["paired"]["rule"], &report["paired"]["item_count"]),
        (&"sum".into(), &3.into())
    );
    let other = result(3, &["--rule", "byte"]);
    assert!(refused(&mut llm(["compare", &one, &other]), 1).contains("conditions.rule"));
    let (model, text) = (folder.at("m.llm"), folder.write("t", "abc"));
    let documents = folder.at("d.json");
    let words = ["evaluate", "--model", &model, "--input", &text, "--contract", &documents];
    json(&mut llm(words));
    assert!(refused(&mut llm(["compare", &one, &documents]), 1).contains("one result is of"));
}

/// As for documents, what the command prints is enough: nobody has to run it again for a contract.
#[test]
fn printed_results_compare_like_written_ones() {
    let folder = Folder::new();
    let items = folder.write("i.jsonl", ITEMS);
    let results = |seed| {
        let (model, written) = (folder.model("m.llm", seed), folder.at(&format!("{seed}.json")));
        let words = ["tasks", "--model", &model, "--items", &items, "--contract", &written];
        let json = printed(llm(words).arg("--json"));
        (written, folder.write(&format!("printed-{seed}.json"), json))
    };
    let ((one, one_printed), (two, two_printed)) = (results(1), results(2));
    let compare = |left: &str, right: &str| json(&mut llm(["compare", left, right]));
    let expected = compare(&one, &two);
    assert_eq!(compare(&one_printed, &two_printed), expected);
    assert_eq!(compare(&one, &two_printed), expected);

    // The records must be those of the contract's items.
    let text = fs::read_to_string(&one_printed).unwrap();
    let digest = text.split_once("\"digest\":").unwrap().1.trim_start()[1..65].to_owned();
    let other = folder.write("other.json", text.replacen(&digest, &"0".repeat(64), 2));
    let message = refused(&mut llm(["compare", &other, &two]), 1);
    assert!(message.contains("other.json: no result that"), "{message}");
    assert!(message.contains("conditions.items.sha256"), "{message}");
}
