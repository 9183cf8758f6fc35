//! The lines of a JSON Lines file, before anyone looks for a record in them.

use std::io::{self, BufRead, Read};

use super::{JsonlError, JsonlProblem};

/// The byte order mark, U+FEFF in UTF-8.
pub(super) const BOM: &[u8] = b"\xef\xbb\xbf";

/// Reads lines one at a time and refuses what no JSON Lines file should have: a byte order mark,
/// carriage returns, NUL bytes, invalid UTF-8, blank lines, more bytes than allowed. After an error
/// it ends. Every reader of such files stands on this one.
///
/// # Example
/// ```
/// use llm_corpus::JsonlLines;
/// let mut lines = JsonlLines::new(&b"{}\n{}\r\n"[..], 100, 1000);
/// assert_eq!(lines.next().unwrap()?, "{}");
/// let error = lines.next().unwrap().unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "line 2: has a carriage return: end lines with a line feed alone"
/// );
/// assert!(lines.next().is_none());
/// # Ok::<(), llm_corpus::JsonlError>(())
/// ```
#[derive(Debug)]
pub struct JsonlLines<R> {
    reader: R,
    record_bytes: u64,
    total_bytes: u64,
    bytes_left: u64,
    line: u64,
    ended: bool,
}

impl<R: BufRead> JsonlLines<R> {
    /// Reads from the beginning of a file: lines of at most `record_bytes` without their end, and
    /// at most `total_bytes` in all.
    pub fn new(reader: R, record_bytes: usize, total_bytes: u64) -> Self {
        let record_bytes = record_bytes as u64;
        Self { reader, record_bytes, total_bytes, bytes_left: total_bytes, line: 0, ended: false }
    }

    /// Number of the line that came last, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    fn next_line(&mut self) -> Result<Option<String>, JsonlProblem> {
        let longest = self.record_bytes;
        let mut line = Vec::new();
        // Two more than a record may have: its end, and one byte that shows that it is too long.
        let allowed = longest.saturating_add(2).min(self.bytes_left.saturating_add(1));
        let read = (&mut self.reader).take(allowed).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        let Some(left) = self.bytes_left.checked_sub(read as u64) else {
            let limit = self.total_bytes;
            return Err(JsonlProblem::Limit { what: "bytes in all", limit });
        };
        self.bytes_left = left;
        line.pop_if(|&mut byte| byte == b'\n');
        if line.len() as u64 > longest {
            return Err(JsonlProblem::Limit { what: "bytes in one record", limit: longest });
        }
        check_bytes(line, self.line == 1).map(Some)
    }
}

impl<R: BufRead> Iterator for JsonlLines<R> {
    type Item = Result<String, JsonlError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        self.line += 1;
        let result = self.next_line().transpose();
        self.ended = !matches!(result, Some(Ok(_)));
        let line = self.line;
        result.map(|result| result.map_err(|problem| JsonlError { line, problem }))
    }
}

/// What can be said about a line before it is JSON.
fn check_bytes(line: Vec<u8>, first: bool) -> Result<String, JsonlProblem> {
    let unwanted = |what, hint| Err(JsonlProblem::Unwanted { what, hint });
    if first && line.starts_with(BOM) {
        return unwanted("a byte order mark", "save the file as UTF-8 without one");
    }
    if line.contains(&b'\r') {
        return unwanted("a carriage return", "end lines with a line feed alone");
    }
    if line.contains(&0) {
        return unwanted("a NUL byte", "remove it, the file may be damaged or no text");
    }
    let text = String::from_utf8(line).map_err(|error| JsonlProblem::InvalidUtf8 {
        byte: error.utf8_error().valid_up_to() + 1,
    })?;
    match text.trim().is_empty() {
        true => Err(JsonlProblem::Blank { what: "line" }),
        false => Ok(text),
    }
}

impl From<io::Error> for JsonlProblem {
    fn from(source: io::Error) -> Self {
        Self::Io(source)
    }
}
