//! `docs/dependencies.md` names every crate from others, and who really uses it.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// For each crate the members that use it, with ` (tests)` after those whose tests alone do.
type Users = BTreeMap<String, BTreeSet<String>>;

fn users_in_manifests() -> Users {
    let workspace = MetadataCommand::new().no_deps().exec().expect("the workspace is valid");
    let mut users = Users::new();
    for package in workspace.workspace_packages() {
        let name = |dependency: &str| format!("`{dependency}`");
        let from_others = || package.dependencies.iter().filter(|d| d.path.is_none());
        let everywhere: BTreeSet<&str> = from_others()
            .filter(|d| d.kind != DependencyKind::Development)
            .map(|d| d.name.as_str())
            .collect();
        for dependency in from_others() {
            let tests_only = !everywhere.contains(dependency.name.as_str());
            let suffix = if tests_only { " (tests)" } else { "" };
            let user = format!("{}{suffix}", name(&package.name));
            users.entry(name(&dependency.name)).or_default().insert(user);
        }
    }
    users
}

/// The first two columns of the table.
fn users_in_document() -> Users {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/dependencies.md");
    let text = fs::read_to_string(path).expect("the document is there");
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let mut cells = row.split('|').skip(1).map(str::trim);
        let (Some(name), Some(users)) = (cells.next(), cells.next()) else {
            panic!("a row has at least two cells: {row}")
        };
        (name.to_owned(), users.split(", ").map(str::to_owned).collect())
    })
    .collect()
}

#[test]
fn the_table_of_dependencies_agrees_with_the_manifests() {
    let (document, manifests) = (users_in_document(), users_in_manifests());
    let names: BTreeSet<&String> = document.keys().chain(manifests.keys()).collect();
    for name in names {
        assert_eq!(
            document.get(name),
            manifests.get(name),
            "docs/dependencies.md (left) and the manifests (right) differ about {name}"
        );
    }
}
