//! The program with tokenizer files, good and bad.

use std::fs;
use std::path::Path;
use std::process::Output;

use llm_chapter_kit::{printed, refusal, run_program_in};

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch04-masked-batches");

fn run(folder: &Path, arguments: &[&str]) -> Output {
    run_program_in(folder, PROGRAM, arguments)
}

#[test]
fn a_saved_tokenizer_encodes_as_before() {
    let folder = tempfile::tempdir().unwrap();
    let first = printed(&run(folder.path(), &["--save-tokenizer", "new/tokenizer.json"]));
    let second = printed(&run(folder.path(), &["--load-tokenizer", "new/tokenizer.json"]));
    assert_eq!(second.replace("new/tokenizer.json", "chapter-4"), first);
}

#[test]
fn any_changed_byte_of_the_file_changes_the_tokenizer_or_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    printed(&run(folder.path(), &["--save-tokenizer", "tokenizer.json"]));
    let good = fs::read(folder.path().join("tokenizer.json")).unwrap();
    let digest = |text: &str| {
        text.lines().find(|line| line.contains("\"sha256\"")).unwrap().trim().to_owned()
    };
    let original = digest(&printed(&run(folder.path(), &[])));
    for position in (0..good.len()).step_by(good.len() / 40) {
        let mut changed = good.clone();
        changed[position] ^= 1;
        fs::write(folder.path().join("changed"), changed).unwrap();
        let output = run(folder.path(), &["--load-tokenizer", "changed"]);
        match output.status.code() {
            Some(0) => assert_ne!(digest(&printed(&output)), original, "byte {position}"),
            _ => assert!(refusal(&output, 1).contains("changed"), "byte {position}"),
        }
    }
}

#[test]
fn files_that_are_no_tokenizer_are_one_line_and_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("empty"), "").unwrap();
    fs::write(folder.path().join("binary"), [0xff; 300]).unwrap();
    fs::File::create(folder.path().join("huge")).unwrap().set_len(1 << 40).unwrap();
    for (arguments, named) in [
        (&["--load-tokenizer", "nowhere"][..], "cannot read nowhere"),
        (&["--load-tokenizer", "."], "cannot read ."),
        (&["--load-tokenizer", "binary"], "not a tokenizer artifact"),
        (&["--load-tokenizer", "huge"], "huge has more than 67108864 bytes"),
        (&["--save-tokenizer", "empty/below"], "cannot write empty/below"),
        (&["--capacity", "5"], "`train-then there` has 6 inputs, the capacity is 5"),
        (&["--capacity", "0"], "the capacity is 0"),
    ] {
        let line = refusal(&run(folder.path(), arguments), 1);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
    for (arguments, whole) in [
        (
            ["--load-tokenizer", "empty"],
            "cannot use the tokenizer empty: not a tokenizer artifact: EOF while parsing a value at \
             line 1 column 0",
        ),
        (["--save-tokenizer", "."], "cannot write .: is a folder"),
    ] {
        assert_eq!(refusal(&run(folder.path(), &arguments), 1), whole);
    }
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    for arguments in [["--rows", "0"], ["--rows", "-1"], ["--capacity", "many"]] {
        assert!(refusal(&run(folder.path(), &arguments), 2).contains(arguments[0]));
    }
}
