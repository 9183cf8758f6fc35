//! The program as a learner starts it.

use std::fs;

use llm_chapter_kit::refusal;
use serde_json::Value;

use crate::support::{json, program};

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// serde_json's `Value` sorts keys, so expectations are sorted here too.
#[track_caller]
fn has_keys(value: &Value, expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(keys(value), expected);
}

const SCORE: [&str; 5] =
    ["target_count", "mean_nll", "perplexity", "batch_count", "recorded_graphs"];

#[test]
fn no_argument_runs_the_experiment_and_touches_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = program(folder.path()).env("COURSE_CORPUS", "false").output().unwrap();
    let report = json(&output);
    has_keys(
        &report,
        &[
            "chapter",
            "execution",
            "data_scope",
            "weighting",
            "layout_comparison",
            "baseline",
            "runs",
            "final_validation_seed_summary",
            "saved_first_seed_model",
        ],
    );
    assert_eq!(report["chapter"], "16-language-model-evaluation");
    assert_eq!(report["execution"], "scalar-cpu-f64");
    assert!(report["data_scope"].as_str().unwrap().contains("no final test split"));
    has_keys(
        &report["weighting"],
        &[
            "batch_targets",
            "batch_mean_nll",
            "correct",
            "incorrect_unweighted_mean_nll",
            "incorrect_mean_perplexity",
        ],
    );
    has_keys(&report["weighting"]["correct"], &SCORE[..3]);
    has_keys(
        &report["layout_comparison"],
        &[
            "separate",
            "padded",
            "packed",
            "packed_rows",
            "largest_absolute_nll_difference",
            "tolerance",
            "bitwise_equal",
        ],
    );
    has_keys(&report["layout_comparison"]["packed"], &SCORE);
    has_keys(
        &report["baseline"],
        &["model", "vocabulary_size", "training_transitions", "train", "validation"],
    );
    assert_eq!(report["runs"].as_array().unwrap().len(), 3);
    let run = &report["runs"][0];
    has_keys(
        run,
        &["seed", "checkpoints", "overfitting_intervals", "lowest_observed_validation_update"],
    );
    has_keys(&run["checkpoints"][0], &["update", "train", "validation"]);
    has_keys(&run["checkpoints"][0]["train"], &SCORE);
    has_keys(
        &run["overfitting_intervals"][1],
        &["from", "to", "train_change", "validation_change", "training_fell_and_validation_rose"],
    );
    let summary = &report["final_validation_seed_summary"];
    has_keys(
        summary,
        &[
            "seed_count",
            "mean_nll",
            "sample_standard_deviation_nll",
            "minimum_nll",
            "maximum_nll",
            "interpretation",
        ],
    );
    assert!(summary["interpretation"].as_str().unwrap().contains("not an interval"));
    has_keys(
        &report["saved_first_seed_model"],
        &[
            "seed",
            "update",
            "model_sha256",
            "round_trip",
            "train",
            "validation",
            "matches_unsaved_model",
        ],
    );
    assert_eq!(report["saved_first_seed_model"]["round_trip"], "in-memory");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn a_saved_model_is_scored_alike_by_two_other_processes() {
    let folder = tempfile::tempdir().unwrap();
    let path = "made/on/the/way/model.safetensors";
    let experiment = ["experiment", "--seeds", "39", "--save-model", path];
    let saved = json(&program(folder.path()).args(experiment).output().unwrap());
    let saved = &saved["saved_first_seed_model"];
    assert_eq!(saved["round_trip"], "on-disk");
    assert_eq!(saved["matches_unsaved_model"], true);
    let bytes = fs::read(folder.path().join(path)).unwrap();

    for (rows, batches) in [("1", 2), ("2", 1), ("1000", 1)] {
        let evaluate = ["evaluate", "--model", path, "--batch-rows", rows];
        let report = json(&program(folder.path()).args(evaluate).output().unwrap());
        has_keys(
            &report,
            &["chapter", "execution", "data_scope", "model_sha256", "batch_rows", "scores"],
        );
        assert_eq!(report["model_sha256"], saved["model_sha256"]);
        for split in ["train", "validation"] {
            let score = &report["scores"][split];
            has_keys(score, &SCORE);
            assert_eq!(
                (&score["batch_count"], &score["recorded_graphs"]),
                (&batches.into(), &0.into())
            );
            assert_eq!(score["mean_nll"], saved[split]["mean_nll"]);
            assert_eq!(score["perplexity"], saved[split]["perplexity"]);
        }
    }
    assert_eq!(fs::read(folder.path().join(path)).unwrap(), bytes, "evaluation wrote to the model");
    let entries = fs::read_dir(folder.path().join(path).parent().unwrap()).unwrap();
    assert_eq!(entries.count(), 1, "something was left beside the model");
}

/// Six printed digits could hide a difference, so the library's unrounded values are compared.
#[test]
fn batch_rows_change_no_bit_of_a_saved_models_score() {
    use practical_ch16_language_model_evaluation::evaluate_saved;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    let seeds = "7".parse().unwrap();
    practical_ch16_language_model_evaluation::experiment(&seeds, Some(&path)).unwrap();
    let [one, two] =
        [1, 2].map(|rows| evaluate_saved(&path, rows.try_into().unwrap()).unwrap().scores);
    for (a, b) in [(one.train, two.train), (one.validation, two.validation)] {
        assert_eq!(a.mean_nll.to_bits(), b.mean_nll.to_bits());
        assert_eq!(a.perplexity.to_bits(), b.perplexity.to_bits());
    }
    // Printed alike is not the same: these two differ by 4e-7.
    assert_eq!(format!("{:.6}", 4.172_745_0), format!("{:.6}", 4.172_745_4));
}

#[test]
fn a_saved_model_replaces_an_older_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("model"), "something else").unwrap();
    let save = ["--seeds", "39", "--save-model", "model"];
    json(&program(folder.path()).args(save).output().unwrap());
    json(
        &program(folder.path())
            .args(["evaluate", "--model", "model", "--batch-rows", "1"])
            .output()
            .unwrap(),
    );
}

#[test]
fn the_figure_shows_three_seeds_five_checkpoints_and_both_splits() {
    let folder = tempfile::tempdir().unwrap();
    json(&program(folder.path()).args(["experiment", "--figure", "losses.svg"]).output().unwrap());
    let svg = fs::read_to_string(folder.path().join("losses.svg")).unwrap();
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<circle").count(), 3 * 5 * 2);
    for seed in [39, 40, 41] {
        for split in ["validation", "training"] {
            assert!(svg.contains(&format!("seed {seed}, {split}")), "{seed} {split}");
        }
    }
    assert!(svg.contains("nats per target") && svg.contains("updates"));
}

#[test]
fn wrong_usage_is_one_line_and_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| program(folder.path()).args(arguments).output().unwrap();
    let cases: [(&[&str], &str); 10] = [
        (&["evaluate", "--model", "m", "--batch-rows", "0"], "at least 1"),
        (&["evaluate", "--model", "m", "--batch-rows", "-1"], "-1"),
        (&["evaluate", "--model", "m", "--batch-rows", "two"], "two"),
        (&["evaluate", "--model", "m"], "--batch-rows"),
        (&["evaluate", "--batch-rows", "1"], "--model"),
        (&["experiment", "--seeds", "39,39"], "seed 39 is listed twice"),
        (&["experiment", "--seeds", "x"], "`x` is no seed"),
        (&["experiment", "--seeds", "-1"], "`-1` is no seed"),
        (&["--sead", "39"], "--sead"),
        (&["train"], "train"),
    ];
    for (arguments, named) in cases {
        let line = refusal(&run(arguments), 2);
        assert!(line.contains(named), "{arguments:?}: {line}");
    }
}

#[test]
fn model_and_figure_cannot_go_to_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--seeds", "1", "--save-model", "both", "--figure", "./both"];
    let line = refusal(&program(folder.path()).args(arguments).output().unwrap(), 1);
    assert!(line.contains("cannot hold both"), "{line}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn help_names_every_option() {
    let folder = tempfile::tempdir().unwrap();
    let help = |arguments: &[&str]| {
        let output = program(folder.path()).args(arguments).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap()
    };
    let experiment = help(&["experiment", "--help"]);
    for option in ["--save-model", "--seeds", "--figure", "39,40,41"] {
        assert!(experiment.contains(option), "{option}");
    }
    let evaluate = help(&["evaluate", "--help"]);
    assert!(evaluate.contains("--model") && evaluate.contains("--batch-rows"));
    assert!(help(&["--help"]).contains("evaluate"));
}

#[test]
fn a_place_that_cannot_be_written_is_one_line_and_exit_code_1() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for option in ["--save-model", "--figure"] {
        for path in ["file/below", "."] {
            let arguments = ["--seeds", "39", option, path];
            let line = refusal(&program(folder.path()).args(arguments).output().unwrap(), 1);
            assert!(line.contains(path), "{line}");
        }
    }
}
