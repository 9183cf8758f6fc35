//! `llm inspect` and `llm compare`: files of this program.

use std::fs;

use crate::support::{Folder, json, llm, printed, refused};

#[test]
fn inspection_shows_the_declared_identity_and_verification_checks_it() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let text = folder.write("t", "abc");
    let report = json(&mut llm(["inspect", &model]));
    assert_eq!((&report["kind"], &report["verified"]), (&"model".into(), &false.into()));
    assert_eq!(report["metadata"]["config"]["context_len"], 16);
    assert_eq!(report["metadata"]["config"]["dtype"], "f32");
    assert_eq!(report["tensors"][0]["shape"], "[258, 8]");
    let scored = json(&mut llm(["evaluate", "--model", &model, "--input", &text]));
    assert_eq!(report["sha256"], scored["model_sha256"]);

    let verified = json(&mut llm(["inspect", &model, "--verify"]));
    assert_eq!((&verified["verified"], &verified["sha256"]), (&true.into(), &report["sha256"]));

    let mut bytes = fs::read(&model).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = folder.write("d.llm", &bytes);
    assert_eq!(json(&mut llm(["inspect", &damaged]))["sha256"], report["sha256"]);
    let message = refused(&mut llm(["inspect", &damaged, "--verify"]), 1);
    assert!(message.contains("d.llm: content is damaged"), "{message}");
    bytes.pop();
    let short = folder.write("s.llm", &bytes);
    assert!(refused(&mut llm(["inspect", &short]), 1).contains("cut off"));
    assert!(refused(&mut llm(["inspect", &text]), 1).contains(&text));
}

#[test]
fn two_models_on_the_same_texts_are_compared_by_document() {
    let folder = Folder::new();
    for (name, text) in [("a", "some words"), ("b", "other words"), ("c", "words")] {
        folder.write(&format!("texts/{name}"), text);
    }
    let evaluate = |seed, options: &[&str]| {
        let model = folder.model(&format!("{seed}.llm"), seed);
        let words = ["evaluate", "--model", &model, "--input", &folder.at("texts"), "--json"];
        printed(llm(words).args(options))
    };
    let contract = folder.at("contract.json");
    let one = folder.write("one.json", evaluate(1, &["--contract", &contract]));
    let two = folder.write("two.json", evaluate(2, &[]));
    let report = json(&mut llm(["compare", &one, &two]));
    assert_eq!(report["comparisons"].as_array().unwrap().len(), 3);
    let read = |path: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
    };
    let difference = read(&one)["nats_per_token"].as_f64().unwrap()
        - read(&two)["nats_per_token"].as_f64().unwrap();
    let reported = report["comparisons"][0]["difference"].as_f64().unwrap();
    assert!((reported - difference).abs() < 1e-12);
    // What --contract wrote is the same result.
    let by_contract = json(&mut llm(["compare", &contract, &two]));
    assert_eq!(by_contract, report);

    let other = folder.write("other.json", evaluate(2, &["--stride", "2"]));
    let message = refused(&mut llm(["compare", &one, &other]), 1);
    assert!(message.contains("windows.stride is 8 and 2"), "{message}");
    let text = folder.write("no.json", "{}");
    assert!(refused(&mut llm(["compare", &one, &text]), 1).contains("no.json"));
    // A total that was changed by hand is no longer that of the contract.
    let mut changed = read(&one);
    changed["document_totals"][0]["bytes"] = 11.into();
    let changed = folder.write("changed.json", changed.to_string());
    assert!(refused(&mut llm(["compare", &changed, &two]), 1).contains("`a`"));
}
