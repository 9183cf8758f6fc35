//! One record per target: everything else is computed from these.

use std::io::{BufRead, Write};

use llm_corpus::TokenId;
use serde::{Deserialize, Serialize};

use crate::ScoreError;
use crate::json_lines::{self, JsonRecord};

/// What a model thought of one target of a document.
///
/// As JSON it is one line with these names in this order. The log-probability is printed with as
/// many digits as it takes to read the same bits back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRecord {
    /// Id of the document.
    pub document: String,
    /// Position of the target in the document's ids, at least 1.
    pub position: usize,
    /// The target.
    pub token: TokenId,
    /// The logarithm of its probability in nats, finite and at most 0.
    pub log_probability: f64,
    /// Bytes that the token stands for, 0 for a control token; absent without a tokenizer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// 1 + the number of tokens that were more probable.
    pub rank_best: u64,
    /// The number of tokens that were at least as probable, itself included.
    pub rank_worst: u64,
}

impl JsonRecord for TargetRecord {
    fn check(&self) -> Result<(), String> {
        let Self { position, log_probability, rank_best, rank_worst, .. } = self;
        if *position == 0 {
            return Err("position is 0, expected 1 or more: the first id has no context".into());
        }
        if !(log_probability.is_finite() && *log_probability <= 0.0) {
            return Err(format!(
                "log_probability is {log_probability}, expected a finite number, 0 or below"
            ));
        }
        if *rank_best == 0 || rank_best > rank_worst {
            return Err(format!("ranks {rank_best} to {rank_worst}, expected 1 <= best <= worst"));
        }
        Ok(())
    }
}

/// Writes records as JSON lines.
///
/// # Errors
/// [`ScoreError::Record`] with the number of the record that is invalid or could not be written.
pub fn write_records<'r>(
    to: impl Write,
    records: impl IntoIterator<Item = &'r TargetRecord>,
) -> Result<(), ScoreError> {
    json_lines::write(to, records)
}

/// Reads JSON lines back, one record at a time. Empty lines and unknown names are errors.
///
/// # Errors
/// Each item is [`ScoreError::Record`] with its line number if the line cannot be read, is no
/// record, or says what no model can have said.
///
/// # Example
/// ```
/// use llm_evaluation::{TargetRecord, read_records, write_records};
/// let record = TargetRecord {
///     document: "x".into(),
///     position: 1,
///     token: 100,
///     log_probability: -0.1,
///     bytes: Some(1),
///     rank_best: 1,
///     rank_worst: 1,
/// };
/// let mut file = Vec::new();
/// write_records(&mut file, [&record])?;
/// let expected = r#"{"document":"x","position":1,"token":100,"log_probability":-0.1,"bytes":1,"rank_best":1,"rank_worst":1}"#;
/// assert_eq!(String::from_utf8_lossy(&file).trim_end(), expected);
/// assert_eq!(read_records(&file[..]).collect::<Result<Vec<_>, _>>()?, [record]);
/// # Ok::<(), llm_evaluation::ScoreError>(())
/// ```
pub fn read_records(from: impl BufRead) -> impl Iterator<Item = Result<TargetRecord, ScoreError>> {
    json_lines::read(from)
}
