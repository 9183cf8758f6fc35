//! Items from JSON Lines.
//!
//! ```text
//! {"context":"The sky is","options":[" blue"," edible"],"answer":0,"group":"colours"}
//! ```
//!
//! `group` may be left out; any other name is an error, so that a misspelt one cannot go unnoticed.

use std::io::BufRead;

use llm_corpus::JsonlLines;
use serde::Deserialize;

use super::{TaskError, TaskItem};

/// How much a file may hold. Our choices; they keep a wrong or hostile file from filling memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ItemLimits {
    /// Most bytes of a line, without its end.
    pub record_bytes: usize,
    /// Most items.
    pub items: usize,
    /// Most options of an item.
    pub options: usize,
    /// Most bytes of the whole file.
    pub total_bytes: u64,
}

impl Default for ItemLimits {
    /// 1 MiB a line, a million items, 1000 options, 1 GiB in all.
    fn default() -> Self {
        Self { record_bytes: 1 << 20, items: 1_000_000, options: 1000, total_bytes: 1 << 30 }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    context: String,
    options: Vec<String>,
    answer: usize,
    #[serde(default)]
    group: Option<String>,
}

/// Reads all items, in order.
///
/// # Errors
/// [`TaskError::Line`] for the first line that is no item and for everything beyond the limits.
///
/// # Example
/// ```
/// use llm_evaluation::tasks::{ItemLimits, read_items};
/// let file = br#"{"context":"1, 2,","options":[" 3"," 7"],"answer":0}
/// {"context":"1, 2,","options":[" 3"," 7"],"answer":2}
/// "#;
/// let error = read_items(&file[..], ItemLimits::default()).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2: answer 2 is no option, expected 0 to 1: 2 options are counted from 0"
/// );
/// ```
pub fn read_items(from: impl BufRead, limits: ItemLimits) -> Result<Vec<TaskItem>, TaskError> {
    let mut items = Vec::new();
    let lines = JsonlLines::new(from, limits.record_bytes, limits.total_bytes);
    for (line, text) in (1..).zip(lines) {
        // The reader's own message begins with the same number.
        let text = text.map_err(|error| at(error.line)(error.problem))?;
        if items.len() == limits.items {
            return Err(at(line)(format!("more than {} items: split the file", limits.items)));
        }
        items.push(parse(&text, limits).map_err(at(line))?);
    }
    Ok(items)
}

fn at<P: ToString>(line: u64) -> impl Fn(P) -> TaskError {
    move |problem| TaskError::Line { line, problem: problem.to_string() }
}

fn parse(text: &str, limits: ItemLimits) -> Result<TaskItem, String> {
    if !text.trim_start().starts_with('{') {
        // The derived reader would take a list of four values for an item.
        return Err("is no JSON object of one item".to_owned());
    }
    let line: Line = serde_json::from_str(text).map_err(|error| malformed(&error))?;
    let (count, most) = (line.options.len(), limits.options);
    if count > most {
        return Err(format!("{count} options, expected at most {most}"));
    }
    let item = TaskItem::new(line.context, line.options, line.answer);
    item.map(|item| item.with_group(line.group)).map_err(|error| error.to_string())
}

/// What the parser says, with the column only: its line is always the first.
fn malformed(error: &serde_json::Error) -> String {
    const SHOWN: usize = 160; // a file must not fill the screen with its error message
    let message = error.to_string();
    let end = format!(" at line {} column {}", error.line(), error.column());
    let shown: String = message.trim_end_matches(&end).chars().take(SHOWN).collect();
    format!("is no JSON object of one item: {shown} at column {}", error.column())
}
