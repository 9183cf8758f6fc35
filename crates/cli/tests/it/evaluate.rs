//! `llm evaluate`: its numbers, its options, what it refuses.

use std::fs;

use llm_from_scratch_practical::archive::PortableModel;
use llm_from_scratch_practical::autograd::Tensor;
use llm_from_scratch_practical::corpus::{Document, Partition};
use llm_from_scratch_practical::evaluation::{
    FramedDocument, Framing, RecordSummary, WindowRule, collect_records, read_records,
};
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde_json::Value;

use crate::support::{Folder, json, llm, printed, refused};

fn number(report: &Value, key: &str) -> f64 {
    report[key].as_f64().unwrap_or_else(|| panic!("{key} in {report}"))
}

#[test]
fn the_numbers_are_those_of_the_library() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 3);
    let (one, two) = ("A text of some thirty characters.", "Another.");
    folder.write("texts/one.txt", one);
    folder.write("texts/two.txt", two);
    let words = ["evaluate", "--model", &model, "--input", &folder.at("texts"), "--window", "8"];
    let report = json(llm(words).args(["--stride", "3"]));

    let tokenizer = Tokenizer::of_bytes();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 16).validate().unwrap();
    let decoder = DecoderModel::<f32>::initialize(config, 3);
    let documents = [("one.txt", one), ("two.txt", two)].map(|(id, text)| {
        let document = Document::new(id, Partition::Test, text);
        FramedDocument::encode(&document, &tokenizer, Framing::DOCUMENT).unwrap()
    });
    let rule = WindowRule { window: 9, stride: 3, bos_per_window: false };
    let one = std::num::NonZeroUsize::MIN;
    let (records, counts) = collect_records(&decoder, &documents, rule, one).unwrap();
    let summary = RecordSummary::from_records(records).unwrap();

    assert_eq!(report["documents"], 2);
    assert_eq!(report["targets"], 33 + 8 + 2); // one end token each
    assert_eq!(report["bytes"], 33 + 8);
    assert_eq!(report["context_only_tokens"], counts.context_only_tokens);
    assert_eq!(report["windows"]["inputs"], 8);
    assert_eq!(report["windows"]["ids"], 9);
    assert_eq!(number(&report, "nats_per_token"), summary.nats_per_token().unwrap());
    assert_eq!(number(&report, "bits_per_token"), summary.bits_per_token().unwrap());
    assert_eq!(number(&report, "perplexity"), summary.perplexity().unwrap());
    assert_eq!(number(&report, "bits_per_byte"), summary.bits_per_byte().unwrap().unwrap());
    let text_only = summary.bits_per_byte_text_only().unwrap().unwrap();
    assert_eq!(number(&report, "bits_per_byte_text_only"), text_only);
    assert_eq!(number(&report, "tokens_per_byte"), 43.0 / 41.0);
    let by_document = summary.averages().unwrap().document_level / std::f64::consts::LN_2;
    assert!((number(&report, "document_mean_bits_per_token") - by_document).abs() < 1e-12);
    let error = summary.estimate().unwrap().standard_error.unwrap();
    assert!((number(&report, "standard_error") - error).abs() < 1e-12);
    let top_k = summary.top_k_error(&[1, 5, 10], 258).unwrap();
    for error in top_k {
        assert_eq!(report["top_k_error"][error.k.to_string()], error.optimistic());
    }
}

#[test]
fn a_record_for_every_target_and_the_digest_of_their_file() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("b.txt", "abc"));
    let records = folder.at("out/records.jsonl");
    let words = ["evaluate", "--model", &model, "--input", &text, "--records", &records];
    let report = json(&mut llm(words));
    let file = fs::read(&records).unwrap();
    let read: Vec<_> = read_records(&file[..]).collect::<Result<_, _>>().unwrap();
    assert_eq!(read.iter().map(|record| record.position).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert_eq!(read[3].bytes, Some(0)); // the end token
    let output = std::process::Command::new("sha256sum").arg(&records).output();
    if let Ok(output) = output {
        let digest = String::from_utf8(output.stdout).unwrap();
        assert_eq!(digest.split(' ').next(), report["records_sha256"].as_str());
    }
}

#[test]
fn start_token_and_end_token_change_the_contract_and_the_counts() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abcd"));
    let words = ["evaluate", "--model", &model, "--input", &text];
    let counts = |options: &[&str]| {
        let report = json(llm(words).args(options));
        let count = |key: &str| report[key].as_u64().unwrap();
        (count("targets"), count("unscored_tokens"), count("bytes"))
    };
    assert_eq!(counts(&[]), (5, 0, 4));
    assert_eq!(counts(&["--no-eos"]), (4, 0, 4));
    assert_eq!(counts(&["--start-token", "none"]), (4, 1, 4));
    assert_eq!(counts(&["--start-token", "eos-as-prefix"]), (5, 0, 4));
    let message = refused(llm(words).args(["--start-token", "none", "--bos-per-window"]), 1);
    assert!(message.contains("first id"), "{message}");
}

#[test]
fn windows_that_cannot_be_are_wrong_usage() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abcd"));
    let words = ["evaluate", "--model", &model, "--input", &text];
    let message = refused(llm(words).args(["--window", "17"]), 2);
    assert!(message.contains("holds 16"), "{message}");
    let message = refused(llm(words).args(["--window", "8", "--stride", "9"]), 2);
    assert!(message.contains("1 to 8"), "{message}");
    refused(llm(words).args(["--stride", "0"]), 2);
    refused(llm(words).args(["--batch-rows", "0"]), 2);
}

#[test]
fn every_other_cut_of_the_work_gives_the_same_bits() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    for (name, text) in [("a", "some words in a row, and more"), ("b", "b"), ("c", "cc cc cc cc")] {
        folder.write(&format!("texts/{name}"), text);
    }
    let words = ["evaluate", "--model", &model, "--input", &folder.at("texts")];
    let report = json(llm(words).args(["--window", "7", "--stride", "2", "--prove-invariance"]));
    assert_eq!(report["invariance"]["distinct_digests"], 1);
    assert_eq!(report["invariance"]["runs"].as_array().unwrap().len(), 6); // the first is the report's
    let records = report["records_sha256"].clone();
    let report = json(llm(words).args([
        "--window",
        "7",
        "--stride",
        "2",
        "--batch-rows",
        "3",
        "--threads",
        "1",
    ]));
    assert_eq!(report["records_sha256"], records);
}

#[test]
fn baselines_stand_beside_the_model() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abcabcabcabcabcabc"));
    let training = folder.write("training/t", "abcabcabcabc");
    let words = ["evaluate", "--model", &model, "--input", &text];
    let report = json(llm(words).args(["--baselines", "--baselines-from", &training]));
    let named = |name: &str| {
        let all = report["baselines"].as_array().unwrap();
        all.iter().find(|b| b["name"] == name).unwrap_or_else(|| panic!("{name}"))
    };
    assert_eq!(named("uniform")["bits_per_token"], 258f64.log2());
    let trigram = number(named("3-gram, Kneser-Ney"), "bits_per_token");
    assert!(trigram < 2.0, "{trigram}"); // three letters that always follow each other
    assert!(number(named("zlib-9"), "bits_per_byte") > 1.0);
    refused(llm(words).args(["--baselines-from", &training]), 2);
}

#[test]
fn a_page_and_a_contract_are_written_completely_or_not_at_all() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abc"));
    let words = ["evaluate", "--model", &model, "--input", &text];
    let (page, contract) = (folder.at("p.html"), folder.at("c.json"));
    printed(llm(words).args(["--html", &page, "--contract", &contract]));
    assert!(fs::read_to_string(&page).unwrap().starts_with("<!DOCTYPE html>"));
    let contract: Value = serde_json::from_slice(&fs::read(&contract).unwrap()).unwrap();
    assert_eq!(contract["contract"]["conditions"]["windows"]["window"], 17);

    let message = refused(llm(words).args(["--records", &folder.at("t/no/r.jsonl")]), 1);
    assert!(message.contains("cannot write"), "{message}");
    // A pass that fails leaves no file, and an old one as it was.
    let bad = folder.write("bad.jsonl", "{\"ids\":[0,1]}\n{\"ids\":[0,999]}\n");
    let old = folder.write("r.jsonl", "old");
    let words = ["evaluate", "--model", &model, "--input", &bad, "--records", &old];
    refused(&mut llm(words), 1);
    assert_eq!(fs::read_to_string(&old).unwrap(), "old");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abc"));
    let message = |model: &str, input: &str| {
        refused(&mut llm(["evaluate", "--model", model, "--input", input]), 1)
    };
    let gone = folder.at("gone");
    assert!(message(&model, &gone).contains(&gone));
    assert!(message(&gone, &text).contains(&gone));
    assert!(message(&text, &text).contains(&text)); // a text is no model
    assert!(message(folder.path().to_str().unwrap(), &text).contains("not a regular file"));

    let mut bytes = fs::read(&model).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    let damaged = folder.write("damaged.llm", &bytes);
    assert!(message(&damaged, &text).contains("damaged"));
    let short = folder.write("short.llm", &bytes[..bytes.len() / 2]);
    assert!(message(&short, &text).contains("cut off"));
    let line = folder.write("l.jsonl", "{\"text\":\"a\"}\nnonsense\n");
    assert!(message(&model, &line).contains("l.jsonl: line 2"));
    let empty = folder.write("e.jsonl", "");
    assert!(message(&model, &empty).contains("no document"));
}

#[test]
fn an_output_replaces_no_input_and_no_other_output() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abc"));
    let before = fs::read(&model).unwrap();
    let words = ["evaluate", "--model", &model, "--input", &text];
    for outputs in [["--records", &model], ["--contract", &text], ["--html", &model]] {
        refused(llm(words).args(outputs), 2);
    }
    let both = folder.at("both");
    let message = refused(llm(words).args(["--records", &both, "--html", &both]), 2);
    assert!(message.contains("cannot hold both records and page"), "{message}");
    let rounded = ["quantize", "--model", &model, "--weights", "int8", "--output", &model];
    refused(&mut llm(rounded), 2);
    assert_eq!(fs::read(&model).unwrap(), before);
    // Asked before anything is scored: the model is not even there.
    let gone = folder.at("gone");
    let words = ["evaluate", "--model", &gone, "--input", &text, "--contract"];
    assert!(refused(llm(words).arg(folder.path()), 1).contains("cannot write"));
}

#[test]
fn a_model_that_has_diverged_is_an_error_with_its_place() {
    let folder = Folder::new();
    let text = folder.write("t", "abc");
    let tokenizer = Tokenizer::of_bytes();
    let config = DecoderConfig::reference(tokenizer.vocab_size(), 16).validate().unwrap();
    let decoder = DecoderModel::<f32>::initialize(config, 1);
    let huge = decoder.parameters().iter().map(|parameter| {
        let value = parameter.value();
        let data = value.data().iter().map(|x| if *x < 0.0 { -1e38 } else { 1e38 }).collect();
        Tensor::new(value.shape(), data)
    });
    let diverged = DecoderModel::from_parameters(config, huge.collect()).unwrap();
    let model = folder.at("m.llm");
    PortableModel::new(&diverged, &tokenizer).unwrap().save(&model).unwrap();
    let records = folder.at("r.jsonl");
    let words = ["evaluate", "--model", &model, "--input", &text, "--records", &records];
    let message = refused(&mut llm(words), 1);
    assert!(message.contains("`t`, position 1") && message.contains("diverged"), "{message}");
    assert!(fs::metadata(&records).is_err());
    let message = refused(&mut llm(["generate", "--model", &model]), 1);
    assert!(message.contains("NaN") || message.contains("finite"), "{message}");
}
