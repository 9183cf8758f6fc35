//! One line as a document.

use serde::Deserialize;

use super::{InputContent, InputDocument, TokenId};
use crate::{JsonlProblem, Partition};

/// The fields that have a meaning here. The derived reader refuses one that comes twice.
#[derive(Deserialize)]
struct Record {
    id: Option<String>,
    text: Option<String>,
    ids: Option<Vec<TokenId>>,
    split: Option<Partition>,
    domain: Option<String>,
}

pub(super) fn parse(text: &str, line: u64) -> Result<InputDocument, JsonlProblem> {
    let malformed = |reason: String| JsonlProblem::Malformed { reason };
    if !text.trim_start().starts_with('{') {
        // The derived reader would take a list of values for a record.
        return Err(malformed("it does not start with \"{\"".to_owned()));
    }
    let record: Record = serde_json::from_str(text).map_err(|error| {
        // The parser counts lines within the record, of which there is one.
        let reason = error.to_string().replace(" at line 1 column ", " at column ");
        malformed(reason.chars().take(160).collect())
    })?;
    let content = match (record.text, record.ids) {
        (Some(text), None) => InputContent::Text(text.into_bytes()),
        (None, Some(ids)) => InputContent::Ids(ids),
        (None, None) => return Err(malformed("it has neither \"text\" nor \"ids\"".to_owned())),
        (Some(_), Some(_)) => {
            let reason = "it has \"text\" and \"ids\": which of them is the document?";
            return Err(malformed(reason.to_owned()));
        }
    };
    let id = record.id.unwrap_or_else(|| format!("line-{line}"));
    if id.trim().is_empty() {
        return Err(JsonlProblem::Blank { what: "id" });
    }
    let Record { split, domain, .. } = record;
    Ok(InputDocument { id, content, split, is_record: true, domain })
}
