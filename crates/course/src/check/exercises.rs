//! Coding exercises: complete, the start fails its tests and the solution passes them.

use super::{Findings, line_of, text};
use crate::chapter::Chapter;
use crate::exercise::{Exercise, Side, build_tests, exercises, package, run_tests};
use cargo_metadata::Metadata;
use std::fs;

const SIDES: [Side; 2] = [Side::Start, Side::Solution];

/// Checks the exercises of some chapters; with `build` it also compiles and runs them, with one call
/// of cargo for all.
pub(super) fn check(
    workspace: &Metadata,
    chapters: &[&Chapter],
    build: bool,
    findings: &mut Findings,
) {
    let mut complete: Vec<(&Chapter, Exercise)> = Vec::new();
    for chapter in chapters {
        let Some(package) = package(workspace, chapter) else { continue };
        let manifest = &package.manifest_path;
        let (found, others) = exercises(package, chapter);
        for target in others {
            let line = line_of(&text(manifest), |line| line.contains(&target.name));
            let short = chapter.short_name();
            let expected = format!("expected {short}-NAME-start or {short}-NAME-solution");
            findings.problem(manifest, line, format!("example `{}`, {expected}", target.name));
        }
        check_folders(chapter, &found, findings);
        for exercise in found {
            if is_complete(chapter, &exercise, findings) {
                complete.push((chapter, exercise));
            }
        }
    }
    if build && !complete.is_empty() {
        run(workspace, &complete, findings);
    }
}

/// Every folder below `exercises` belongs to examples.
fn check_folders(chapter: &Chapter, found: &[Exercise], findings: &mut Findings) {
    for entry in fs::read_dir(chapter.folder.join("exercises")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !found.iter().any(|exercise| exercise.name == name) {
            let path = chapter.folder.join("exercises").join(&name);
            findings.problem(&path, 1, "no example of the manifest belongs to this");
        }
    }
}

/// Both examples and all three files are there and fit together.
fn is_complete(chapter: &Chapter, exercise: &Exercise, findings: &mut Findings) -> bool {
    let manifest = chapter.folder.join("Cargo.toml");
    let mut problems = Vec::new();
    for side in SIDES {
        let name = format!("{}-{}-{}", chapter.short_name(), exercise.name, side.word());
        let line = line_of(&text(&manifest), |line| line.contains(&name));
        let file = exercise.file(side);
        match exercise.target(side) {
            None => problems.push((manifest.clone(), 1, format!("no example `{name}`"))),
            Some(target) if target.src_path != file => {
                let expected = file.strip_prefix(&chapter.folder).unwrap_or(&file);
                problems.push((manifest.clone(), line, format!("expected path `{expected}`")));
            }
            Some(target) if target.test != (side == Side::Solution) => {
                let text = "`test = true` for the solution and not for the start";
                problems.push((manifest.clone(), line, format!("expected {text}")));
            }
            Some(_) if !text(&file).contains("\n#[cfg(test)]\nmod tests;\n") => {
                problems.push((file, 1, "expected the tests, `#[cfg(test)] mod tests;`".into()));
            }
            Some(_) => {}
        }
    }
    let tests = exercise.folder.join("tests.rs");
    if !text(&tests).contains("#[test]") {
        problems.push((tests, 1, "no tests".into()));
    }
    for (path, line, text) in &problems {
        findings.problem(path, *line, text);
    }
    problems.is_empty()
}

/// Compiles all and runs each.
fn run(workspace: &Metadata, complete: &[(&Chapter, Exercise)], findings: &mut Findings) {
    let mut packages: Vec<&str> = complete.iter().map(|(c, _)| c.package.as_str()).collect();
    packages.dedup();
    let targets = complete.iter().flat_map(|(_, exercise)| SIDES.map(|side| exercise.target(side)));
    let names: Vec<&str> = targets.flatten().map(|target| target.name.as_str()).collect();
    let programs = match build_tests(&workspace.workspace_root, &packages, &names) {
        Ok(programs) => programs,
        Err(error) => {
            return findings.problem(&complete[0].1.folder, 1, format!("{error:#}"));
        }
    };
    for (chapter, exercise) in complete {
        for side in SIDES {
            let target = exercise.target(side);
            let Some(program) = target.and_then(|target| programs.get(&target.name)) else {
                findings.problem(&exercise.file(side), 1, "cargo built no tests of it");
                continue;
            };
            match (run_tests(program, &chapter.folder), side) {
                (Err(error), _) => {
                    findings.problem(&exercise.file(side), 1, format!("{error:#}"));
                }
                (Ok(run), Side::Start) if run.passed => {
                    let text = "the start passes its tests, so nothing is left to do; if you have \
                                just solved it, well done: put the file back before you hand in";
                    findings.problem(&exercise.file(side), 1, text);
                }
                (Ok(run), Side::Solution) if !run.passed => {
                    let failed = run.tests.iter().filter(|(_, passed)| !passed);
                    let names: Vec<&str> = failed.map(|(name, _)| name.as_str()).collect();
                    let text = format!("the solution fails its tests: {}", names.join(", "));
                    findings.problem(&exercise.file(side), 1, text);
                }
                _ => {}
            }
        }
    }
}
