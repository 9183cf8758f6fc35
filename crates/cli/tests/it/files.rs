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

#[test]
fn an_empty_document_takes_the_figures_per_byte_with_it_and_no_others() {
    let folder = Folder::new();
    for (name, text) in [("a", "some words"), ("b", ""), ("c", "words")] {
        folder.write(&format!("texts/{name}"), text);
    }
    let result = |seed| {
        let (model, contract) = (folder.model("m.llm", seed), folder.at(&format!("{seed}.json")));
        let words = ["evaluate", "--model", &model, "--input", &folder.at("texts"), "--contract"];
        json(llm(words).arg(&contract));
        contract
    };
    let report = json(&mut llm(["compare", &result(1), &result(2)]));
    let comparisons = report["comparisons"].as_array().unwrap();
    assert_eq!(comparisons.len(), 1);
    assert_eq!(comparisons[0]["measure"], "nats_per_token");
    for refused in report["refused"].as_array().unwrap() {
        let reason = refused["reason"].as_str().unwrap();
        assert!(reason.contains("document `b` has no byte"), "{reason}");
    }
}

/// Under any name: a link, a detour, a file of a folder that is read.
#[test]
#[cfg(unix)]
fn no_output_replaces_what_is_read() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let text = folder.write("texts/a", "abc");
    let link = folder.at("link.llm");
    std::os::unix::fs::symlink(&model, &link).unwrap();
    let detour = folder.at("texts/../m.llm");
    let texts = folder.at("texts");
    let before = [&model, &text].map(|path| fs::read(path).unwrap());
    let evaluate = ["evaluate", "--model", &model, "--input", &texts, "--records"];
    for output in [&model, &link, &detour, &text] {
        let message = refused(llm(evaluate).arg(output), 2);
        assert!(message.contains(output.as_str()), "{message}");
    }
    let tokenizer = ["tokenizer", "train", "--vocab-size", "258", "--input", &texts, "--output"];
    refused(llm(tokenizer).arg(&text), 2);
    refused(&mut llm(["export", "gguf", &link, "--model", &model]), 2);

    let exported = folder.at("hf");
    printed(&mut llm(["export", "hf", &exported, "--model", &model]));
    let weights = folder.at("hf/model.safetensors");
    let of_others = fs::read(&weights).unwrap();
    refused(&mut llm(["import", "hf", &exported, "--output", &weights]), 2);
    assert_eq!(fs::read(&weights).unwrap(), of_others);
    assert_eq!([&model, &text].map(|path| fs::read(path).unwrap()), before);

    // Beside them, there is room.
    printed(llm(evaluate).arg(folder.at("texts/new")));
    printed(&mut llm(["import", "hf", &exported, "--output", &folder.at("hf/new.llm")]));
}
