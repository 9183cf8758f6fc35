//! `course list` in small workspaces, and in this one.

use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A workspace of packages given as (name, text of the `[package.metadata.course]` table).
fn workspace(packages: &[(&str, &str)]) -> TempDir {
    let root = TempDir::new().expect("a temporary folder");
    write(root.path(), "Cargo.toml", "[workspace]\nresolver = \"3\"\nmembers = [\"packages/*\"]\n");
    for (name, table) in packages {
        let package = root.path().join("packages").join(name);
        let manifest = format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n{table}");
        write(&package, "Cargo.toml", &manifest);
        write(&package.join("src"), "lib.rs", "");
    }
    root
}

fn write(folder: &Path, name: &str, text: &str) {
    fs::create_dir_all(folder).expect("a writable temporary folder");
    fs::write(folder.join(name), text).expect("a writable temporary folder");
}

fn table(chapter: u32, title: &str) -> String {
    format!("[package.metadata.course]\nchapter = {chapter}\ntitle = \"{title}\"\nminutes = 45\n")
}

/// Exit code, standard output and standard error of `course` in `folder`.
fn course(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_course"))
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("course starts");
    let text = |bytes| String::from_utf8(bytes).expect("course writes UTF-8");
    (output.status.code().expect("it exits"), text(output.stdout), text(output.stderr))
}

#[test]
fn chapters_are_listed_by_number_and_other_packages_are_not() {
    // Cargo reports packages by name, so that order alone would put 10 first.
    let (ten, two) = (table(10, "Über Verluste"), table(2, "Count"));
    let root = workspace(&[("a-ten", &ten), ("b-library", ""), ("c-two", &two)]);
    let expected = "\
chapter  minutes  title          package
      2       45  Count          c-two
     10       45  Über Verluste  a-ten

run one: ./course run cargo run --quiet --offline --locked -p PACKAGE
";
    assert_eq!(course(root.path(), &["list"]), (0, expected.into(), String::new()));
}

#[test]
fn json_has_the_same_chapters() {
    let (ten, two) = (table(10, "Losses") + "needs = [2]\n", table(2, "Count"));
    let root = workspace(&[("a-ten", &ten), ("c-two", &two)]);
    let (code, stdout, _) = course(root.path(), &["list", "--json"]);
    let expected = serde_json::json!({"chapters": [
        {"chapter": 2, "title": "Count", "minutes": 45, "needs": [], "package": "c-two"},
        {"chapter": 10, "title": "Losses", "minutes": 45, "needs": [2], "package": "a-ten"},
    ]});
    assert_eq!(code, 0);
    assert_eq!(serde_json::from_str::<serde_json::Value>(&stdout).unwrap(), expected);
}

#[test]
fn two_packages_with_one_number_are_refused() {
    let (first, second) = (table(7, "Losses"), table(7, "Gains"));
    let root = workspace(&[("a", &first), ("b", &second)]);
    let expected =
        "error: a and b both say that they are chapter 7; give one of them a free number\n";
    assert_eq!(course(root.path(), &["list"]), (1, String::new(), expected.into()));
}

#[test]
fn a_missing_entry_is_named_with_its_package() {
    let root = workspace(&[("a", "[package.metadata.course]\nchapter = 3\nminutes = 45\n")]);
    let expected = "error: [package.metadata.course] of a: missing field `title`\n";
    assert_eq!(course(root.path(), &["list"]), (1, String::new(), expected.into()));
}

#[test]
fn a_folder_without_a_workspace_is_one_line_on_stderr() {
    let root = TempDir::new().expect("a temporary folder");
    let (code, stdout, stderr) = course(root.path(), &["list"]);
    assert_eq!((code, stdout.as_str()), (1, ""));
    assert!(stderr.starts_with("error: cannot read the workspace: "), "{stderr}");
    assert_eq!(stderr.matches('\n').count(), 1, "{stderr}");
}

#[test]
fn this_workspace_has_chapter_sixteen() {
    let (code, stdout, stderr) = course(Path::new(env!("CARGO_MANIFEST_DIR")), &["list"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert!(stdout.contains("  practical-ch16-language-model-evaluation\n"), "{stdout}");
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    for arguments in [&["list", "--yaml"][..], &["lists"], &[]] {
        let (code, stdout, stderr) = course(Path::new("."), arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(stderr.matches('\n').count(), 1, "{arguments:?}: {stderr}");
    }
}
