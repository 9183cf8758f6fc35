//! `llm tokenizer`: learn, encode, decode, inspect.

use std::fs;

use crate::support::{Folder, json, llm, printed, refused, run_with_input, text_of};

/// A tokenizer that has learned one merge, `ab` = 258.
fn learned(folder: &Folder) -> String {
    let (text, file) = (folder.write("t.txt", "abab abab"), folder.at("t.json"));
    let words = ["tokenizer", "train", "--input", &text, "--vocab-size", "259", "--output", &file];
    let report = json(&mut llm(words));
    assert_eq!((&report["merges"], &report["bytes"]), (&1.into(), &9.into()));
    assert_eq!(report["tokens_per_byte"], 5.0 / 9.0); // ab ab _ ab ab
    file
}

#[test]
fn text_becomes_ids_and_the_same_bytes_again() {
    let folder = Folder::new();
    let file = learned(&folder);
    // Byte b has id b + 2: a space is 34.
    let input = folder.write("x.txt", "ab b");
    let words = ["tokenizer", "encode", &file, "--input", &input];
    assert_eq!(printed(&mut llm(words)), "258 34 100\n");
    assert_eq!(printed(llm(words).arg("--document")), "0 258 34 100 1\n");
    let report = json(&mut llm(words));
    assert_eq!(report["documents"][0]["tokens"], serde_json::json!(["ab", "␣", "b"]));

    assert_eq!(printed(&mut llm(["tokenizer", "decode", &file, "258", "34", "100"])), "ab b");
    let bytes = b"\xff\0\xef\xbb\xbf\r\n";
    let odd = folder.write("odd", bytes);
    let ids = printed(&mut llm(["tokenizer", "encode", &file, "--input", &odd]));
    let output = run_with_input(&mut llm(["tokenizer", "decode", &file]), ids.as_bytes());
    assert_eq!(output.stdout, bytes);
}

#[test]
fn a_model_serves_as_its_tokenizer() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let report = json(&mut llm(["tokenizer", "inspect", &model]));
    assert_eq!((&report["vocab_size"], &report["merges"]), (&258.into(), &0.into()));
    let output = run_with_input(&mut llm(["tokenizer", "encode", &model, "--input", "-"]), b"a");
    assert_eq!(text_of(&output), "99\n");
}

#[test]
fn what_cannot_be_is_refused() {
    let folder = Folder::new();
    let file = learned(&folder);
    let message = refused(&mut llm(["tokenizer", "decode", &file, "0", "259"]), 1);
    assert!(message.contains("id 259 at position 1"), "{message}");
    let output = run_with_input(&mut llm(["tokenizer", "decode", &file]), b"1 two");
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("word 2"));

    let text = folder.write("text", "no tokenizer");
    assert!(refused(&mut llm(["tokenizer", "inspect", &text]), 1).contains(&text));
    let json = folder.write("other.json", "{\"a\":1}");
    let message = refused(&mut llm(["tokenizer", "inspect", &json]), 1);
    assert!(message.contains("other.json") && message.matches("column").count() == 1, "{message}");
    let empty = folder.write("empty", "");
    assert!(refused(&mut llm(["tokenizer", "inspect", &empty]), 1).contains("empty"));

    let train = ["tokenizer", "train", "--input", &text, "--output", &file, "--vocab-size"];
    refused(llm(train).arg("257"), 2);
    refused(llm(train).arg("300").args(["--pretokenizer", "words"]), 2);
    let before = fs::read(&file).unwrap();
    refused(llm(train).args(["5000000"]), 1); // more than any vocabulary may have
    assert_eq!(fs::read(&file).unwrap(), before);
}
