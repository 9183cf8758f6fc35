//! `docs/dependencies.md` names every crate from others, and who really uses it.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// For each crate the members that use it, with ` (tests)` after those whose tests alone do. All
/// chapters are one user, `chapters`, so that the table does not grow with each of them.
type Users = BTreeMap<String, BTreeSet<String>>;

fn users_in_manifests() -> Users {
    let workspace = MetadataCommand::new().no_deps().exec().expect("the workspace is valid");
    let (mut everywhere, mut anywhere) = (Users::new(), Users::new());
    for package in workspace.workspace_packages() {
        let is_chapter = package.metadata.get("course").is_some();
        let user = if is_chapter { "chapters".into() } else { format!("`{}`", package.name) };
        for dependency in package.dependencies.iter().filter(|d| d.path.is_none()) {
            let name = format!("`{}`", dependency.name);
            if dependency.kind != DependencyKind::Development {
                everywhere.entry(name.clone()).or_default().insert(user.clone());
            }
            anywhere.entry(name).or_default().insert(user.clone());
        }
    }
    for (name, users) in &mut anywhere {
        let full = everywhere.remove(name).unwrap_or_default();
        let mark = |user: &String| {
            if full.contains(user) { user.clone() } else { format!("{user} (tests)") }
        };
        *users = users.iter().map(mark).collect();
    }
    anywhere
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
