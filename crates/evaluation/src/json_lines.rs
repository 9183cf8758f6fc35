//! Records of any kind as JSON lines, one record to a line.

use std::io::{BufRead, Write};

use serde::{Serialize, de::DeserializeOwned};

use crate::ScoreError;

/// What a model said about something.
pub(crate) trait JsonRecord: Serialize + DeserializeOwned {
    /// Refuses what no model can have said. Records come from files, so this is asked of each.
    fn check(&self) -> Result<(), String>;

    /// The same with the number of the record, from 1.
    fn check_at(&self, line: usize) -> Result<(), ScoreError> {
        self.check().map_err(|problem| ScoreError::Record { line, problem })
    }
}

/// Writes records that pass their check.
pub(crate) fn write<'r, R: JsonRecord + 'r>(
    mut to: impl Write,
    records: impl IntoIterator<Item = &'r R>,
) -> Result<(), ScoreError> {
    (1..).zip(records).try_for_each(|(line, record)| write_line(&mut to, line, record))
}

/// Writes the record of one line if it passes its check.
pub(crate) fn write_line(
    mut to: impl Write,
    line: usize,
    record: &impl JsonRecord,
) -> Result<(), ScoreError> {
    record.check_at(line)?;
    let failed = |problem: String| ScoreError::Record { line, problem };
    serde_json::to_writer(&mut to, record).map_err(|error| failed(error.to_string()))?;
    to.write_all(b"\n").map_err(|error| failed(error.to_string()))
}

/// Reads records that pass their check, one at a time.
pub(crate) fn read<R: JsonRecord>(
    from: impl BufRead,
) -> impl Iterator<Item = Result<R, ScoreError>> {
    (1..).zip(from.lines()).map(|(line, text)| {
        let failed = |problem: String| ScoreError::Record { line, problem };
        let text = text.map_err(|error| failed(error.to_string()))?;
        let record: R = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
        record.check_at(line)?;
        Ok(record)
    })
}
