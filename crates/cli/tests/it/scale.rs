//! Large files and long texts, in the memory that they should need.

use std::fs;
use std::process::Command;

use llm_from_scratch_practical::archive::PortableModel;
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde_json::Value;

use crate::support::{Folder, json, llm, text_of};

/// Runs the command in at most so many bytes of address space, threads and program included.
fn llm_within(bytes: u64, words: &[&str]) -> Value {
    let limited = format!("ulimit -v {} && exec \"$@\"", bytes / 1024);
    let program = env!("CARGO_BIN_EXE_llm");
    let mut shell = Command::new("bash");
    let command = shell.args(["-c", &limited, "bash", program]).args(words);
    // The allocator of glibc would reserve 64 MiB of addresses for each thread.
    let output = command.env("MALLOC_ARENA_MAX", "1").output();
    serde_json::from_str(&text_of(&output.unwrap())).unwrap()
}

/// What the program takes without a model: its code, its libraries, stacks of two threads.
const PROGRAM: u64 = 100 << 20;

#[test]
#[ignore = "campaign: a model of half a gigabyte, half a minute"]
fn a_large_model_is_inspected_verified_and_scored_in_the_memory_of_one_copy() {
    let folder = Folder::new();
    let (model, text) = (folder.at("large.llm"), folder.write("t", "A short text."));
    let config = DecoderConfig {
        d_model: 1024,
        n_layers: 8,
        n_heads: 16,
        n_kv_heads: 16,
        head_dim: 64,
        d_ff: 4096,
        ..DecoderConfig::reference(258, 512)
    };
    let decoder = DecoderModel::<f32>::initialize(config.validate().unwrap(), 1);
    PortableModel::new(&decoder, &Tokenizer::of_bytes()).unwrap().save(&model).unwrap();
    let size = fs::metadata(&model).unwrap().len();
    assert!(size > 500 << 20, "{size}");
    drop(decoder);

    llm_within(PROGRAM, &["inspect", &model, "--json"]);
    llm_within(PROGRAM, &["inspect", &model, "--verify", "--json"]);
    let words = ["evaluate", "--model", &model, "--input", &text, "--threads", "2", "--json"];
    let report = llm_within(size + PROGRAM, &words);
    assert_eq!(report["targets"], 14);
}

#[test]
#[ignore = "campaign: a million targets, a minute"]
fn a_document_of_a_megabyte_streams_through_windows_in_bounded_memory() {
    let folder = Folder::new();
    let text: String = (0..1 << 17).map(|line| format!("{:07}\n", line * 7919 % 9999991)).collect();
    assert_eq!(text.len(), 1 << 20);
    let (model, text) = (folder.at("m.llm"), folder.write("t", text));
    let config = DecoderConfig::reference(258, 512).validate().unwrap();
    let decoder = DecoderModel::<f32>::initialize(config, 1);
    PortableModel::new(&decoder, &Tokenizer::of_bytes()).unwrap().save(&model).unwrap();
    let words = ["evaluate", "--model", &model, "--input", &text, "--threads", "2"];
    let windows = ["--window", "512", "--stride", "256", "--json"];
    let report = llm_within(PROGRAM, &[&words[..], &windows].concat());
    assert_eq!(
        (&report["targets"], &report["bytes"]),
        (&((1 << 20) + 1).into(), &(1 << 20).into())
    );
}

#[test]
fn one_line_of_many_bytes_is_a_text_like_any_other() {
    let folder = Folder::new();
    let (model, line) = (folder.model("m.llm", 1), "a".repeat(30_000));
    let text = folder.write("t", &line);
    let lines = folder.write("t.jsonl", format!("{{\"text\":\"{line}\"}}\n"));
    let score = |input: &str| json(&mut llm(["evaluate", "--model", &model, "--input", input]));
    let (of_text, of_line) = (score(&text), score(&lines));
    assert_eq!(of_text["bytes"], 30_000);
    assert_eq!(of_text["bits_per_byte"], of_line["bits_per_byte"]);
}
