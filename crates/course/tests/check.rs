//! `course check` and `course exercise` in small workspaces. This one is a step of `./course test`.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A workspace with one chapter that has no problem.
struct Workspace(TempDir);

const CHAPTER: &str = "practicals/ch07-losses";

const MANIFEST: &str = r#"[package]
name = "practical-ch07-losses"
edition = "2024"

[package.metadata.course]
chapter = 7
title = "Losses"
minutes = 30
needs = [2, 3]

[[example]]
name = "ch07-sum-start"
path = "exercises/sum/start.rs"
crate-type = ["lib"]

[[example]]
name = "ch07-sum-solution"
path = "exercises/sum/solution.rs"
crate-type = ["lib"]
test = true
"#;

const LESSON: &str = "# 07 · Losses

**You will see** losses. About 30 minutes.

## Run it

```text
./course run cargo run --quiet --offline --locked -p practical-ch07-losses
```

**Predict first.** More or less?

## What this establishes, and what not

Nothing. See [the code](src/lib.rs#L2).

## Read the code

[`main.rs`](src/main.rs)

## Exercises

1. One. <details></details>
2. Two. <details></details>
3. `./course exercise ch07 sum` <details></details>

**Where it leads.** On.

```json
{\"chapter\": \"07-losses\"}
```
";

/// What every chapter promises, without the kit.
const MAIN: &str = r#"fn main() {
    match std::env::args().nth(1).as_deref() {
        None => println!("{}", "{\"chapter\": \"07-losses\"}"),
        Some("--format") => println!("chapter  07-losses"),
        Some(_) => {
            eprintln!("error: no such option");
            std::process::exit(2)
        }
    }
}
"#;

const START: &str = "//! Add up.

/// The sum.
pub fn sum(_: &[u32]) -> u32 {
    0
}

#[cfg(test)]
mod tests;
";

impl Workspace {
    fn new() -> Self {
        let workspace = Self(TempDir::new().expect("a temporary folder"));
        workspace
            .write("Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"practicals/*\"]\n");
        for (path, text) in [
            ("Cargo.toml", MANIFEST),
            ("README.md", LESSON),
            ("src/main.rs", MAIN),
            ("src/lib.rs", "//! Losses.\npub const LOSS: u32 = 1;\n"),
            ("tests/lesson.rs", "// assert_lesson(LESSON, PROGRAM)\n"),
            ("exercises/sum/start.rs", START),
            (
                "exercises/sum/solution.rs",
                &START.replace("_: ", "n: ").replace("    0", "    n.iter().sum()"),
            ),
            (
                "exercises/sum/tests.rs",
                "#[test]\nfn sums() {\n    assert_eq!(super::sum(&[1, 2]), 3);\n}\n",
            ),
        ] {
            workspace.write(&format!("{CHAPTER}/{path}"), text);
        }
        workspace
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        fs::write(path, text).expect("a writable folder");
    }

    /// Replaces text in a file of the chapter, which must have it.
    fn edit(&self, path: &str, from: &str, to: &str) {
        let path = format!("{CHAPTER}/{path}");
        let text = fs::read_to_string(self.0.path().join(&path)).expect("the file is there");
        assert!(text.contains(from), "{from}");
        self.write(&path, &text.replace(from, to));
    }

    fn course(&self, arguments: &[&str]) -> (i32, String, String) {
        course(self.0.path(), arguments)
    }

    /// The lines that `check --no-build` prints, without the chapter's folder; the code must fit.
    #[track_caller]
    fn findings(&self) -> Vec<String> {
        let (code, stdout, stderr) = self.course(&["check", "--no-build"]);
        assert_eq!(stderr, "");
        let mut lines: Vec<String> =
            stdout.lines().map(|line| line.replace(&format!("{CHAPTER}/"), "")).collect();
        let summary = lines.pop().expect("a summary");
        let problems = lines.iter().filter(|line| !line.contains(": gap: ")).count();
        let counted = if problems == 1 { "1 problem" } else { &format!("{problems} problems") };
        assert!(summary.contains(&format!(": {counted}, ")), "{summary}");
        assert_eq!(code, i32::from(problems > 0));
        lines
    }

    #[track_caller]
    fn has_one_finding(&self, start: &str) {
        let lines = self.findings();
        assert_eq!(lines.len(), 1, "{lines:#?}");
        assert!(lines[0].starts_with(start), "{}, expected {start}", lines[0]);
    }
}

fn course(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_course"))
        .args(arguments)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .output()
        .expect("course starts");
    let text = |bytes| String::from_utf8(bytes).expect("course writes UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), text(output.stderr))
}

#[test]
fn a_chapter_without_a_problem_passes() {
    assert_eq!(Workspace::new().findings(), Vec::<String>::new());
}

/// Edits of the chapter, one a line: file | text | its replacement | what is found. A line end in a text
/// is written `$`.
const EDITS: &str = "
Cargo.toml | chapter = 7 | chapter = 8 | Cargo.toml:6: the folder is called ch07-losses, expected ch08-
Cargo.toml | minutes = 30 | minutes = 3 | Cargo.toml:8: 3 minutes, expected 5 to 180
Cargo.toml | [2, 3] | [7] | Cargo.toml:9: needs chapter 7, expected earlier chapters
Cargo.toml | title = \"Losses\"$ | | Cargo.toml:5: [package.metadata.course] of
Cargo.toml | needs | wants | Cargo.toml:5: [package.metadata.course] of
Cargo.toml | ch07-sum-start | sum-start | Cargo.toml:1: no example `ch07-sum-start`
Cargo.toml | ch07-sum-start | sum-start | Cargo.toml:12: example `sum-start`, expected ch07-NAME-start
Cargo.toml | sum/start.rs | sum/tests.rs | Cargo.toml:12: expected path `exercises/sum/start.rs`
Cargo.toml | test = true$ | | Cargo.toml:17: expected `test = true` for the solution
README.md | # 07 · Losses | # 07 · Gains | README.md:1: expected the title `# 07 · Losses`
README.md | About 30 | About 40 | README.md:3: expected `About 30 minutes`
README.md | **Predict first.** | | README.md:5: no `**Predict first.**` behind this line
README.md | ## Read the code | ## Exercises | README.md:13: no `## Read the code` behind this line
README.md | -p practical-ch07-losses | -p other | README.md:5: expected a block with the command
README.md | ```text | ``` | README.md:7: a block of no language
README.md | 2. Two. <details></details>$ | | README.md:21: 2 exercises, expected three to five
README.md | Two. <details> | Two. <b> | README.md:24: an exercise without an answer
README.md | `./course exercise ch07 sum` | | README.md:21: expected the command `./course exercise ch07`
README.md | (src/main.rs) | (src/mian.rs) | README.md:19: link to `src/mian.rs`: there is no src/mian.rs
README.md | (src/main.rs) | (../../../) | README.md:19: link to `../../../`: it leads out of the
README.md | rs#L2 | rs#L3 | README.md:15: link to `src/lib.rs#L3`: the file has lines 1 to 2
README.md | rs#L2 | rs#L2-L1 | README.md:15: link to `src/lib.rs#L2-L1`: the file has lines 1 to 2
README.md | rs#L2 | rs#sum | README.md:15: link to `src/lib.rs#sum`: `#sum` is no line
README.md | src/lib.rs#L2 | #nowhere | README.md:15: link to `#nowhere`: there is no heading
README.md | On. | TODO(chapter): on | README.md:27: gap: **Where it leads.** TODO(chapter): on
tests/lesson.rs | assert_lesson | ignore | README.md:5: no test compares this page
exercises/sum/start.rs | mod tests; | | exercises/sum/start.rs:1: expected the tests
exercises/sum/tests.rs | #[test] | | exercises/sum/tests.rs:1: no tests
";

#[test]
fn each_problem_is_named_with_its_file_and_line() {
    for edit in EDITS.trim().lines() {
        let cells: Vec<String> =
            edit.split('|').map(|cell| cell.trim().replace('$', "\n")).collect();
        let [file, from, to, expected] = cells.as_slice() else { panic!("four cells: {edit}") };
        let workspace = Workspace::new();
        workspace.edit(file, from, to);
        let lines = workspace.findings();
        assert!(lines.iter().any(|line| line.starts_with(expected)), "{edit}\n{lines:#?}");
    }
}

#[test]
fn long_files_are_problems() {
    let workspace = Workspace::new();
    let main = |lines: usize| format!("fn main() {{\n{}}}\n", "    let _ = 1;\n".repeat(lines - 2));
    workspace.write(&format!("{CHAPTER}/src/main.rs"), &main(15));
    workspace.write(&format!("{CHAPTER}/src/sums.rs"), &"//\n".repeat(400));
    workspace.write(&format!("{CHAPTER}/src/sums/tests.rs"), &"//\n".repeat(1000));
    assert_eq!(workspace.findings(), Vec::<String>::new());
    workspace.write(&format!("{CHAPTER}/src/main.rs"), &main(16));
    workspace.write(&format!("{CHAPTER}/src/sums.rs"), &"//\n".repeat(401));
    assert_eq!(
        workspace.findings(),
        [
            "src/main.rs:16: 16 lines, at most 15: move what it does to the library",
            "src/sums.rs:401: 401 lines, at most 400: split it by ideas",
        ]
    );
}

#[test]
fn a_folder_of_exercises_that_no_example_names_is_a_problem() {
    let workspace = Workspace::new();
    workspace.write(&format!("{CHAPTER}/exercises/product/start.rs"), START);
    workspace.has_one_finding("exercises/product:1: no example");
}

#[test]
fn arrows_that_point_up_or_sideways_are_problems() {
    let workspace = Workspace::new();
    workspace.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"practicals/*\", \"crates/*\"]\n",
    );
    for name in ["llm-metrics", "llm-corpus", "llm-mystery"] {
        let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n");
        let arrow = "[dependencies]\nllm-corpus = { path = \"../llm-corpus\" }\n";
        let arrow = if name == "llm-metrics" { arrow } else { "" };
        workspace.write(&format!("crates/{name}/Cargo.toml"), &(manifest + arrow));
        workspace.write(&format!("crates/{name}/src/lib.rs"), "");
    }
    let dependencies = "[dev-dependencies]\nllm-metrics = { path = \"../../crates/llm-metrics\" }\n\n[[example]]\nname = \"ch07-sum-start\"";
    workspace.edit("Cargo.toml", "[[example]]\nname = \"ch07-sum-start\"", dependencies);
    let expected = [
        "crates/llm-metrics/Cargo.toml:5: llm-metrics may not depend on llm-corpus; allowed: none",
        "crates/llm-mystery/Cargo.toml:1: llm-mystery is not on the map in crates/course/src/check/arrows.rs",
        "Cargo.toml:12: practical-ch07-losses may not depend on llm-metrics; allowed: llm-chapter-kit, llm-compressors, llm-from-scratch-practical",
    ];
    assert_eq!(workspace.findings(), expected);
}

#[test]
fn exercises_and_programs_are_compiled_and_run() {
    let workspace = Workspace::new();
    let mut lock = Command::new(env!("CARGO"));
    lock.args(["generate-lockfile", "--offline", "--quiet"]).current_dir(workspace.0.path());
    assert!(lock.status().expect("cargo starts").success());
    let (code, stdout, stderr) = workspace.course(&["check", "ch07"]);
    assert_eq!(
        (code, stdout.as_str()),
        (0, "checked 1 chapter, 1 package: 0 problems, 0 gaps\n"),
        "{stderr}"
    );
    let (code, stdout, _) = workspace.course(&["exercise", "ch07"]);
    let expected = "\
ch07 sum: Add up.
  practicals/ch07-losses/exercises/sum/start.rs
  fails   sums
  not solved yet: edit the file, then ./course exercise ch07 sum
";
    assert_eq!((code, stdout.as_str()), (1, expected));
    let (code, stdout, _) = workspace.course(&["exercise", "7", "sum"]);
    assert!(code == 1 && stdout.contains("assertion `left == right` failed"), "{stdout}");
    let (code, stdout, _) = workspace.course(&["exercise", "ch07", "--solution"]);
    assert!(code == 0 && stdout.contains("  passes  sums\n  the solution passes\n"), "{stdout}");

    let [start, solution] = ["start", "solution"].map(|side| {
        fs::read_to_string(workspace.0.path().join(format!("{CHAPTER}/exercises/sum/{side}.rs")))
            .unwrap()
    });
    workspace.write(&format!("{CHAPTER}/exercises/sum/start.rs"), &solution);
    workspace.write(&format!("{CHAPTER}/exercises/sum/solution.rs"), &start);
    assert!(workspace.course(&["exercise", "ch07"]).1.ends_with("  passes  sums\n  solved\n"));
    let (code, stdout, _) = workspace.course(&["check", "ch07"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("sum/solution.rs:1: the solution fails its tests: sums\n"), "{stdout}");
    assert!(stdout.contains("sum/start.rs:1: the start passes its tests"), "{stdout}");

    workspace.edit("README.md", "{\"chapter\"", "{\"chapters\"");
    let (code, stdout, _) = workspace.course(&["check", "ch07"]);
    assert_eq!(code, 1);
    let expected = "README.md:29: no command prints\n    {\"chapters\": \"07-losses\"}\n";
    assert!(stdout.contains(expected), "{stdout}");

    workspace.edit("exercises/sum/start.rs", "n.iter()", "m.iter()");
    let (code, stdout, stderr) = workspace.course(&["check", "ch07"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("the exercises do not compile"), "{stdout}");
    assert!(stderr.contains("cannot find value `m`"), "{stderr}");
}

#[test]
fn chapters_and_exercises_that_do_not_exist_are_refused() {
    let workspace = Workspace::new();
    for command in ["check", "exercise"] {
        let expected = "error: there is no chapter `ch08`, expected one of ch07\n";
        assert_eq!(workspace.course(&[command, "ch08"]), (1, String::new(), expected.into()));
    }
    let expected = "error: ch07 has no exercise `product`, expected one of: sum\n";
    let outcome = workspace.course(&["exercise", "ch07", "product"]);
    assert_eq!(outcome, (1, String::new(), expected.into()));
}

#[test]
fn a_chapter_whose_manifest_cannot_be_read_is_not_called_missing() {
    let workspace = Workspace::new();
    workspace.edit("Cargo.toml", "minutes = 30\n", "");
    let (code, stdout, _) = workspace.course(&["check", "ch07"]);
    assert_eq!(code, 1);
    assert!(stdout.contains("Cargo.toml:5: [package.metadata.course] of"), "{stdout}");
    assert!(stdout.contains("missing field `minutes`"), "{stdout}");
}

#[test]
fn exercises_are_listed_without_a_chapter() {
    let (code, stdout, _) = Workspace::new().course(&["exercise"]);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("ch07  sum "), "{stdout}");
    assert!(stdout.lines().next().unwrap().ends_with("  Add up."), "{stdout}");
}
