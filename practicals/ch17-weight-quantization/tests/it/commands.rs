//! The program as a learner starts it.

use std::fs;

use llm_chapter_kit::{printed, refusal, run_program};
use serde_json::Value;

const PROGRAM: &str = env!("CARGO_BIN_EXE_practical-ch17-weight-quantization");

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&printed(&run_program(PROGRAM, arguments))).unwrap()
}

#[test]
fn another_process_scores_a_saved_file_alike() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let report = json(&["inspect", "--save", path]);
    for (index, format) in ["int8", "int4"].into_iter().enumerate() {
        let file = format!("{path}/{format}.safetensors");
        let evaluation = json(&["evaluate", "--model", &file]);
        assert_eq!(evaluation["format"], format);
        let saved = &report["formats"][index];
        assert_eq!(evaluation["model_sha256"], saved["model_sha256"]);
        assert_eq!(evaluation["train"]["mean_nll"], saved["splits"][0]["nll_after"]);
        assert_eq!(evaluation["validation"]["mean_nll"], saved["splits"][1]["nll_after"]);
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 2, "something was left beside the models");
}

#[test]
fn files_that_are_no_models_are_refused_in_one_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let text = path("text");
    fs::write(&text, "no model\n").unwrap();
    fs::write(path("empty"), "").unwrap();
    fs::write(path("bytes"), [0xff; 100]).unwrap();
    json(&["--save", &path("saved")]);
    let int8 = path("saved/int8.safetensors");
    let mut damaged = fs::read(&int8).unwrap();
    *damaged.last_mut().unwrap() ^= 1;
    fs::write(path("damaged"), &damaged).unwrap();

    let cases: [(&[&str], &str); 8] = [
        (&["evaluate", "--model", &path("missing")], "cannot read"),
        (&["evaluate", "--model", &text], "no usable quantized model"),
        (&["evaluate", "--model", &path("empty")], "no usable quantized model"),
        (&["evaluate", "--model", &path("bytes")], "no usable quantized model"),
        (&["evaluate", "--model", &path("damaged")], "damaged"),
        (&["--model", &int8], "holds a \"quantized-model\""),
        (&["--save", &text], "cannot write"),
        (&["--row", "nan"], "has no code"),
    ];
    for (arguments, part) in cases {
        let message = refusal(&run_program(PROGRAM, arguments), 1);
        assert!(message.contains(part), "{arguments:?}: {message}");
    }
    for arguments in
        [&["evaluate"][..], &["--row", "x"], &["--row", ""], &["evaluate", "--save", "x"]]
    {
        refusal(&run_program(PROGRAM, arguments), 2);
    }
}
