//! The README lists the keys that the code accepts.

use std::collections::BTreeSet;

use llm_interop::hugging_face::{IGNORED_KEYS, READ_KEYS};

/// The words in backticks of a part of the README.
fn in_backticks(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn the_readme_lists_every_accepted_key_of_the_configuration() {
    let readme = include_str!("../../README.md");
    let (_, rest) = readme.split_once("| key | supported |\n| --- | --- |\n").unwrap();
    let (table, rest) = rest.split_once("\n\n").unwrap();
    let (ignored, _) = rest.split_once("\n\n").unwrap();
    let first_cells = table.lines().map(|line| line.split('|').nth(1).unwrap());
    let read: BTreeSet<&str> = first_cells.flat_map(in_backticks).collect();
    assert_eq!(read, BTreeSet::from(READ_KEYS));
    assert_eq!(in_backticks(ignored).collect::<BTreeSet<_>>(), BTreeSet::from(IGNORED_KEYS));
}
