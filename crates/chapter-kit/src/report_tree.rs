//! A report as a tree that keeps the order of its fields.
//!
//! `serde_json::Value` would do, but it sorts the fields by name.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// A report, or a part of one.
#[derive(Debug, PartialEq)]
pub(crate) enum Tree {
    /// A number, a string, a truth value or nothing, as text.
    Leaf(String),
    /// Values without names.
    List(Vec<Tree>),
    /// Values with names, in the report's order.
    Record(Vec<(String, Tree)>),
}

impl Tree {
    /// The tree as one piece of text, if it is short: a leaf, or a list of leaves.
    pub(crate) fn inline(&self) -> Option<String> {
        match self {
            Tree::Leaf(text) => Some(text.clone()),
            Tree::List(items) => {
                let leaf = |item: &Tree| match item {
                    Tree::Leaf(text) => Some(text.clone()),
                    _ => None,
                };
                Some(items.iter().map(leaf).collect::<Option<Vec<_>>>()?.join(", "))
            }
            Tree::Record(_) => None,
        }
    }
}

impl<'de> Deserialize<'de> for Tree {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_any(TreeVisitor)
    }
}

/// Takes whatever JSON has.
struct TreeVisitor;

/// `Visitor` methods that make a leaf.
macro_rules! leaves {
    ($($method:ident($argument:ty) as $format:literal;)*) => {
        $(fn $method<E>(self, value: $argument) -> Result<Tree, E> {
            Ok(Tree::Leaf(format!($format, value)))
        })*
    };
}

impl<'de> Visitor<'de> for TreeVisitor {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that JSON can write")
    }

    leaves! {
        visit_bool(bool) as "{}"; visit_u64(u64) as "{}"; visit_i64(i64) as "{}";
        visit_f64(f64) as "{:?}"; // like JSON: 2.0 and 1e-12, not 2 and 0.000000000001
    }

    fn visit_str<E>(self, value: &str) -> Result<Tree, E> {
        Ok(Tree::Leaf(printable(value)))
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Leaf("-".into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Tree, A::Error> {
        let mut record = Vec::new();
        while let Some((name, value)) = fields.next_entry::<String, _>()? {
            record.push((printable(&name), value));
        }
        Ok(Tree::Record(record))
    }
}

/// A text on one line: line ends, tabs and whatever else could upset a table or a terminal are
/// written as escapes, as in JSON.
fn printable(text: &str) -> String {
    let escaped = |c: char| match c.is_control() {
        true => c.escape_default().to_string(),
        false => c.to_string(),
    };
    text.chars().map(escaped).collect()
}
