//! `llm quantize`, `llm import`, `llm export`: models in other forms.

use std::fs;

use llm_from_scratch_practical::archive::{PortableModel, Selection};
use serde_json::{Value, json};

use crate::support::{Folder, json, llm, refused};

#[test]
fn a_rounded_model_is_smaller_and_scored_like_any_other() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "some text"));
    let scored = |model: &str| json(&mut llm(["evaluate", "--model", model, "--input", &text]));
    let exact = scored(&model)["nats_per_token"].as_f64().unwrap();
    for (weights, within) in [("int8", 1e-3), ("int4", 1e-1)] {
        let small = folder.at(weights);
        let words = ["quantize", "--model", &model, "--weights", weights, "--output", &small];
        let report = json(&mut llm(words));
        assert_eq!(report["bytes_after"], fs::metadata(&small).unwrap().len());
        assert_eq!(report["sha256"], json(&mut llm(["inspect", &small, "--verify"]))["sha256"]);
        let rounded = scored(&small);
        assert_eq!(rounded["model_sha256"], report["sha256"]);
        let nats = rounded["nats_per_token"].as_f64().unwrap();
        assert!(nats != exact && (nats - exact).abs() < within, "{weights}: {nats}, {exact}");
        let model = rounded["contract"]["subject"]["model"].as_str().unwrap();
        assert!(model.starts_with(&format!("{weights} as decoder-f32 sha256:")), "{model}");
    }
    let again = folder.at("again");
    let twice =
        ["quantize", "--model", &folder.at("int8"), "--weights", "int4", "--output", &again];
    assert!(refused(&mut llm(twice), 1).contains("quantized-model"));
}

#[test]
fn a_rounded_model_keeps_the_label_of_its_selection() {
    let folder = Folder::new();
    let (model, small) = (folder.model("m.llm", 1), folder.at("small"));
    let words = ["quantize", "--model", &model, "--weights", "int8", "--output", &small];
    let label_of_rounded = || {
        json(&mut llm(words));
        json(&mut llm(["inspect", &small, "--verify"]))["metadata"]["model"]["selection"].take()
    };
    assert_eq!(label_of_rounded(), Value::Null);
    let selected_on = "validation".to_owned();
    let selection = Selection { selected_on, update: 600, nats_per_token: 0.75 };
    let plain = PortableModel::<f32>::load(&model).unwrap();
    plain.selected(selection).unwrap().save(&model).unwrap();
    let expected = json!({"selected_on": "validation", "update": 600, "nats_per_token": 0.75});
    assert_eq!(label_of_rounded(), expected);
}

/// A model goes out as a folder, comes back, and scores the same bits.
#[test]
fn a_folder_of_ours_comes_back_as_the_same_model() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "some text"));
    let (out, back) = (folder.at("folder"), folder.at("back.llm"));
    let exported = json(&mut llm(["export", "hf", &out, "--model", &model]));
    assert_eq!(exported["has_tokenizer"], true);
    let imported = json(&mut llm(["import", "hf", &out, "--output", &back]));
    assert_eq!((&imported["dtype"], &imported["vocab_size"]), (&"f32".into(), &258.into()));
    let scored = |model: &str| {
        let words = ["evaluate", "--model", model, "--input", &text, "--start-token", "bos"];
        json(&mut llm(words))
    };
    assert_eq!(scored(&back)["nats_per_token"], scored(&model)["nats_per_token"]);
    // A folder with something in it is left alone.
    assert!(refused(&mut llm(["export", "hf", &out, "--model", &model]), 1).contains("folder"));
}

#[test]
fn without_its_tokenizer_a_model_scores_ids_only() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abc"));
    let (out, back) = (folder.at("folder"), folder.at("back.llm"));
    json(&mut llm(["export", "hf", &out, "--model", &model]));
    json(&mut llm(["import", "hf", &out, "--output", &back, "--no-tokenizer"]));
    let message = refused(&mut llm(["evaluate", "--model", &back, "--input", &text]), 1);
    assert!(message.contains("without a tokenizer"), "{message}");
    let ids = folder.write("i.jsonl", "{\"ids\":[0,99,100]}");
    let scored = |model: &str| json(&mut llm(["evaluate", "--model", model, "--input", &ids]));
    assert_eq!(scored(&back)["nats_per_token"], scored(&model)["nats_per_token"]);
}

#[test]
fn a_tokenizer_that_cannot_be_read_is_refused_with_the_option_that_leaves_it_out() {
    let folder = Folder::new();
    let (model, out, back) = (folder.model("m.llm", 1), folder.at("folder"), folder.at("back.llm"));
    json(&mut llm(["export", "hf", &out, "--model", &model]));
    let words = ["import", "hf", &out, "--output", &back];
    folder.write("folder/tokenizer.json", "{\"model\":{\"type\":\"Unigram\"}}");
    let message = refused(&mut llm(words), 1);
    assert!(message.contains("--no-tokenizer"), "{message}");
    assert!(message.contains("tokenizer.json: `model.type` is Unigram"), "{message}");
    fs::remove_file(folder.at("folder/tokenizer.json")).unwrap();
    assert!(refused(&mut llm(words), 1).contains("--no-tokenizer"));
    json(llm(words).arg("--no-tokenizer"));

    // It helps with nothing else.
    folder.write("folder/config.json", "{}");
    let message = refused(&mut llm(words), 1);
    assert!(message.contains("config.json") && !message.contains("--no-tokenizer"), "{message}");
}

#[test]
fn a_folder_that_is_none_is_refused() {
    let folder = Folder::new();
    let (empty, back) = (folder.at("none"), folder.at("back.llm"));
    fs::create_dir(&empty).unwrap();
    let message = refused(&mut llm(["import", "hf", &empty, "--output", &back]), 1);
    assert!(message.contains("config.json"), "{message}");
    assert!(fs::metadata(&back).is_err());
}
