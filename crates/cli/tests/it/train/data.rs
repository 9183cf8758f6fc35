//! Who is held out, and what is refused before anything is learned.

use std::fs;

use serde_json::json;

use crate::support::refused;
use crate::train::{SETTINGS, Workplace};

#[test]
fn nothing_to_learn_from_is_refused() {
    let place = Workplace::new();
    place.write("text.txt", " \n\n\t\n");
    assert!(refused(&mut place.train(&[]), 1).contains("1 blank text(s)"));
    fs::create_dir(place.path("empty")).unwrap();
    assert!(refused(&mut place.train(&["--files", "empty"]), 1).contains("empty"));
    let endings = ["--files", ".", "--endings", "rst"];
    assert!(refused(&mut place.train(&endings), 1).contains("2 file(s) with other endings"));
    assert!(!place.path("out").exists());
}

#[test]
fn one_document_cannot_be_split_but_can_be_learned_from() {
    let place = Workplace::new();
    place.write("text.txt", "a single document");
    let message = refused(&mut place.train(&[]), 1);
    assert!(message.contains("document(s)") && message.contains("validation_share"), "{message}");
    let report = place.report(&["--validation-share", "0"]);
    assert_eq!(report["best"], json!(null));
    assert_eq!(report["data"]["validation"]["documents"], 0);
    assert!(place.path("out/model.safetensors").exists());
    assert!(!place.path("out/best.safetensors").exists());
}

#[test]
fn held_out_text_that_stands_in_training_is_refused_dropped_or_reported() {
    let place = Workplace::new();
    let train = |i: usize| {
        let words = ["zero", "one", "two", "three", "four", "five", "six", "seven"];
        (0..8).map(|k| format!("{}{}", words[(i + k) % 8], i)).collect::<Vec<_>>().join(" ")
    };
    let record = |id: &str, text: &str, split: &str| {
        json!({ "id": id, "text": text, "split": split }).to_string() + "\n"
    };
    let mut lines: String = (0..8).map(|i| record(&format!("t{i}"), &train(i), "train")).collect();
    lines += &record("copy", &train(3).to_uppercase(), "validation");
    lines += &record("new", "Nobody has written this before.", "validation");
    place.write("records.jsonl", &lines);
    let overlap = |way: &'static str| ["--files", "records.jsonl", "--overlap", way, "--out", way];
    let settings = |way: &'static str| {
        let mut command = crate::support::llm(["train", "--json", "--config", "run.toml"]);
        command.args(overlap(way)).current_dir(place.folder.path());
        command
    };

    let message = refused(&mut settings("refuse"), 1);
    assert!(message.contains("1 of 2") && message.contains("`copy` in `t3`"), "{message}");
    assert!(!place.path("refuse").exists());
    for (way, documents, dropped, kept) in [("drop", 1, 1, 0), ("report", 2, 0, 1)] {
        let report = crate::support::printed(&mut settings(way));
        let report: serde_json::Value = serde_json::from_str(&report).unwrap();
        let data = &report["data"];
        assert_eq!(data["validation"]["documents"], documents, "{way}");
        assert_eq!(data["overlapping_documents_dropped"], dropped, "{way}");
        assert_eq!(data["overlapping_documents"], kept, "{way}");
        assert_eq!(place.json(&format!("{way}/overlap.json"))["flagged"], json!(["copy"]));
    }
}

/// Everything but the loss on them: tokenizer, order, weights.
#[test]
fn validation_documents_leave_no_trace_in_the_model() {
    let place = Workplace::new();
    let corpus = |held_out: &str| {
        let train = (0..20).map(|i| {
            json!({ "id": format!("t{i}"), "text": format!("text {i} of many {}", i * i), "split": "train" })
        });
        let held_out = json!({ "id": "v", "text": held_out, "split": "validation" });
        train.chain([held_out]).map(|record| record.to_string() + "\n").collect::<String>()
    };
    place.write("one.jsonl", &corpus("Something else entirely, and longer."));
    place.write("two.jsonl", &corpus("zzzz zzzz zzzz zzzz"));
    let run = |file: &str, out: &str| place.report(&["--files", file, "--out", out]);
    let (one, two) = (run("one.jsonl", "one"), run("two.jsonl", "two"));
    assert_eq!(one["last"]["model_sha256"], two["last"]["model_sha256"]);
    assert_eq!(one["run_sha256"], two["run_sha256"]);
    assert_ne!(one["best"]["validation_nats_per_token"], two["best"]["validation_nats_per_token"]);
}

/// A tokenizer of bytes learns from anything; only the copy of the validation documents is missing,
/// which JSON could not hold.
#[test]
fn text_that_is_no_utf_8_is_learned_from_as_it_is() {
    let place = Workplace::new();
    let text: Vec<u8> = (0..30_u8).flat_map(|i| [b'\xff', i + 40, b'\xc3', b'\r', b'\n']).collect();
    fs::write(place.path("text.txt"), &text).unwrap();
    let report = place.report(&["--documents", "lines"]);
    let side = |side: &str| report["data"][side]["bytes"].as_u64().unwrap();
    assert_eq!((side("train") + side("validation")), 30 * 3);
    assert_eq!(report["data"]["bytes"], 30 * 5);
    assert!(!place.path("out/validation.jsonl").exists());
}

#[test]
fn records_in_a_file_of_another_name_are_asked_about() {
    let place = Workplace::new();
    let record = |i: usize| format!("{{\"text\":\"record number {i}\"}}\n");
    place.write("records.json", &(0..30).map(record).collect::<String>());
    let files = ["--files", "records.json"];
    assert!(refused(&mut place.train(&files), 2).contains("--format jsonl"));
    let report = place.report(&[&files[..], &["--format", "jsonl"]].concat());
    let side = |side: &str| report["data"][side]["documents"].as_u64().unwrap();
    assert_eq!(side("train") + side("validation"), 30);
}

#[test]
fn documents_for_testing_are_not_looked_at() {
    let place = Workplace::new();
    let record = |i: usize, split: &str| {
        json!({ "id": format!("{i}"), "text": format!("text number {i}"), "split": split })
            .to_string()
    };
    let splits = ["train", "train", "validation", "test"];
    let lines: Vec<_> = splits.iter().enumerate().map(|(i, split)| record(i, split)).collect();
    place.write("records.jsonl", &lines.join("\n"));
    let report = place.report(&["--files", "records.jsonl"]);
    assert_eq!(report["data"]["test_documents_left_out"], 1);
    let listed = fs::read_to_string(place.path("out/corpus.json")).unwrap();
    assert!(listed.contains("\"0\"") && !listed.contains("\"3\""), "{listed}");
}

#[test]
fn a_tokenizer_that_is_there_is_used() {
    let place = Workplace::new();
    let trained = place.report(&[]);
    place.write(
        "run.toml",
        &SETTINGS.replace("vocab_size = 280", "artifact = \"out/tokenizer.json\""),
    );
    let used = place.report(&["--out", "again"]);
    assert_eq!(used["run_sha256"], trained["run_sha256"]);
}

#[test]
fn documents_that_have_changed_are_named_and_not_continued_with() {
    let place = Workplace::new();
    place.report(&[]);
    let text = fs::read_to_string(place.path("text.txt")).unwrap();
    place.write("text.txt", &(text + "\n\nOne more."));
    let message = refused(&mut place.train(&["--resume", "--updates", "20"]), 1);
    assert!(message.contains("`text.txt#51` is new"), "{message}");
}
