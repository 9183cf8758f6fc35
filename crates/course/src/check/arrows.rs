//! Dependencies between our own packages: they point down, and only where the map has an arrow.

use super::{Findings, line_of, text};
use cargo_metadata::Package;
use std::collections::BTreeSet;

/// The facade, through which chapters and programs see the libraries.
const FACADE: &str = "llm-from-scratch-practical";
const KIT: &str = "llm-chapter-kit";

/// The map of the libraries: what each one is built on. A library may use all that it can reach.
/// Where a new crate belongs is decided here.
const LIBRARIES: [(&str, &[&str]); 15] = [
    ("llm-metrics", &[]),
    ("llm-compressors", &[]),
    ("llm-tokenizer", &[]),
    ("llm-autograd", &[]),
    (KIT, &["llm-metrics"]),
    ("llm-corpus", &["llm-metrics", "llm-tokenizer"]),
    ("llm-baselines", &["llm-corpus", "llm-metrics"]),
    ("llm-model", &["llm-autograd", "llm-corpus", "llm-metrics"]),
    ("llm-archive", &["llm-model", "llm-tokenizer"]),
    ("llm-trainer", &["llm-archive", "llm-model", "llm-corpus", "llm-metrics"]),
    ("llm-evaluation", &["llm-archive", "llm-model", "llm-corpus", "llm-baselines", "llm-metrics"]),
    ("llm-quantization", &["llm-evaluation", "llm-archive", "llm-model"]),
    ("llm-interop", &["llm-archive", "llm-model", "llm-tokenizer"]),
    (FACADE, &["llm-trainer", "llm-evaluation", "llm-quantization", "llm-interop"]),
    ("course", &[KIT]),
];

/// What programs may use; not what lies below.
const PROGRAMS: [&str; 3] = [FACADE, KIT, "llm-compressors"];

/// Checks the dependencies of one package on others of the workspace, those of its tests too.
pub(super) fn check(package: &Package, findings: &mut Findings) {
    let manifest = &package.manifest_path;
    let is_program = package.metadata.get("course").is_some() || *package.name == "llm-cli";
    let allowed = if is_program { Some(BTreeSet::from(PROGRAMS)) } else { below(&package.name) };
    let Some(allowed) = allowed else {
        let text =
            format!("{} is not on the map in crates/course/src/check/arrows.rs", package.name);
        findings.problem(manifest, 1, text);
        return;
    };
    for dependency in package.dependencies.iter().filter(|d| d.path.is_some()) {
        let name = dependency.name.as_str();
        if !allowed.contains(name) {
            let line = line_of(&text(manifest), |line| {
                line.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
            });
            let expected: Vec<&str> = allowed.iter().copied().collect();
            let expected = if expected.is_empty() { "none".into() } else { expected.join(", ") };
            let text = format!("{} may not depend on {name}; allowed: {expected}", package.name);
            findings.problem(manifest, line, text);
        }
    }
}

/// All that a library can reach on the map; `None` if it is not there.
fn below(name: &str) -> Option<BTreeSet<&'static str>> {
    let (_, arrows) = LIBRARIES.iter().find(|(library, _)| *library == name)?;
    let mut reached = BTreeSet::new();
    for &arrow in *arrows {
        reached.insert(arrow);
        reached.extend(below(arrow).unwrap_or_default());
    }
    Some(reached)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_map_is_closed_and_points_up_the_list_only() {
        let names = LIBRARIES.map(|(name, _)| name);
        for (place, (name, arrows)) in LIBRARIES.iter().enumerate() {
            for arrow in *arrows {
                assert!(names[..place].contains(arrow), "{name} -> {arrow}");
            }
        }
    }

    #[test]
    fn arrows_are_followed_to_the_end() {
        let expected = ["llm-autograd", "llm-corpus", "llm-metrics", "llm-model", "llm-tokenizer"];
        assert_eq!(below("llm-archive").unwrap().into_iter().collect::<Vec<_>>(), expected);
        assert_eq!(below(FACADE).unwrap().len(), 11, "all libraries but the kit and itself");
        assert!(below("llm-unknown").is_none());
    }
}
