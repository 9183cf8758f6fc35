//! Documents of people's own: a text file, a folder of them, JSON Lines, a stream.
//!
//! A text is the bytes of its file, whatever they are: nothing is stripped, converted or guessed, so
//! its length is the file's. In a folder every file is read, and named by its path below the folder;
//! its first subfolder is the domain of its texts. Names that begin with a dot, and what a symbolic
//! link to a folder leads to, are left out. Files that end in `.jsonl` hold one document per line:
//!
//! ```text
//! {"id":"report-7","text":"Any text.","split":"test","domain":"reports"}
//! {"id":"ids-only","ids":[0,99,100,1]}
//! ```
//!
//! `text` or `ids` is needed, `id` is `line-N` where it is missing, further fields are ignored. Apart
//! from [`JsonlReader`](crate::JsonlReader), which reads corpora that were made for this workspace
//! and insists on a split for every document.

mod folder;
mod record;

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use llm_tokenizer::TokenId;

use crate::{Document, JsonlError, JsonlLines, JsonlProblem, Partition};

/// Most bytes of a line of JSON Lines: our choice, against a file that is something else.
const RECORD_BYTES: usize = 1 << 30;

/// A document as somebody gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputDocument {
    /// Unique among those read together.
    pub id: String,
    /// What it consists of.
    pub content: InputContent,
    /// What it may be used for, if its record says so.
    pub split: Option<Partition>,
    /// Whether it is one of several in a file of JSON Lines, and not all of a file.
    pub is_record: bool,
    /// What kind of text it is, if its record or its folder says so.
    pub domain: Option<String>,
}

/// What a document consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputContent {
    /// Any bytes.
    Text(Vec<u8>),
    /// Tokens that somebody else has made, start and end tokens included.
    Ids(Vec<TokenId>),
}

/// What a file holds, or every file of a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InputFormat {
    /// JSON Lines if its name ends in `.jsonl` or `.ndjson`, otherwise one text; one that begins with
    /// a record is refused, since it is hardly meant to be scored with its quotes and brackets.
    #[default]
    ByName,
    /// One text.
    Text,
    /// One document per line.
    JsonLines,
}

/// Why documents cannot be read, and from where.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}", path = path.display())]
pub struct InputError {
    /// The file or the folder, as it was given or found.
    pub path: PathBuf,
    /// What is wrong with it.
    pub problem: InputProblem,
}

/// What is wrong with a file of documents.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputProblem {
    /// The system says no.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// A line that is no document.
    #[error(transparent)]
    Jsonl(#[from] JsonlError),
    /// A file that is called a text and begins with a record.
    #[error("begins with a record of JSON lines: say whether it is one text or JSON lines")]
    Ambiguous,
    /// A folder or a file of records without any.
    #[error("has no document: expected text, a folder of text files, or JSON lines")]
    Empty,
    /// A device, a pipe or a socket inside a folder.
    #[error("is no regular file: take it out of the folder")]
    NotAFile,
}

impl InputDocument {
    /// A text without a split or a domain.
    fn text(id: impl Into<String>, text: Vec<u8>) -> Self {
        let content = InputContent::Text(text);
        Self { id: id.into(), content, split: None, is_record: false, domain: None }
    }

    /// The text as a document of this partition; `None` if it came as ids.
    pub fn into_document(self, partition: Partition) -> Option<Document> {
        match self.content {
            InputContent::Text(text) => Some(Document::new(self.id, partition, text)),
            InputContent::Ids(_) => None,
        }
    }
}

/// Reads the documents of a file, or of all files in a folder and below it.
///
/// Memory: all texts.
///
/// # Errors
/// [`InputError`] for the first file or line that cannot be read.
///
/// # Example
/// ```
/// use llm_corpus::{InputContent, InputFormat, read_documents};
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("a.txt"), b"\xef\xbb\xbfcaf\xe9\r\n")?; // not even UTF-8
/// let documents = read_documents(folder.path(), InputFormat::ByName)?;
/// assert_eq!(documents[0].id, "a.txt");
/// assert_eq!(documents[0].content, InputContent::Text(b"\xef\xbb\xbfcaf\xe9\r\n".into()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read_documents(path: &Path, format: InputFormat) -> Result<Vec<InputDocument>, InputError> {
    let failed = |problem: io::Error| InputError { path: path.to_owned(), problem: problem.into() };
    if fs::metadata(path).map_err(failed)?.is_dir() {
        return folder::read(path, format);
    }
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    read_file(path, &name, format)
}

/// The documents of a file, of which a text is called `name`.
fn read_file(
    path: &Path,
    name: &str,
    format: InputFormat,
) -> Result<Vec<InputDocument>, InputError> {
    let at = |problem: InputProblem| InputError { path: path.to_owned(), problem };
    let file = File::open(path).map_err(|problem| at(problem.into()))?;
    read_stream(BufReader::new(file), name, format).map_err(|error| at(error.problem))
}

impl InputFormat {
    fn is_lines(self, name: &Path) -> bool {
        let end = name.extension().and_then(|end| end.to_str());
        match self {
            Self::ByName => matches!(end, Some("jsonl" | "ndjson")),
            other => other == Self::JsonLines,
        }
    }
}

/// Reads documents from anything: one text called `name`, or one document for each line.
///
/// # Errors
/// As [`read_documents`], with `name` for the path.
pub fn read_stream(
    mut from: impl BufRead,
    name: &str,
    format: InputFormat,
) -> Result<Vec<InputDocument>, InputError> {
    let result = if format.is_lines(Path::new(name)) {
        read_lines(from)
    } else {
        let mut text = Vec::new();
        match from.read_to_end(&mut text) {
            Err(error) => Err(error.into()),
            Ok(_) if format == InputFormat::ByName && begins_with_record(&text) => {
                Err(InputProblem::Ambiguous)
            }
            Ok(_) => Ok(vec![InputDocument::text(name, text)]),
        }
    };
    result.map_err(|problem| InputError { path: name.into(), problem })
}

fn begins_with_record(text: &[u8]) -> bool {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"{") && str::from_utf8(line).is_ok_and(|line| record::parse(line, 1).is_ok())
}

fn read_lines(from: impl BufRead) -> Result<Vec<InputDocument>, InputProblem> {
    let mut documents = Vec::new();
    let mut first_lines: HashMap<String, u64> = HashMap::new();
    for (line, text) in (1..).zip(JsonlLines::new(from, RECORD_BYTES, u64::MAX)) {
        let at = |problem: JsonlProblem| JsonlError { line, problem };
        let document = record::parse(&text?, line).map_err(at)?;
        if let Some(&first_line) = first_lines.get(&document.id) {
            let id = document.id.chars().take(80).collect();
            return Err(at(JsonlProblem::DuplicateId { id, first_line }).into());
        }
        first_lines.insert(document.id.clone(), line);
        documents.push(document);
    }
    if documents.is_empty() { Err(InputProblem::Empty) } else { Ok(documents) }
}

#[cfg(test)]
mod tests;
