//! `llm train`: what a run writes, how it is told what to do, and how it ends.

mod data;
mod endings;
mod settings;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{llm, printed};

/// A folder with some text and the settings of a run that takes a moment.
struct Workplace {
    folder: TempDir,
}

/// One block of width 8, contexts of 16 tokens, 12 updates of 4 windows.
const SETTINGS: &str = r#"
out = "out"
seed = 39
[data]
files = ["text.txt"]
documents = "paragraphs"
validation_share = 0.2
[tokenizer]
vocab_size = 280
[model]
context_len = 16
d_model = 8
n_layers = 1
n_heads = 2
d_ff = 16
[training]
updates = 12
windows_per_update = 4
windows_per_microbatch = 2
checkpoint_every = 3
[evaluation]
evaluate_every = 4
sample_tokens = 10
"#;

/// Fifty paragraphs, no two of them alike: word i of paragraph n is one of eight, by a digit of n.
fn text() -> String {
    const WORDS: [&str; 8] = ["the", "cat", "sat", "on", "a", "mat", "and", "slept"];
    let word = |n: usize, i: usize| WORDS[(n / 8_usize.pow(i as u32 % 3) + 3 * i) % 8];
    let paragraph = |n: usize| (0..6 + n % 20).map(|i| word(n, i)).collect::<Vec<_>>().join(" ");
    (0..50).map(paragraph).collect::<Vec<_>>().join("\n\n")
}

impl Workplace {
    fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        place.write("text.txt", &text());
        place.write("run.toml", SETTINGS);
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// `llm train --config run.toml --overlap report MORE...`; the paragraphs have much in common.
    fn train(&self, more: &[&str]) -> Command {
        let mut command = llm(["train", "--config", "run.toml", "--overlap", "report", "--json"]);
        command.args(more).current_dir(self.folder.path());
        command
    }

    /// The report of a run that ends well.
    #[track_caller]
    fn report(&self, more: &[&str]) -> Value {
        serde_json::from_str(&printed(&mut self.train(more))).unwrap()
    }

    fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// The log without the seconds, which differ each time.
    fn log(&self, folder: &str) -> Vec<Value> {
        let text = fs::read_to_string(self.path(folder).join("log.jsonl")).unwrap();
        let timeless = |line: &str| {
            let mut event: Value = serde_json::from_str(line).unwrap();
            event.as_object_mut().unwrap().remove("seconds");
            event
        };
        text.lines().map(timeless).collect()
    }
}

/// The files in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_run_writes_what_it_promises() {
    let place = Workplace::new();
    let report = place.report(&[]);
    assert_eq!(
        names(&place.path("out")),
        [
            "best.safetensors",
            "checkpoint.safetensors",
            "corpus.json",
            "log.jsonl",
            "loss.svg",
            "model.safetensors",
            "overlap.json",
            "report.json",
            "tokenizer.json",
            "validation.jsonl"
        ]
    );
    assert_eq!(place.json("out/report.json"), report);
    assert_eq!(report["folder"], "out");
    let data = &report["data"];
    assert_eq!(
        data["train"]["documents"].as_u64().unwrap()
            + data["validation"]["documents"].as_u64().unwrap(),
        50
    );
    assert!(fs::read_to_string(place.path("out/loss.svg")).unwrap().starts_with("<svg "));

    let log = place.log("out");
    let updates = |kind: &str| -> Vec<u64> {
        let events = log.iter().filter(|event| event["type"] == kind);
        events.map(|event| event["update"].as_u64().unwrap()).collect()
    };
    assert_eq!(log[0]["run"]["plan"]["training"]["updates"], 12);
    assert_eq!(updates("update"), (1..=12).collect::<Vec<_>>());
    assert_eq!(updates("look"), [0, 4, 8, 12]);
    let first = log.iter().find(|event| event["type"] == "look").unwrap();
    assert!(first["sample"].is_string());
}

#[test]
fn learning_lowers_both_losses() {
    let place = Workplace::new();
    place.report(&["--updates", "60", "--peak-rate", "0.02"]);
    let looks: Vec<Value> =
        place.log("out").into_iter().filter(|event| event["type"] == "look").collect();
    let loss = |look: &Value| look["validation"]["nats_per_token"].as_f64().unwrap();
    let (first, last) = (looks.first().unwrap(), looks.last().unwrap());
    // 280 ids: a guess costs ln 280 = 5.63 nats.
    assert!((loss(first) - 280_f64.ln()).abs() < 0.5 && loss(last) < 4.0, "{looks:?}");
    assert!(last["train_nats_per_token"].as_f64().unwrap() < 4.0, "{looks:?}");
}

#[test]
fn the_text_for_people_names_the_models() {
    let place = Workplace::new();
    let mut command = llm(["train", "--config", "run.toml", "--overlap", "report"]);
    let text = printed(command.current_dir(place.folder.path()));
    for part in ["12 updates", "model.safetensors", "best.safetensors", "selected on validation"] {
        assert!(text.contains(part), "{text}");
    }
}

/// Its windows are those of training: contexts of 16 tokens, one after the other.
#[test]
fn llm_evaluate_gives_the_same_loss_for_the_best_model() {
    let place = Workplace::new();
    let report = place.report(&[]);
    let mut evaluate = llm(["evaluate", "--json", "--model", "out/best.safetensors"]);
    evaluate.args(["--input", "out/validation.jsonl", "--window", "16", "--stride", "16"]);
    let score = printed(evaluate.current_dir(place.folder.path()));
    let score: Value = serde_json::from_str(&score).unwrap();
    assert_eq!(score["nats_per_token"], report["best"]["validation_nats_per_token"]);
    assert_eq!(score["bits_per_byte"], report["best"]["validation_bits_per_byte"]);
    assert_eq!(score["targets"], report["data"]["validation"]["targets"]);
}

#[test]
fn a_dry_run_tells_sizes_and_time_and_writes_nothing() {
    let place = Workplace::new();
    let before = names(place.folder.path());
    let report = place.report(&["--dry-run"]);
    assert_eq!(names(place.folder.path()), before);
    // Embedding 280 * 8, attention 4 * 8 * 8, feed-forward 3 * 8 * 16, three gains of 8.
    assert_eq!(report["parameters"], 2240 + 256 + 384 + 24);
    // Four values of four bytes each: weight, gradient, two moments.
    assert_eq!(report["memory"]["parameters_bytes"], 16 * 2904);
    assert!(report["time"]["estimated_seconds"].as_f64().unwrap() > 0.0);
    assert_eq!(report["time"]["looks"], 4);
    assert!(
        printed(
            llm(["train", "--config", "run.toml", "--overlap", "report", "--dry-run"])
                .current_dir(place.folder.path())
        )
        .contains("2904 parameters")
    );
}
