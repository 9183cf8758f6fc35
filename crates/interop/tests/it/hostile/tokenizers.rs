//! Tokenizers that are damaged, or that do what ours does not.

use std::fs;

use llm_interop::hugging_face::{ImportOptions, import};
use serde_json::{Value, json};

use super::{copy, edit, refusal};

#[test]
fn other_tokenizers_are_refused_by_the_part() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 14] = [
        (
            |t| t["model"] = json!({"type": "Unigram", "unk_id": 0, "vocab": [["a", -1.5]]}),
            "`model.type` is Unigram, supported: BPE",
        ),
        (
            |t| t["model"] = json!({"type": "WordPiece", "vocab": {"a": 0}}),
            "`model.type` is WordPiece",
        ),
        (|t| t["model"]["byte_fallback"] = json!(true), "`model.byte_fallback` is true"),
        (|t| t["model"]["dropout"] = json!(0.1), "`model.dropout` is 0.1"),
        (|t| t["model"]["end_of_word_suffix"] = json!("</w>"), "`model.end_of_word_suffix` is set"),
        (|t| t["model"]["vocab"]["\u{2581}the"] = json!(303), "a token of `model.vocab` is \""),
        (|t| t["normalizer"] = json!({"type": "Lowercase"}), "`normalizer` is {\"type\":\"Low"),
        (|t| t["pre_tokenizer"] = json!({"type": "Metaspace"}), "`pre_tokenizer` is {\"type\":\"M"),
        (|t| t["pre_tokenizer"] = Value::Null, "`pre_tokenizer` is null"),
        (
            |t| t["pre_tokenizer"]["pretokenizers"][1]["add_prefix_space"] = json!(true),
            "`pre_tokenizer` is {\"add_prefix_space\":true",
        ),
        (
            |t| t["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = json!("\\s+"),
            "`pre_tokenizer` is {",
        ),
        (|t| t["post_processor"] = json!({"type": "BertProcessing"}), "`post_processor` is {"),
        (|t| t["added_tokens"][0]["lstrip"] = json!(true), ""),
        (
            |t| {
                t["added_tokens"].as_array_mut().unwrap().push(json!({
                    "id": 304, "content": "x", "special": false, "single_word": true,
                }))
            },
            "added token \"x\" with lstrip, rstrip or single_word is true",
        ),
    ];
    for (change, expected) in cases {
        let dir = copy("llama3");
        edit(dir.path(), "tokenizer.json", change);
        if expected.is_empty() {
            let imported = import::<f32>(dir.path(), &ImportOptions::default());
            assert!(
                imported.is_ok(),
                "a control token is never looked for, so nothing is stripped"
            );
            continue;
        }
        let message = refusal(dir.path());
        assert!(message.starts_with(&format!("tokenizer.json: {expected}")), "{message}");
        assert!(import::<f32>(dir.path(), &ImportOptions { tokenizer: false }).is_ok());
    }
}

#[test]
fn a_refusal_knows_whether_the_tokenizer_is_the_reason() {
    for (file, expected) in [
        ("tokenizer.json", true),
        ("tokenizer_config.json", true),
        ("config.json", false),
        ("model.safetensors", false),
    ] {
        let dir = copy("smollm2");
        fs::write(dir.path().join(file), "no JSON").unwrap();
        let error = import::<f64>(dir.path(), &ImportOptions::default()).unwrap_err();
        assert_eq!(error.is_about_tokenizer(), expected, "{error}");
        fs::remove_file(dir.path().join(file)).unwrap();
        let missing = import::<f64>(dir.path(), &ImportOptions::default());
        assert_eq!(
            missing.is_err_and(|error| error.is_about_tokenizer()),
            file == "tokenizer.json"
        );
    }
}

#[test]
fn vocabularies_that_contradict_themselves_are_refused() {
    type Change = fn(&mut Value);
    let cases: [(Change, &str); 5] = [
        (|t| t["model"]["vocab"]["a"] = json!(999), "byte_ids[97]: id 999 is not below vocab_size"),
        (|t| t["model"]["vocab"]["a"] = t["model"]["vocab"]["b"].clone(), "already has another"),
        (|t| t["model"]["merges"][0] = json!(["qq", "q"]), "`model.merges[0]`: \"qqq\" is not in"),
        (|t| t["model"]["merges"][0] = json!("ab"), "`model.merges[0]` has no space between"),
        (|t| t["model"]["vocab"]["a"] = json!(-1), "no tokenizer of a known form: "),
    ];
    for (change, expected) in cases {
        let dir = copy("llama3");
        edit(dir.path(), "tokenizer.json", change);
        let message = refusal(dir.path());
        assert!(message.starts_with("tokenizer.json: ") && message.contains(expected), "{message}");
    }
}

#[test]
fn settings_that_would_change_a_text_are_refused() {
    let dir = copy("smollm2");
    edit(dir.path(), "tokenizer_config.json", |config| config["add_prefix_space"] = json!(true));
    assert!(refusal(dir.path()).starts_with("tokenizer_config.json: `add_prefix_space` is true"));
    edit(dir.path(), "tokenizer_config.json", |config| {
        config["add_prefix_space"] = json!(false);
        config["added_tokens_decoder"] = json!({"7": {"content": "x"}});
    });
    assert!(
        refusal(dir.path()).starts_with("tokenizer_config.json: `added_tokens_decoder` is token 7")
    );
}
