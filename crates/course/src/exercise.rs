//! A coding exercise: a folder of a chapter with three files, and two Cargo examples.
//!
//! ```text
//! exercises/first-fit/start.rs      what the learner edits: compiles, and fails its tests
//! exercises/first-fit/solution.rs   the same functions, done: passes them
//! exercises/first-fit/tests.rs      the tests, a module of both
//! ```
//!
//! The examples `chNN-first-fit-start` and `chNN-first-fit-solution` are libraries (so neither needs a
//! `main`, and nothing is linked). An ordinary `cargo test` compiles both, and runs the tests of the
//! solution because its example says `test = true`. That the start still fails is for `./course check`.

use crate::cargo_build::built_programs;
use crate::chapter::Chapter;
use anyhow::Context;
use cargo_metadata::camino::{Utf8Path, Utf8PathBuf};
use cargo_metadata::{Metadata, Package, Target, TargetKind};
use std::collections::BTreeMap;
use std::process::Command;

/// Which of the two examples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// The file to edit.
    Start,
    /// The file that passes.
    Solution,
}

impl Side {
    /// The word for it in names of examples and files.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Side::Start => "start",
            Side::Solution => "solution",
        }
    }
}

/// A coding exercise, complete or not.
#[derive(Clone, Debug)]
pub(crate) struct Exercise {
    /// Its name in the chapter: `first-fit`.
    pub(crate) name: String,
    /// Its folder.
    pub(crate) folder: Utf8PathBuf,
    start: Option<Target>,
    solution: Option<Target>,
}

impl Exercise {
    /// The example on one side, if the manifest has it.
    pub(crate) fn target(&self, side: Side) -> Option<&Target> {
        match side {
            Side::Start => self.start.as_ref(),
            Side::Solution => self.solution.as_ref(),
        }
    }

    /// The file on one side, wherever the manifest may point.
    pub(crate) fn file(&self, side: Side) -> Utf8PathBuf {
        self.folder.join(side.word()).with_extension("rs")
    }

    /// The first line of the starting file, without its `//!`.
    pub(crate) fn title(&self) -> String {
        let text = std::fs::read_to_string(self.file(Side::Start)).unwrap_or_default();
        text.lines().next().unwrap_or_default().trim_start_matches("//!").trim().to_owned()
    }
}

/// The package of a chapter.
pub(crate) fn package<'a>(workspace: &'a Metadata, chapter: &Chapter) -> Option<&'a Package> {
    workspace.workspace_packages().into_iter().find(|p| *p.name == chapter.package)
}

/// The exercises among a chapter's examples, by name, and the examples that are on no side of one.
pub(crate) fn exercises(package: &Package, chapter: &Chapter) -> (Vec<Exercise>, Vec<Target>) {
    let prefix = format!("{}-", chapter.short_name());
    let (mut found, mut others) = (BTreeMap::<String, Exercise>::new(), Vec::new());
    let examples = package.targets.iter().filter(|t| t.kind.contains(&TargetKind::Example));
    for target in examples {
        let name = target.name.strip_prefix(&prefix);
        let sides = [Side::Start, Side::Solution];
        let side = sides.into_iter().find_map(|side| {
            Some((name?.strip_suffix(side.word())?.strip_suffix('-')?.to_owned(), side))
        });
        let Some((name, side)) = side else {
            others.push(target.clone());
            continue;
        };
        let folder = chapter.folder.join("exercises").join(&name);
        let exercise = found.entry(name.clone()).or_insert_with(|| Exercise {
            name,
            folder,
            start: None,
            solution: None,
        });
        match side {
            Side::Start => exercise.start = Some(target.clone()),
            Side::Solution => exercise.solution = Some(target.clone()),
        }
    }
    (found.into_values().collect(), others)
}

/// Compiles the tests of some examples; gives the programs that run them, by name of the example.
/// Cargo writes warnings and errors to standard error.
///
/// # Errors
/// If cargo does not start or something does not compile.
pub(crate) fn build_tests(
    root: &Utf8Path,
    packages: &[&str],
    examples: &[&str],
) -> anyhow::Result<BTreeMap<String, Utf8PathBuf>> {
    let packages = packages.iter().flat_map(|name| ["--package", name]);
    let examples = examples.iter().flat_map(|name| ["--example", name]);
    let words: Vec<&str> =
        ["test", "--no-run"].into_iter().chain(packages).chain(examples).collect();
    built_programs(root, &words)?
        .context("the exercises do not compile; cargo's messages are above")
}

/// What the tests of one side of an exercise say.
pub(crate) struct TestRun {
    /// Whether all of them passed, and there is at least one.
    pub(crate) passed: bool,
    /// The names of the tests, each with whether it passed.
    pub(crate) tests: Vec<(String, bool)>,
    /// What the tests that failed have printed.
    pub(crate) failures: String,
}

/// Runs a program of [`build_tests`].
///
/// # Errors
/// If it does not start.
pub(crate) fn run_tests(program: &Utf8Path, folder: &Utf8Path) -> anyhow::Result<TestRun> {
    let output = Command::new(program)
        .arg("--test-threads=1") // one after the other, in the same order every time
        .env("RUST_BACKTRACE", "0") // the message says where; the rest is the test harness
        .current_dir(folder)
        .output()
        .with_context(|| format!("cannot start {program}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let tests: Vec<(String, bool)> = text
        .lines()
        .filter_map(|line| {
            let (name, result) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
            Some((name.trim_start_matches("tests::").to_owned(), result == "ok"))
        })
        .collect();
    let passed = output.status.success() && !tests.is_empty();
    // The harness writes this word twice: above what was printed, and above a list of names.
    let failures = text.split("\nfailures:\n").nth(1).unwrap_or_default().trim().to_owned();
    Ok(TestRun { passed, tests, failures })
}
