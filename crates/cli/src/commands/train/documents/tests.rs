use std::fs;

use tempfile::TempDir;

use super::*;
use crate::commands::train::cut::Cut;
use crate::commands::train::settings::Overlap;
use crate::documents::Format;

/// A folder with these files, and the plan to read all of it.
fn folder(files: &[(&str, &str)]) -> (TempDir, DataPlan) {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let plan = DataPlan {
        files: vec![folder.path().to_owned()],
        format: Format::ByName,
        documents: Cut::Paragraphs,
        endings: Some(vec!["txt".to_owned()]),
        validation_share: 0.5,
        split_seed: 3,
        overlap: Overlap::Report,
    };
    (folder, plan)
}

fn shown(documents: &[Document]) -> Vec<(&str, &str)> {
    let text = |document| std::str::from_utf8(document).unwrap();
    documents.iter().map(|document| (document.id.as_str(), text(&document.text))).collect()
}

#[test]
fn texts_of_a_folder_are_cut_and_the_rest_is_counted() {
    let files = [
        ("b.txt", "three"),
        ("a.txt", "one\n\ntwo\n"),
        ("c.txt", "\n \n"),
        ("d.png", "?"),
        ("e.jsonl", r#"{"id":"x","text":"four\n\nfive"}"#),
    ];
    let (_folder, plan) = folder(&files);
    let (documents, record) = read(&plan).unwrap();
    let expected = [
        ("a.txt#1", "one"),
        ("a.txt#2", "two"),
        ("b.txt#1", "three"),
        ("e.jsonl/x", "four\n\nfive"),
    ];
    assert_eq!(shown(&documents), expected);
    assert_eq!((record.bytes, record.other_endings_left_out, record.blank_left_out), (27, 1, 1));
}

#[test]
fn records_are_not_cut_and_may_declare_what_they_are_for() {
    let records = r#"{"id":"x","text":"one\n\ntwo","split":"validation"}
{"id":"y","text":"three","split":"train"}
{"id":"z","text":"four","split":"test"}
"#;
    let (folder, mut plan) = folder(&[("all.jsonl", records)]);
    plan.files = vec![folder.path().join("all.jsonl")];
    let (documents, record) = read(&plan).unwrap();
    assert_eq!(shown(&documents), [("x", "one\n\ntwo"), ("y", "three")]);
    assert_eq!(documents[0].partition, Partition::Validation);
    assert_eq!(documents[1].partition, Partition::Train);
    assert_eq!(record.test_documents_left_out, 1);
}

#[test]
fn ids_instead_of_text_and_names_that_come_twice_are_refused() {
    let (folder, mut plan) = folder(&[("all.jsonl", r#"{"id":"x","ids":[0,5,1]}"#), ("x", "one")]);
    plan.files = vec![folder.path().join("all.jsonl")];
    assert!(read(&plan).unwrap_err().to_string().contains("`x` has ids"));
    fs::write(&plan.files[0], r#"{"id":"x#1","text":"two"}"#).unwrap();
    plan.files.push(folder.path().join("x"));
    assert!(read(&plan).unwrap_err().to_string().contains("`x#1`"));
}

#[test]
fn a_new_document_moves_no_other() {
    let many = |n: usize| (0..n).map(|i| format!("text {i}")).collect::<Vec<_>>().join("\n\n");
    let sides = |text: &str| {
        let (_folder, plan) = folder(&[("a.txt", text)]);
        let (documents, _) = read(&plan).unwrap();
        documents.into_iter().map(|document| document.partition).collect::<Vec<_>>()
    };
    let (few, more) = (sides(&many(40)), sides(&many(60)));
    assert_eq!(few, more[..40]);
    assert!(few.contains(&Partition::Train) && few.contains(&Partition::Validation));
}
