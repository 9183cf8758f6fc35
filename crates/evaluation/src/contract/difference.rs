//! Every field in which two contracts differ, and which numbers that spoils.
//!
//! The fields are those of the JSON, so a field that is added later is compared from its first day;
//! and what this file does not know spoils every number.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use serde_json::Value;

use super::{EvaluationContract, Measure};

/// One field with different values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Its path in the JSON, such as `conditions.windows.stride`. Documents go by their ids.
    pub field: String,
    /// The value of the first, as JSON; `absent` for a document that only the other one has.
    pub left: String,
    /// The value of the second.
    pub right: String,
}

impl EvaluationContract {
    /// All fields in which two contracts differ, subject first; empty for equal ones.
    pub fn differences(&self, other: &Self) -> Vec<Difference> {
        let mut all = field_differences("subject", &self.subject, &other.subject);
        all.extend(field_differences("conditions", &self.conditions, &other.conditions));
        all
    }
}

impl Difference {
    /// Whether a number of this kind may have changed for that reason alone.
    ///
    /// | field | numbers that it leaves alone |
    /// | --- | --- |
    /// | model, code, number format, execution | all: they are what is compared |
    /// | tokenizer | bits per byte, if both score the same bytes |
    /// | whether an end token is there and scored | bits per byte of the text only |
    /// | any other | none |
    pub fn spoils(&self, measure: Measure) -> bool {
        match self.field.as_str() {
            "subject.model" | "subject.code_version" | "subject.dtype" | "subject.execution" => {
                false
            }
            "subject.tokenizer_sha256" => measure == Measure::NatsPerToken,
            // The end token is the last target: no other one is predicted after it.
            "conditions.framing.end_token" | "conditions.targets.end_token" => {
                measure != Measure::BitsPerByteTextOnly
            }
            _ => true,
        }
    }
}

/// Why two results do not compare, and what would.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The number that was to be compared.
    pub measure: Measure,
    /// Every field that differs and spoils it.
    pub spoiled_by: Vec<Difference>,
    /// Numbers of the same two results that do compare.
    pub sound: Vec<Measure>,
    /// How many documents are the same in both: with the documents as the only difference, both
    /// results can be restricted to them.
    pub shared_documents: usize,
}

/// All fields, on one line; of many documents only the first few.
impl fmt::Display for Refusal {
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
        let of_documents = |d: &Difference| d.field.starts_with("conditions.documents[");
        if let [first, ..] = self.sound[..] {
            write!(f, "; sound: compare {first}, which depends on none of these")
        } else if self.spoiled_by.iter().all(of_documents) && self.shared_documents > 0 {
            let shared = self.shared_documents;
            write!(
                f,
                "; sound: restrict both to the {shared} document(s) that are the same in both"
            )
        } else {
            write!(
                f,
                "; no conversion is sound: score one of them again under the other's conditions"
            )
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
        Some(value) => value.to_string(),
    };
    found.push(Difference { field, left: text(left), right: text(right) });
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
