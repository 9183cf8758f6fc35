//! Runs of the command, and small models and texts for it.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use llm_from_scratch_practical::archive::PortableModel;
use llm_from_scratch_practical::model::{DecoderConfig, DecoderModel};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde_json::Value;
use tempfile::TempDir;

/// The command with these words, `llm WORDS...`.
pub(crate) fn llm<S: AsRef<OsStr>>(words: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_llm"));
    command.args(words);
    command
}

/// Runs it with something on standard input.
pub(crate) fn run_with_input(command: &mut Command, input: &[u8]) -> Output {
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // A command that refuses early reads nothing: a closed pipe is no failure of the test.
        scope.spawn(move || stdin.write_all(input).ok());
        child.wait_with_output().unwrap()
    })
}

/// Standard output of a run that must succeed and say nothing on standard error.
#[track_caller]
pub(crate) fn printed(command: &mut Command) -> String {
    text_of(&command.output().unwrap())
}

/// The same of a run that is over.
#[track_caller]
pub(crate) fn text_of(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{}: {errors}", output.status);
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The JSON object that a run prints.
#[track_caller]
pub(crate) fn json(command: &mut Command) -> Value {
    serde_json::from_str(&printed(command.arg("--json"))).unwrap()
}

/// The one line on standard error of a run that must fail with this code and print nothing.
#[track_caller]
pub(crate) fn refused(command: &mut Command, code: i32) -> String {
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{message}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    let line = message.strip_prefix("error: ").and_then(|text| text.strip_suffix('\n'));
    let line =
        line.unwrap_or_else(|| panic!("not one line that begins with `error: `: {message:?}"));
    assert!(!line.contains('\n'), "{message:?}");
    line.to_owned()
}

/// A folder that vanishes, with files of a test in it.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it, as a word for a command line.
    pub(crate) fn at(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> String {
        let path = PathBuf::from(self.at(name));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        self.at(name)
    }

    /// An untrained decoder over bytes, with contexts of 16 inputs.
    pub(crate) fn model(&self, name: &str, seed: u64) -> String {
        let tokenizer = Tokenizer::of_bytes();
        let config = DecoderConfig::reference(tokenizer.vocab_size(), 16).validate().unwrap();
        let model = DecoderModel::<f32>::initialize(config, seed);
        PortableModel::new(&model, &tokenizer).unwrap().save(self.at(name)).unwrap();
        self.at(name)
    }
}
