//! `llm scan`.

use crate::support::{Folder, json, llm, printed, refused};

const TEXT: &str = "the quick brown fox jumps over the lazy dog and then it sleeps in the sun";

#[test]
fn a_planted_copy_is_found_whatever_its_case() {
    let folder = Folder::new();
    folder.write("train/a.txt", TEXT);
    folder.write("train/b.txt", "nothing of interest stands in this text, which is about numbers");
    let lines = format!(
        "{{\"id\":\"copy\",\"text\":{:?}}}\n{{\"id\":\"other\",\"text\":\"words\"}}\n",
        TEXT.to_uppercase()
    );
    let held_out = folder.write("held.jsonl", lines);
    let words = ["scan", "--train", &folder.at("train"), "--evaluation", &held_out];
    let report = json(&mut llm(words));
    assert_eq!(report["flagged"], serde_json::json!(["copy"]));
    assert_eq!(report["duplicates"][0]["document"], "copy");
    assert!(printed(&mut llm(words)).contains("flagged     1\n  copy\n"));
    refused(llm(words).args(["--ngram-words", "0"]), 2);
    assert!(refused(llm(words).args(["--near", "2"]), 1).contains("similarity"));
}

#[test]
fn ids_have_no_words() {
    let folder = Folder::new();
    let (ids, text) = (folder.write("i.jsonl", "{\"ids\":[1,2]}"), folder.write("t", TEXT));
    let message = refused(&mut llm(["scan", "--train", &text, "--evaluation", &ids]), 1);
    assert!(message.contains("`line-1` has ids"), "{message}");
}
