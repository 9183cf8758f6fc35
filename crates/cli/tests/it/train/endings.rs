//! A run that is stopped in any way goes on to the same bits.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use llm_from_scratch_practical::archive::PortableModel;

use crate::support::refused;
use crate::train::Workplace;

/// Enough updates to stop in the middle of.
const LONG: [&str; 4] = ["--updates", "400", "--checkpoint-every", "7"];

/// Starts the command and waits until its log has `lines` lines.
fn start_and_wait(command: &mut Command, log: &Path, lines: usize) -> Child {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let written = || fs::read(log).map_or(0, |text| text.iter().filter(|&&b| b == b'\n').count());
    while written() < lines {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it was stopped");
        std::thread::sleep(Duration::from_millis(1));
    }
    child
}

fn kill_after(place: &Workplace, out: &str, lines: usize) {
    let log = place.path(out).join("log.jsonl");
    let resume = [&LONG[..], &["--out", out, "--resume"]].concat();
    let mut child = start_and_wait(&mut place.train(&resume), &log, lines);
    // At any point of an update, a look, or a checkpoint.
    std::thread::sleep(Duration::from_micros(331 * lines as u64 % 3000));
    child.kill().unwrap();
    assert!(!child.wait().unwrap().success(), "killed too late");
}

/// Kills a run when its log has so many lines, one kill after the other, and lets it end.
fn check_kills(kills: &[usize]) {
    let place = Workplace::new();
    let whole = place.report(&[&LONG[..], &["--out", "whole"]].concat());
    for &lines in kills {
        kill_after(&place, "killed", lines);
    }
    let resumed = place.report(&[&LONG[..], &["--out", "killed", "--resume"]].concat());
    assert_eq!(resumed["run_sha256"], whole["run_sha256"]);
    assert_eq!(resumed["last"]["model_sha256"], whole["last"]["model_sha256"]);
    assert_eq!(place.log("killed")[1..], place.log("whole")[1..]);
    for file in ["best.safetensors", "model.safetensors", "checkpoint.safetensors", "corpus.json"] {
        let [a, b] = ["whole", "killed"].map(|out| fs::read(place.path(out).join(file)).unwrap());
        assert!(a == b, "{file}");
    }
}

#[test]
fn a_run_that_is_killed_goes_on_to_the_same_bits() {
    check_kills(&[1, 40, 41, 200]);
}

#[test]
#[ignore = "campaign: a hundred kills"]
fn a_run_that_is_killed_all_the_time_goes_on_to_the_same_bits() {
    check_kills(&(1..100).map(|i| 1 + 4 * i).collect::<Vec<_>>());
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_update_and_says_how_to_go_on() {
    let place = Workplace::new();
    let whole = place.report(&[&LONG[..], &["--out", "whole"]].concat());
    let log = place.path("out/log.jsonl");
    let child = start_and_wait(&mut place.train(&LONG), &log, 30);
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("--resume") && message.contains("signal"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");

    // The checkpoint is of the last update in the log: nothing was lost.
    let before = place.log("out");
    let resumed = place.report(&[&LONG[..], &["--resume"]].concat());
    assert_eq!(resumed["run_sha256"], whole["run_sha256"]);
    assert_eq!(place.log("out")[..before.len()], before);
}

#[test]
fn one_and_two_threads_give_the_same_bits() {
    let place = Workplace::new();
    let [one, two] =
        ["1", "2"].map(|threads| place.report(&["--threads", threads, "--out", threads]));
    assert_eq!(one["run_sha256"], two["run_sha256"]);
    assert_eq!(one["best"]["validation_nats_per_token"], two["best"]["validation_nats_per_token"]);
    assert_eq!(place.log("1")[1..], place.log("2")[1..]);
}

#[test]
fn smaller_microbatches_give_the_same_bits() {
    let place = Workplace::new();
    let run = |windows| place.report(&["--windows-per-microbatch", windows, "--out", windows]);
    assert_eq!(run("1")["run_sha256"], run("4")["run_sha256"]);
}

#[test]
fn a_folder_with_a_run_is_not_overwritten() {
    let place = Workplace::new();
    let report = place.report(&[]);
    let message = refused(&mut place.train(&[]), 1);
    assert!(message.contains("--resume") && message.contains("--out"), "{message}");
    // A run that has ended is continued with nothing.
    let again = place.report(&["--resume"]);
    assert_eq!(again["run_sha256"], report["run_sha256"]);
}

/// The run itself never reads the best model, so nobody else would notice.
#[test]
fn a_run_does_not_go_on_beside_a_damaged_best_model() {
    let place = Workplace::new();
    let report = place.report(&[]);
    let path = place.path("out/best.safetensors");
    let whole = fs::read(&path).unwrap();
    let mut flipped = whole.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [Some(&flipped[..]), Some(&whole[..whole.len() / 2]), Some(b""), None] {
        match damaged {
            Some(bytes) => fs::write(&path, bytes).unwrap(),
            None => fs::remove_file(&path).unwrap(),
        }
        let message = refused(&mut place.train(&["--resume"]), 1);
        assert!(message.contains("out/best.safetensors"), "{message}");
        assert!(message.contains("bring back") && message.contains("--out"), "{message}");
    }
    fs::write(&path, whole).unwrap();
    assert_eq!(place.report(&["--resume"])["run_sha256"], report["run_sha256"]);
}

#[test]
fn files_of_somebody_else_are_not_replaced() {
    let place = Workplace::new();
    fs::create_dir(place.path("out")).unwrap();
    place.write("out/model.safetensors", "precious");
    let message = refused(&mut place.train(&[]), 1);
    assert!(message.contains("has a model.safetensors already"), "{message}");
    let message = refused(&mut place.train(&["--resume"]), 1);
    assert!(message.contains("not of a run"), "{message}");
    assert_eq!(fs::read_to_string(place.path("out/model.safetensors")).unwrap(), "precious");
}

#[test]
fn what_a_run_left_that_had_no_checkpoint_is_replaced() {
    let place = Workplace::new();
    let log = place.path("out/log.jsonl");
    let mut child = start_and_wait(&mut place.train(&["--updates", "100000"]), &log, 20);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(place.path("out/best.safetensors").exists());
    let remove = |name: &str| fs::remove_file(place.path("out").join(name)).unwrap();
    remove("checkpoint.safetensors");
    // A model without a checkpoint is a result, and not for this command to delete.
    let message = refused(&mut place.train(&["--resume"]), 1);
    assert!(message.contains("has a best.safetensors but no checkpoint.safetensors"), "{message}");
    remove("best.safetensors");
    remove("loss.svg");
    let report = place.report(&["--validation-share", "0", "--resume"]);
    assert_eq!(report["updates"], 12);
    assert!(!place.path("out/best.safetensors").exists());
    assert!(!place.path("out/validation.jsonl").exists());
}

#[test]
fn only_the_log_of_a_run_is_written_over() {
    let place = Workplace::new();
    fs::create_dir(place.path("out")).unwrap();
    for (text, is_of_a_run) in [("my own log\n", false), ("", true)] {
        fs::write(place.path("out/log.jsonl"), text).unwrap();
        if is_of_a_run {
            place.report(&["--resume"]);
            continue;
        }
        let message = refused(&mut place.train(&["--resume"]), 1);
        assert!(message.contains("log.jsonl: is not the log of a run"), "{message}");
        assert_eq!(fs::read_to_string(place.path("out/log.jsonl")).unwrap(), text);
    }
}

#[test]
fn other_settings_are_not_continued_with() {
    let place = Workplace::new();
    place.report(&[]);
    for (flags, field) in [
        (["--peak-rate", "0.5"], "schedule"),
        (["--seed", "40"], "seed"),
        (["--d-model", "16"], "d_model"),
        (["--vocab-size", "270"], "tokenizer"),
        (["--windows-per-update", "5"], "documents_per_update"),
        (["--updates", "13"], "schedule"), // the cosine would have had another length
        (["--dtype", "f64"], "element"),
    ] {
        let message = refused(&mut place.train(&[&flags[..], &["--resume"]].concat()), 1);
        assert!(message.contains(field), "{flags:?}: {message}");
    }
}

#[test]
fn a_constant_rate_can_go_on_for_longer() {
    let place = Workplace::new();
    let constant = ["--schedule", "constant"];
    place.report(&constant);
    let longer = place.report(&[&constant[..], &["--resume", "--updates", "20"]].concat());
    let whole = place.report(&[&constant[..], &["--updates", "20", "--out", "whole"]].concat());
    assert_eq!(longer["run_sha256"], whole["run_sha256"]);
}

/// Rates that no weight survives: in the step itself, in the next update, in a look, in a checkpoint.
#[test]
fn a_run_that_diverges_stops_and_keeps_its_last_good_checkpoint() {
    let place = Workplace::new();
    let always = ["--schedule", "constant", "--updates", "1000", "--clip-limit", "inf"];
    for (rate, look, checkpoint) in
        [("1e12", "1000", "1"), ("1e300", "1", "1000"), ("1e300", "1000", "1000")]
    {
        let name = format!("{rate}-{look}-{checkpoint}");
        let own = ["--peak-rate", rate, "--evaluate-every", look, "--checkpoint-every", checkpoint];
        let mut command = place.train(&[&always[..], &own, &["--out", &name]].concat());
        let message = refused(&mut command, 1);
        assert!(message.contains("not finite") || message.contains("diverged"), "{message}");
        // What is kept can be gone on with, to the same end.
        assert!(message.contains(&format!("is kept in {name}")), "{message}");
        let again = refused(command.arg("--resume"), 1);
        assert_eq!(again, message);
        let best = PortableModel::<f32>::load(place.path(&name).join("best.safetensors"));
        assert!(best.unwrap().selection().is_some());
    }
}

#[test]
fn the_best_model_is_labelled_as_selected_on_validation() {
    let place = Workplace::new();
    let report = place.report(&[]);
    let load = |file: &str| PortableModel::<f32>::load(place.path(file)).unwrap();
    let (best, last) = (load("out/best.safetensors"), load("out/model.safetensors"));
    let selection = best.selection().expect("a label");
    assert_eq!(selection.selected_on, "validation");
    assert_eq!(report["best"]["update"], selection.update);
    assert_eq!(report["best"]["validation_nats_per_token"], selection.nats_per_token);
    assert_eq!(last.selection(), None);
    assert_eq!(report["last"]["model_sha256"], last.model_id());

    let looks = place.log("out").into_iter().filter(|event| event["type"] == "look");
    let loss = |look: serde_json::Value| look["validation"]["nats_per_token"].as_f64().unwrap();
    assert_eq!(looks.map(loss).fold(f64::INFINITY, f64::min), selection.nats_per_token);
}

#[test]
fn the_best_model_can_be_of_f64() {
    let place = Workplace::new();
    let report = place.report(&["--dtype", "f64"]);
    let best = PortableModel::<f64>::load(place.path("out/best.safetensors")).unwrap();
    assert_eq!(report["best"]["update"], best.selection().unwrap().update);
    let resumed = place.report(&["--dtype", "f64", "--resume"]);
    assert_eq!(resumed["run_sha256"], report["run_sha256"]);
}

#[test]
fn two_processes_do_not_train_in_one_folder() {
    let place = Workplace::new();
    let log = place.path("out/log.jsonl");
    let many = ["--updates", "100000"];
    let mut child = start_and_wait(&mut place.train(&many), &log, 2);
    let message = refused(&mut place.train(&[&many[..], &["--resume"]].concat()), 1);
    assert!(message.contains("another process"), "{message}");
    child.kill().unwrap();
    child.wait().unwrap();
}
