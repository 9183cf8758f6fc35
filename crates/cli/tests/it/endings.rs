//! Pipes that close, disks that are full, Ctrl-C, names that are no text.

use std::fs::{self, File};
use std::io::Read;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{Folder, json, llm, refused};

#[test]
fn a_reader_that_stops_early_is_no_failure() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let long = folder.write("t", "x".repeat(40_000));
    for words in [
        &["man"][..],
        &["tokenizer", "encode", &model, "--input", &long, "--json"],
        &["evaluate", "--model", &model, "--input", &model],
    ] {
        let mut command = llm(words);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut first = [0];
        child.stdout.take().unwrap().read_exact(&mut first).unwrap(); // and then it is closed
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words:?}");
        assert!(output.status.success(), "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_result_that_cannot_be_printed_is_a_failure() {
    let output = llm(["man"]).stdout(File::create("/dev/full").unwrap()).output().unwrap();
    let message = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{message}");
    assert!(message.contains("standard output"), "{message}");
    // A device is not replaced by a file.
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "abc"));
    let words = ["evaluate", "--model", &model, "--input", &text, "--records", "/dev/full"];
    assert!(refused(&mut llm(words), 1).contains("/dev/full"));
}

/// Whenever it comes, there is no file or the complete one.
#[test]
#[cfg(unix)]
fn ctrl_c_leaves_no_half_file() {
    let folder = Folder::new();
    let (model, text) = (folder.model("m.llm", 1), folder.write("t", "y".repeat(30_000)));
    let out = folder.at("out");
    fs::create_dir(&out).unwrap();
    for wait in [50, 200, 600] {
        let records = format!("{out}/records.jsonl");
        let words = ["evaluate", "--model", &model, "--input", &text, "--stride", "1"];
        let mut command = llm(words);
        let command = command.args(["--records", &records]).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
        assert!(kill.is_ok());
        child.wait().unwrap();
        let files: Vec<_> = fs::read_dir(&out).unwrap().map(|f| f.unwrap().path()).collect();
        for file in files {
            assert_eq!(file.to_str(), Some(records.as_str()));
            assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 30_001);
            fs::remove_file(file).unwrap();
        }
    }
}

#[test]
#[cfg(target_os = "linux")]
fn names_may_be_any_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let odd = folder.path().join("texts").join(OsStr::from_bytes(b"caf\xe9 \n.txt"));
    fs::create_dir(odd.parent().unwrap()).unwrap();
    fs::write(&odd, "abc").unwrap();
    let of_file = json(llm(["evaluate", "--model", &model, "--input"]).arg(&odd));
    let of_folder =
        json(llm(["evaluate", "--model", &model, "--input"]).arg(odd.parent().unwrap()));
    assert_eq!(of_file["nats_per_token"], of_folder["nats_per_token"]);
    fs::remove_file(&odd).unwrap();
    refused(llm(["evaluate", "--model", &model, "--input"]).arg(&odd), 1);
}

#[test]
fn help_and_version_go_to_standard_output() {
    for words in
        [&["--help"][..], &["evaluate", "--help"], &["help", "tokenizer", "train"], &["--version"]]
    {
        let output = llm(words).output().unwrap();
        assert!(output.status.success() && output.stderr.is_empty(), "{words:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains("llm"), "{words:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_is_an_input_and_no_model() {
    let folder = Folder::new();
    let model = folder.model("m.llm", 1);
    let pipe = folder.at("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = pipe.clone();
    let thread = std::thread::spawn(move || fs::write(writer, "abc").unwrap());
    let report = json(&mut llm(["evaluate", "--model", &model, "--input", &pipe]));
    thread.join().unwrap();
    assert_eq!(report["bytes"], 3);
    assert!(refused(&mut llm(["inspect", &pipe]), 1).contains("not a regular file"));
    fs::create_dir(folder.at("texts")).unwrap();
    fs::rename(&pipe, folder.at("texts/pipe")).unwrap();
    let message =
        refused(&mut llm(["evaluate", "--model", &model, "--input", &folder.at("texts")]), 1);
    assert!(message.contains("no regular file"), "{message}");
}
