//! The program with files, good and bad.

use std::fs;
use std::path::Path;
use std::process::Output;

use llm_chapter_kit::{printed, refusal, run_program_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch02-prepared-corpus");
const BUILT_IN: &str = include_str!("../../data/corpus.jsonl");

fn run(folder: &Path, arguments: &[&str]) -> Output {
    run_program_in(folder, PROGRAM, arguments)
}

#[test]
fn a_corpus_in_a_file_is_read_like_the_built_in_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.jsonl"), BUILT_IN).unwrap();
    let from_file = printed(&run(folder.path(), &["--corpus", "mine.jsonl"]));
    let built_in = printed(&run(folder.path(), &[]));
    assert_eq!(from_file.replace("mine.jsonl", "built-in"), built_in);
}

#[test]
fn a_saved_manifest_names_every_later_change() {
    let folder = tempfile::tempdir().unwrap();
    printed(&run(folder.path(), &["--save-manifest", "new/manifest.json"]));
    let compare = |corpus: &str| {
        fs::write(folder.path().join("mine.jsonl"), corpus).unwrap();
        let arguments = ["--corpus", "mine.jsonl", "--compare-manifest", "new/manifest.json"];
        let text = printed(&run(folder.path(), &[&arguments[..], &["--format", "text"]].concat()));
        let line = text.lines().find(|line| line.starts_with("differences")).unwrap().to_owned();
        line.trim_start_matches("differences").trim().to_owned()
    };
    assert_eq!(compare(BUILT_IN), "");
    assert_eq!(
        compare(&BUILT_IN.replace("at seven", "at eight")),
        "document `t1` has another text"
    );
    let moved = BUILT_IN.replace("\"validation\",\"topic\":\"sea\"", "\"train\"");
    assert_eq!(compare(&moved), "document `v1` moved from validation to train");
}

#[test]
fn the_manifest_cannot_replace_the_corpus() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("mine.jsonl"), BUILT_IN).unwrap();
    let arguments = ["--corpus", "mine.jsonl", "--save-manifest", "./mine.jsonl"];
    let line = refusal(&run(folder.path(), &arguments), 1);
    assert_eq!(line, "./mine.jsonl cannot hold both the corpus and the manifest");
    assert_eq!(fs::read_to_string(folder.path().join("mine.jsonl")).unwrap(), BUILT_IN);
}

#[test]
fn identical_texts_in_two_partitions_are_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("c"), BUILT_IN.replace("mill!", "mill.")).unwrap();
    let text = printed(&run(folder.path(), &["--corpus", "c"]));
    assert!(text.contains("documents `t2` (train) and `v2` (validation) have the same text"));
    assert!(text.contains("\"same_bytes\": true"));
}

#[test]
fn files_that_cannot_be_used_are_one_line_and_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
    write("empty", b"");
    write("list", b"[1, 2]\n");
    write("latin-1", b"{\"id\":\"a\",\"text\":\"caf\xe9\",\"split\":\"train\"}\n");
    for (arguments, named) in [
        (&["--corpus", "nowhere"][..], "cannot open nowhere"),
        (&["--corpus", "."], "cannot use .: line 1: cannot be read"),
        (&["--corpus", "empty"], "empty has no documents"),
        (&["--corpus", "list"], "line 1: is no JSON object"),
        (&["--corpus", "latin-1"], "byte 22 of the line is not valid UTF-8"),
        (&["--max-documents", "7"], "line 8: more than 7 documents"),
        (&["--max-record-bytes", "100"], "line 3: more than 100 bytes in one record"),
        (&["--max-total-bytes", "0"], "line 1: more than 0 bytes in all"),
        (&["--compare-manifest", "nowhere"], "cannot read nowhere"),
        (&["--compare-manifest", "."], "cannot read ."),
        (&["--save-manifest", "empty/below"], "cannot write empty/below"),
    ] {
        let line = refusal(&run(folder.path(), arguments), 1);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
    for (arguments, whole) in [
        (
            ["--compare-manifest", "empty"],
            "cannot use the manifest empty: not a corpus manifest: EOF while parsing a value at line \
             1 column 0",
        ),
        (["--save-manifest", "."], "cannot write .: is a folder"),
    ] {
        assert_eq!(refusal(&run(folder.path(), &arguments), 1), whole);
    }
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [["--ngram-words", "0"], ["--max-documents", "-1"], ["--corpse", "x"]] {
        let line = refusal(&run(folder.path(), &arguments), 2);
        assert!(line.contains(arguments[0]), "{line}");
    }
}
