//! What can be said, and what is refused by name.

use std::path::Path;

use crate::support::refused;
use crate::train::{SETTINGS, Workplace, names};

#[test]
fn a_flag_replaces_the_setting_of_its_name() {
    let place = Workplace::new();
    let flags = ["--updates", "2", "--d-model", "4", "--out", "elsewhere", "--seed", "7"];
    place.report(&flags);
    let plan = place.log("elsewhere")[0]["run"]["plan"].clone();
    assert_eq!(plan["training"]["updates"], 2);
    assert_eq!((&plan["model"]["d_model"], &plan["model"]["d_ff"]), (&4.into(), &16.into()));
    assert_eq!(plan["seed"], 7);
    assert!(!place.path("out").exists());
}

#[test]
fn paths_in_the_file_start_at_its_folder() {
    let place = Workplace::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let path = place.path("run.toml");
    let mut command = place.train(&["--config", path.to_str().unwrap()]);
    // The option is given twice, the later one counts only if clap is told so.
    assert!(refused(command.current_dir(elsewhere.path()), 2).contains("--config"));
    let mut command = crate::support::llm(["train", "--overlap", "report", "--config"]);
    crate::support::printed(command.arg(path).current_dir(elsewhere.path()));
    assert!(place.path("out/report.json").exists());
    assert_eq!(names(elsewhere.path()), [""; 0]);
}

#[test]
fn a_run_needs_no_file() {
    let place = Workplace::new();
    let mut command = crate::support::llm(["train", "--files", "text.txt", "--documents", "lines"]);
    command.args(["--overlap", "report", "--out", "by-flags", "--updates", "1"]);
    command.args(["--context-len", "8", "--vocab-size", "258"]);
    crate::support::printed(command.current_dir(place.folder.path()));
    assert!(place.path("by-flags/model.safetensors").exists());
}

/// Each line of the file that is replaced by something wrong, and what the message must contain.
#[test]
fn every_setting_that_cannot_be_is_refused_by_name() {
    let wrong_in_file = [
        ("seed = 39", "sede = 39", "unknown field `sede`"),
        ("seed = 39", "seed = -1", "seed"),
        ("seed = 39", "seed = \"x\"", "seed"),
        ("[data]", "[date]", "unknown field `date`"),
        ("files = [\"text.txt\"]", "files = \"text.txt\"", "files"),
        ("files = [\"text.txt\"]", "files = []", "data.files"),
        ("files = [\"text.txt\"]", "files = [\"nowhere.txt\"]", "nowhere.txt"),
        ("documents = \"paragraphs\"", "documents = \"pages\"", "unknown variant `pages`"),
        ("validation_share = 0.2", "validation_share = 1.0", "validation is 1"),
        ("validation_share = 0.2", "validation_share = nan", "validation is NaN"),
        ("vocab_size = 280", "vocab_size = 257", "vocab_size is 257, expected 258"),
        ("vocab_size = 280", "artifact = \"none.json\"", "none.json"),
        ("vocab_size = 280", "vocab_size = 280\nartifact = \"t.json\"", "artifact"),
        ("vocab_size = 280", "pretokenizer = \"gpt3\"", "unknown variant `gpt3`"),
        ("context_len = 16", "context_len = 0", "context_len is 0"),
        ("context_len = 16", "preset = \"huge\"", "unknown variant `huge`"),
        ("context_len = 16", "dtype = \"f16\"", "unknown variant `f16`"),
        ("context_len = 16", "n_kv_heads = 3", "n_kv_heads"),
        ("context_len = 16", "head_dim = 3", "head_dim is 3"),
        ("context_len = 16", "rope_base = 0.0", "rope_base"),
        ("context_len = 16", "norm_eps = -1.0", "norm_eps"),
        ("n_heads = 2", "n_heads = 3", "n_heads 3"),
        ("n_heads = 2", "n_heads = 0", "n_heads 0"),
        ("d_model = 8", "d_model = 9", "d_model 9"),
        ("d_model = 8", "d_model = 18446744073709551615", "d_model"),
        ("n_layers = 1", "n_layers = 9223372036854775807", "too many parameters"),
        ("updates = 12", "updates = 0", "updates"),
        ("updates = 12", "updates = 12\nwarmup_updates = 12", "updates is 12, expected more"),
        ("updates = 12", "schedule = \"constant\"\nwarmup_updates = 1", "warmup_updates"),
        ("updates = 12", "schedule = \"warmup\"\nfloor_rate = 0.1", "floor_rate"),
        ("updates = 12", "schedule = \"linear\"", "unknown variant `linear`"),
        ("updates = 12", "peak_rate = -1.0", "peak_rate is -1"),
        ("updates = 12", "peak_rate = inf", "peak_rate is inf"),
        ("updates = 12", "schedule = \"warmup\"\npeak_rate = nan", "peak_rate is NaN"),
        ("updates = 12", "schedule = \"constant\"\npeak_rate = -1.0", "peak_rate is -1"),
        ("updates = 12", "floor_rate = 1.0", "floor_rate is 1"),
        ("updates = 12", "beta1 = 1.0", "beta1 is 1"),
        ("updates = 12", "beta2 = -0.5", "beta2 is -0.5"),
        ("updates = 12", "epsilon = 0.0", "epsilon is 0"),
        ("updates = 12", "weight_decay = nan", "weight_decay is NaN"),
        ("updates = 12", "clip_limit = 0.0", "clip_limit is 0"),
        ("updates = 12", "clip_limit = nan", "clip_limit is NaN"),
        ("updates = 12", "dropout = 1.0", "dropout probability 1"),
        ("windows_per_update = 4", "windows_per_update = 0", "windows_per_update"),
        ("windows_per_update = 4", "windows_per_update = 9000000000000000000", "at most 1048576"),
        ("n_layers = 1", "n_layers = 1000000000000", "choose a smaller model"),
        ("context_len = 16", "context_len = 4000000000", "choose a smaller model or context"),
        ("windows_per_microbatch = 2", "windows_per_microbatch = 0", "windows_per_microbatch"),
        ("checkpoint_every = 3", "checkpoint_every = 0", "checkpoint_every"),
        ("evaluate_every = 4", "evaluate_every = 0", "evaluate_every"),
        ("evaluate_every = 4", "sample_temperature = 0.0", "sample_temperature is 0"),
        ("evaluate_every = 4", "sample_prompt = \"one two three four five\"", "sample_prompt has"),
        ("out = \"out\"", "", "--out"),
        ("out = \"out\"", "out = [", "run.toml"),
    ];
    let place = Workplace::new();
    for (right, wrong, expected) in wrong_in_file {
        assert!(SETTINGS.contains(right), "{right}");
        place.write("run.toml", &SETTINGS.replacen(right, wrong, 1));
        let message = refused(&mut place.train(&[]), 1);
        assert!(message.contains(expected), "{wrong}: {message}");
        assert!(!place.path("out/checkpoint.safetensors").exists(), "{wrong}");
    }
}

#[test]
fn flags_that_cannot_be_are_wrong_usage() {
    let place = Workplace::new();
    for flags in [
        ["--updates", "0"],
        ["--overlap", "ignore"],
        ["--seed", "18446744073709551615"],
        ["--tied-head", "maybe"],
        ["--pretokenizer", "gpt3"],
        ["--peak-rate", "fast"],
    ] {
        assert!(refused(&mut place.train(&flags), 2).contains(flags[0]), "{flags:?}");
    }
    assert!(refused(&mut place.train(&["--dry-run", "--resume"]), 2).contains("--resume"));
    // Without a file, all that is missing is missing on the command line.
    assert!(refused(&mut crate::support::llm(["train", "--files", "x"]), 2).contains("--out"));
    assert!(refused(&mut crate::support::llm(["train", "--out", "x"]), 2).contains("--files"));
}

/// The file in the documentation is a whole run; here with few updates and elsewhere.
#[test]
fn the_documented_settings_work() {
    let place = Workplace::new();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/run.toml");
    let out = place.path("lessons");
    let mut command =
        crate::support::llm(["train", "--json", "--updates", "3", "--warmup-updates"]);
    command.args(["1", "--config"]).arg(example).arg("--out").arg(&out);
    crate::support::printed(&mut command);
    assert!(out.join("best.safetensors").exists());
}
