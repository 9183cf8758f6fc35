//! Every field in which two contracts differ, and which numbers that spoils.
//!
//! The fields are those of the JSON, so a field that is added later is compared from its first day;
//! and what this file does not know spoils every number.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{Contract, ContractError, Measure, Rules};

/// One field with different values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its path in the JSON, such as `conditions.windows.stride`. Documents go by their ids.
    pub field: String,
    /// The value of the first, as JSON, of which long ones are cut; `absent` for a document that only the other one has.
    pub left: String,
    /// The value of the second.
    pub right: String,
}

impl<C: Rules> Contract<C> {
    /// All fields in which two contracts differ, subject first; empty for equal ones.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut all = field_differences("subject", &self.subject, &other.subject);
        all.extend(field_differences("conditions", &self.conditions, &other.conditions));
        all
    }
}

/// A kind of number that two results have.
pub trait Compared: Copy + fmt::Display {
    /// What these numbers are computed over, and the path under which a contract names it.
    const UNIT: (&'static str, &'static str);

    /// Whether a number of this kind may have changed for that reason alone.
    fn is_spoiled_by(self, difference: &Difference) -> bool;
}

impl Compared for Measure {
    const UNIT: (&'static str, &'static str) = ("document", "conditions.documents");

    /// | field | numbers that it leaves alone |
    /// | --- | --- |
    /// | model, code, number format, execution | all: they are what is compared |
    /// | tokenizer | bits per byte, if both score the same bytes |
    /// | whether an end token is there and scored | bits per byte of the text only |
    /// | any other | none |
    fn is_spoiled_by(self, difference: &Difference) -> bool {
        match difference.field.as_str() {
            "subject.model" | "subject.code_version" | "subject.dtype" | "subject.execution" => {
                false
            }
            "subject.tokenizer_sha256" => self == Self::NatsPerToken,
            // The end token is the last target: no other one is predicted after it.
            "conditions.framing.end_token" | "conditions.targets.end_token" => {
                self != Self::BitsPerByteTextOnly
            }
            _ => true,
        }
    }
}

/// Why two results do not compare, and what would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal<N = Measure> {
    /// The number that was to be compared.
    pub measure: N,
    /// Every field that differs and spoils it.
    pub spoiled_by: Vec<Difference>,
    /// Numbers of the same two results that do compare.
    pub sound: Vec<N>,
    /// How many documents, or items, are the same in both: with these as the only difference, both
    /// results can be restricted to them.
    pub shared: usize,
}

/// All fields, on one line; of many documents only the first few.
impl<N: Compared> fmt::Display for Refusal<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 8;
        write!(f, "{} does not compare:", self.measure)?;
        for (index, difference) in self.spoiled_by.iter().take(SHOWN).enumerate() {
            let Difference { field, left, right } = difference;
            let separator = if index == 0 { "" } else { "," };
            write!(f, "{separator} {field} is {left} and {right}")?;
        }
        if self.spoiled_by.len() > SHOWN {
            write!(f, ", and {} more fields", self.spoiled_by.len() - SHOWN)?;
        }
        let (unit, path) = N::UNIT;
        let of_units = |difference: &Difference| difference.field.starts_with(path);
        if let [first, ..] = self.sound[..] {
            write!(f, "; sound: compare both by {first}, which depends on none of these")
        } else if self.spoiled_by.iter().all(of_units) && self.shared > 0 {
            let shared = self.shared;
            write!(f, "; sound: restrict both to the {shared} {unit}(s) that are the same in both")
        } else {
            write!(
                f,
                "; no conversion is sound: score one of them again under the other's conditions"
            )
        }
    }
}

/// Refuses a file in which something is not what follows from the rest of it.
pub(crate) fn check_follows<T: Serialize>(given: &T, expected: &T) -> Result<(), ContractError> {
    match field_differences("", given, expected).into_iter().next() {
        None => Ok(()),
        Some(Difference { field, left: given, right: expected }) => {
            Err(ContractError::Tampered { field, given, expected })
        }
    }
}

/// Refuses to score with something that is not what the contract names.
pub(crate) fn check_given<T: Serialize>(
    path: &str,
    named: &T,
    given: &T,
) -> Result<(), ContractError> {
    match field_differences(path, named, given).into_iter().next() {
        None => Ok(()),
        Some(Difference { field, left, right }) => {
            Err(ContractError::invalid(&field, format!("is {left}, here it is {right}")))
        }
    }
}

/// Field by field, through the JSON of both.
pub(super) fn field_differences<T: Serialize>(path: &str, left: &T, right: &T) -> Vec<Difference> {
    let tree =
        |value| serde_json::to_value(value).expect("structs of plain values have a JSON form");
    let mut found = Vec::new();
    walk(path.to_owned(), Some(&tree(left)), Some(&tree(right)), &mut found);
    found
}

fn walk(field: String, left: Option<&Value>, right: Option<&Value>, found: &mut Vec<Difference>) {
    if left == right {
        return;
    }
    if let (Some(a), Some(b)) = (left.and_then(members), right.and_then(members)) {
        let mut keys: Vec<&String> = a.keys().chain(b.keys()).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            let path = match key.strip_prefix('[') {
                Some(_) => format!("{field}{key}"),
                None if field.is_empty() => key.clone(),
                None => format!("{field}.{key}"),
            };
            walk(path, a.get(key).copied(), b.get(key).copied(), found);
        }
        return;
    }
    let text = |value: Option<&Value>| match value {
        None => "absent".to_owned(),
        Some(value) if value["sha256"].is_string() => "present".to_owned(), // a whole document
        Some(value) => shortened(value.to_string()),
    };
    found.push(Difference { field, left: text(left), right: text(right) });
}

/// A whole list or template would bury what is said about it.
fn shortened(text: String) -> String {
    const SHOWN: usize = 160;
    match text.char_indices().nth(SHOWN) {
        None => text,
        Some((end, _)) => format!("{}...", &text[..end]),
    }
}

/// The named parts of an object, or of a list whose items have ids.
fn members(value: &Value) -> Option<BTreeMap<String, &Value>> {
    match value {
        Value::Object(object) => Some(object.iter().map(|(k, v)| (k.clone(), v)).collect()),
        Value::Array(items) => {
            items.iter().map(|item| Some((format!("[{}]", item["id"].as_str()?), item))).collect()
        }
        _ => None,
    }
}
