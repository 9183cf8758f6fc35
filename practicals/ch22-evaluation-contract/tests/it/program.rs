//! The program: its files, and what it refuses.

use std::fs;

use llm_chapter_kit::{printed, refusal, run_program};
use llm_from_scratch_practical::evaluation::EvaluationResult;

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch22-evaluation-contract");

#[test]
fn a_kept_ledger_lets_the_final_split_be_scored_once_and_again_only_knowingly() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("looks.jsonl");
    let path = path.to_str().unwrap();
    let first = printed(&run_program(PROGRAM, ["--ledger", path]));
    let first: serde_json::Value = serde_json::from_str(&first).unwrap();
    assert_eq!(first["looks"]["allowed_again"], 0);
    let before = fs::read(path).unwrap();
    let line = refusal(&run_program(PROGRAM, ["--ledger", path]), 1);
    assert!(line.contains("scored 1 time(s) before, first by \"the final number\""), "{line}");
    assert_eq!(fs::read(path).unwrap(), before, "a refused run left a look");
    let again = printed(&run_program(PROGRAM, ["--ledger", path, "--again"]));
    let again: serde_json::Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["looks"]["allowed_again"], 1);
    let counts = again["looks"]["counts"].as_array().unwrap();
    assert_eq!((&counts[0]["times"], &counts[1]["times"]), (&4.into(), &2.into()));

    fs::write(path, "{}\n").unwrap();
    let line = refusal(&run_program(PROGRAM, ["--ledger", path, "--again"]), 1);
    assert!(line.contains("line 1"), "{line}");
}

#[test]
fn a_saved_result_embeds_its_contract_and_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("made/result.json");
    let out = printed(&run_program(PROGRAM, ["--save-result", path.to_str().unwrap()]));
    let file = fs::read_to_string(&path).unwrap();
    let result: EvaluationResult = serde_json::from_str(&file).unwrap();
    assert!(out.contains(&result.contract().signature()));
    assert!(out.contains(&result.contract().conditions_sha256()));
    let changed = file.replace("\"stride\": 32", "\"stride\": 16");
    assert!(serde_json::from_str::<EvaluationResult>(&changed).is_err());
}

#[test]
fn the_figure_has_both_lines_and_both_pools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pools.svg");
    printed(&run_program(PROGRAM, ["--figure", path.to_str().unwrap()]));
    let svg = fs::read_to_string(&path).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<circle").count(), 2);
    for text in ["before: pooled loss 2.2", "after: pooled loss 2.9"] {
        assert!(svg.contains(text), "{text}");
    }
}

#[test]
fn wrong_values_are_named() {
    let cases: [(&[&str], i32, &str); 7] = [
        (&["--assignments", "0"], 1, "the number of assignments is 0"),
        (&["--assignments", "1001"], 1, "from 1 to 1000"),
        (&["--probability", "1.5"], 1, "the success probability is 1.5"),
        (&["--probability", "-0.5"], 1, "the success probability is -0.5"),
        (&["--probability", "NaN"], 1, "NaN"),
        (&["--seed", "x"], 2, "--seed"),
        (&["--figure", "/dev/null/x"], 1, "/dev/null/x"),
    ];
    for (arguments, code, named) in cases {
        let line = refusal(&run_program(PROGRAM, arguments), code);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
}

#[test]
fn one_file_for_two_outputs_is_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let path = path.to_str().unwrap();
    for [one, other] in
        [["--page", "--figure"], ["--save-result", "--page"], ["--ledger", "--page"]]
    {
        let line = refusal(&run_program(PROGRAM, [one, path, other, path]), 1);
        assert!(line.contains("cannot hold both the "), "{line}");
        assert_eq!(folder.path().read_dir().unwrap().count(), 0);
    }
}

#[test]
fn the_readable_form_shows_the_bars() {
    let text = printed(&run_program(PROGRAM, ["--format", "text"]));
    assert!(
        text.contains("2      0.28518       256  ########################################"),
        "{text}"
    );
}
