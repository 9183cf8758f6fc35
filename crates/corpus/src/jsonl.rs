//! Documents from JSON Lines: one JSON object per line, <https://jsonlines.org>.
//!
//! ```text
//! {"id":"report-7","text":"The first line.\nThe second.","split":"train","source":"..."}
//! ```
//!
//! `id`, `text` and `split` are needed, further fields are allowed and ignored. The reader is strict
//! where editors and scripts go wrong without a sound: a mark at the beginning, line ends of another
//! system, NUL bytes, blank texts, ids that come twice. It reads one record at a time and gives up
//! at the first that is wrong, with its line number.

mod error;
mod lines;

pub use error::{JsonlError, JsonlProblem};
pub use lines::JsonlLines;

use std::collections::HashMap;
use std::io::BufRead;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::{Document, Partition};

/// How much a file may hold. Our choices; they keep a wrong or hostile file from filling memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonlLimits {
    /// Most bytes of a line, without its end. Memory for one record is a small multiple of it.
    pub record_bytes: usize,
    /// Most documents.
    pub documents: usize,
    /// Most bytes of the whole file.
    pub total_bytes: u64,
}

impl Default for JsonlLimits {
    /// 16 MiB a record, a million documents, 4 GiB in all.
    fn default() -> Self {
        Self { record_bytes: 16 << 20, documents: 1_000_000, total_bytes: 4 << 30 }
    }
}

/// Reads all documents.
///
/// # Errors
/// [`JsonlError`] for the first line that is wrong, and for the first byte or document too many.
///
/// # Example
/// ```
/// use llm_corpus::{JsonlLimits, Partition, read_jsonl};
/// let file = br#"{"id":"a","text":"one","split":"train"}
/// {"id":"b","text":"two","split":"test"}
/// "#;
/// let documents = read_jsonl(&file[..], JsonlLimits::default())?;
/// assert_eq!((documents[1].id.as_str(), documents[1].partition), ("b", Partition::Test));
///
/// let twice = file.repeat(2);
/// let error = read_jsonl(&twice[..], JsonlLimits::default()).unwrap_err();
/// assert_eq!(error.to_string(), "line 3: id \"a\" was given in line 1 already: make ids unique");
/// # Ok::<(), llm_corpus::JsonlError>(())
/// ```
pub fn read_jsonl(reader: impl BufRead, limits: JsonlLimits) -> Result<Vec<Document>, JsonlError> {
    JsonlReader::new(reader, limits).collect()
}

/// Reads documents one at a time; after an error it ends.
#[derive(Debug)]
pub struct JsonlReader<R> {
    lines: JsonlLines<R>,
    documents_limit: usize,
    /// The line in which each id was given.
    ids: HashMap<String, u64>,
    ended: bool,
}

impl<R: BufRead> JsonlReader<R> {
    /// Reads from the beginning of a file.
    pub fn new(reader: R, limits: JsonlLimits) -> Self {
        let lines = JsonlLines::new(reader, limits.record_bytes, limits.total_bytes);
        let documents_limit = limits.documents;
        Self { lines, documents_limit, ids: HashMap::new(), ended: false }
    }

    /// The document of a line.
    fn document(&mut self, line: &str) -> Result<Document, JsonlProblem> {
        if self.ids.len() == self.documents_limit {
            let limit = self.documents_limit as u64;
            return Err(JsonlProblem::Limit { what: "documents", limit });
        }
        let document = parse(line)?;
        if let Some(&first_line) = self.ids.get(&document.id) {
            return Err(JsonlProblem::DuplicateId { id: excerpt(&document.id), first_line });
        }
        self.ids.insert(document.id.clone(), self.lines.line());
        Ok(document)
    }
}

impl<R: BufRead> Iterator for JsonlReader<R> {
    type Item = Result<Document, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let result = self.lines.next()?.and_then(|text| {
            let line = self.lines.line();
            self.document(&text).map_err(|problem| JsonlError { line, problem })
        });
        self.ended = result.is_err();
        Some(result)
    }
}

/// The fields as they stand there. The derived reader refuses a field that comes twice.
#[derive(Deserialize)]
struct Record {
    #[serde(default, deserialize_with = "given")]
    id: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    text: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    split: Option<Value>,
}

/// `null` is a value of the wrong type, not a missing one.
fn given<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

fn parse(line: &str) -> Result<Document, JsonlProblem> {
    if !line.trim_start().starts_with('{') {
        // The derived reader would take a list of three texts for a record.
        let reason = format!("starts with {:?}, not with \"{{\"", excerpt(line));
        return Err(JsonlProblem::Malformed { reason });
    }
    let record: Record = serde_json::from_str(line)
        .map_err(|error| JsonlProblem::Malformed { reason: reason(&error) })?;
    let id = string("id", record.id)?;
    let text = string("text", record.text)?;
    let split = string("split", record.split)?;
    for (what, content) in [("id", &id), ("text", &text)] {
        if content.trim().is_empty() {
            return Err(JsonlProblem::Blank { what });
        }
    }
    if text.contains('\0') {
        let (what, hint) = ("a NUL character in the text", "remove it");
        return Err(JsonlProblem::Unwanted { what, hint });
    }
    if id.chars().any(char::is_control) {
        let (what, hint) = ("a control character in the id", "use an id that can be printed");
        return Err(JsonlProblem::Unwanted { what, hint });
    }
    let partition = [Partition::Train, Partition::Validation, Partition::Test]
        .into_iter()
        .find(|partition| partition.to_string() == split)
        .ok_or_else(|| JsonlProblem::UnknownSplit { given: excerpt(&split) })?;
    Ok(Document::new(id, partition, text))
}

/// What the parser says. It counts lines inside the record, of which there is one; what readers
/// take for a line number is the file's.
fn reason(error: &serde_json::Error) -> String {
    excerpt(&error.to_string().replace(" at line 1 column ", " at column "))
}

fn string(field: &'static str, value: Option<Value>) -> Result<String, JsonlProblem> {
    let found = match value {
        Some(Value::String(text)) => return Ok(text),
        None => return Err(JsonlProblem::MissingField { field }),
        Some(Value::Null) => "null",
        Some(Value::Bool(_)) => "a boolean",
        Some(Value::Number(_)) => "a number",
        Some(Value::Array(_)) => "a list",
        Some(Value::Object(_)) => "an object",
    };
    Err(JsonlProblem::WrongType { field, found })
}

/// The beginning of something from the file, on one line: a file must not be able to fill the
/// screen with its error message.
fn excerpt(text: &str) -> String {
    const SHOWN: usize = 80;
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let mut shown: String = text.chars().take(SHOWN).map(printable).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("...");
    }
    shown
}

#[cfg(test)]
mod tests;
