//! `./course exercise`: the coding exercises, and whether their files pass.

use crate::chapter::{Chapter, chapters, named, workspace_metadata};
use crate::exercise::{Exercise, Side, TestRun, build_tests, exercises, package, run_tests};
use crate::outcome::Outcome;
use anyhow::{Context, bail};
use cargo_metadata::Metadata;
use clap::Args;
use std::fmt::Write;

/// Which exercises to run.
#[derive(Debug, Args)]
pub struct ExerciseArgs {
    /// Whose exercises to run, for example ch05; without it, all are listed and none is run.
    chapter: Option<String>,
    /// The one to run, with what its failing tests print.
    name: Option<String>,
    /// Run the solution and not the starting file.
    #[arg(long)]
    solution: bool,
}

/// Lists or runs exercises in the workspace around the current folder. Passes if all tests that ran
/// have passed.
///
/// # Errors
/// If there is no such chapter or exercise, or if an exercise does not compile.
pub fn exercise(args: &ExerciseArgs) -> anyhow::Result<Outcome> {
    let workspace = workspace_metadata()?;
    let chapters = chapters(&workspace)?;
    let Some(chapter) = &args.chapter else {
        return Ok(Outcome { text: listing(&workspace, &chapters), passed: true });
    };
    let chapter = named(&chapters, chapter)?;
    let mut found = exercises_of(&workspace, chapter);
    if let Some(name) = &args.name {
        let names: Vec<String> = found.iter().map(|exercise| exercise.name.clone()).collect();
        found.retain(|exercise| exercise.name == *name);
        if found.is_empty() {
            let (short, names) = (chapter.short_name(), names.join(", "));
            bail!("{short} has no exercise `{name}`, expected one of: {names}");
        }
    }
    let side = if args.solution { Side::Solution } else { Side::Start };
    let runs = run(&workspace, chapter, &found, side)?;

    let mut text = String::new();
    for (exercise, run) in found.iter().zip(&runs) {
        describe(&mut text, &workspace, chapter, exercise, side, run, args.name.is_some());
    }
    if found.is_empty() {
        text = format!("{} has no coding exercises\n", chapter.short_name());
    }
    Ok(Outcome { text, passed: runs.iter().all(|run| run.passed) })
}

fn exercises_of(workspace: &Metadata, chapter: &Chapter) -> Vec<Exercise> {
    package(workspace, chapter).map(|p| exercises(p, chapter).0).unwrap_or_default()
}

/// One line for each exercise of the workspace.
fn listing(workspace: &Metadata, chapters: &[Chapter]) -> String {
    let mut text = String::new();
    for chapter in chapters {
        for exercise in exercises_of(workspace, chapter) {
            let (short, name, title) = (chapter.short_name(), &exercise.name, exercise.title());
            writeln!(text, "{short}  {name:<24}  {title}").expect("a String takes any text");
        }
    }
    if text.is_empty() {
        text = "no chapter has a coding exercise yet\n".into();
    }
    text + "\nrun those of a chapter: ./course exercise chNN, or one: ./course exercise chNN NAME\n"
}

fn run(
    workspace: &Metadata,
    chapter: &Chapter,
    found: &[Exercise],
    side: Side,
) -> anyhow::Result<Vec<TestRun>> {
    if found.is_empty() {
        return Ok(Vec::new());
    }
    let target = |exercise: &Exercise| {
        let target = exercise.target(side).map(|target| target.name.clone());
        target.with_context(|| {
            let (name, word) = (&exercise.name, side.word());
            format!("exercise `{name}` has no {word}; ./course check says what is missing")
        })
    };
    let targets = found.iter().map(target).collect::<anyhow::Result<Vec<String>>>()?;
    let examples: Vec<&str> = targets.iter().map(String::as_str).collect();
    let programs = build_tests(&workspace.workspace_root, &[&chapter.package], &examples)?;
    let run = |name: &String| {
        let program = programs.get(name).with_context(|| format!("cargo built no {name}"))?;
        run_tests(program, &chapter.folder)
    };
    targets.iter().map(run).collect()
}

/// The result of one exercise: in a few lines, or with what its failing tests print.
fn describe(
    text: &mut String,
    workspace: &Metadata,
    chapter: &Chapter,
    exercise: &Exercise,
    side: Side,
    run: &TestRun,
    in_full: bool,
) {
    let file = exercise.file(side);
    let file = file.strip_prefix(&workspace.workspace_root).unwrap_or(&file);
    let (short, name) = (chapter.short_name(), &exercise.name);
    let mut line = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    line(format!("{short} {name}: {}", exercise.title()));
    line(format!("  {file}"));
    for (test, passed) in &run.tests {
        line(format!("  {}  {test}", if *passed { "passes" } else { "fails " }));
    }
    if in_full && !run.passed {
        line(format!("\n{}\n", run.failures));
    }
    line(match (run.passed, side) {
        (true, Side::Start) => "  solved".into(),
        (true, Side::Solution) => "  the solution passes".into(),
        (false, Side::Solution) => "  the solution fails".into(),
        (false, Side::Start) => {
            format!("  not solved yet: edit the file, then ./course exercise {short} {name}")
        }
    });
}
