//! One record per option: every rule and every result is computed from these.

use std::io::{BufRead, Write};

use llm_metrics::ExactSum;
use serde::{Deserialize, Serialize};

use super::Join;
use crate::ScoreError;
use crate::json_lines::{self, JsonRecord};

/// What a model thought of one option of one item.
///
/// As JSON it is one line with these names in this order; log-probabilities are printed with as
/// many digits as it takes to read the same bits back.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptionRecord {
    /// Number of the item, from 0.
    pub item: usize,
    /// [`TaskItem::digest`](super::TaskItem::digest) of the item.
    pub digest: String,
    /// The item's group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Number of the option, from 0.
    pub option: usize,
    /// Whether it is the right one.
    pub is_answer: bool,
    /// The logarithm of the probability of each scored id given all before it, in nats.
    pub log_probabilities: Vec<f64>,
    /// The same for the same ids behind the neutral prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub neutral_log_probabilities: Option<Vec<f64>>,
    /// Bytes that the scored ids stand for, a leading space included.
    pub bytes: u64,
    /// Characters that they stand for.
    pub characters: u64,
    /// Characters of the option in the item, without leading spaces.
    pub bare_characters: u64,
    /// How the option joined its prompt.
    pub join: Join,
}

impl OptionRecord {
    /// Logarithm of the probability of the whole option given its prompt, in nats; an exact sum,
    /// rounded once.
    pub fn log_probability(&self) -> f64 {
        self.log_probabilities.iter().copied().collect::<ExactSum>().value()
    }
}

impl JsonRecord for OptionRecord {
    fn check(&self) -> Result<(), String> {
        let count = self.log_probabilities.len();
        if count == 0 {
            return Err("no log_probabilities, expected at least one scored token".into());
        }
        let neutral = self.neutral_log_probabilities.as_deref().unwrap_or_default();
        if self.neutral_log_probabilities.is_some() && neutral.len() != count {
            let given = neutral.len();
            return Err(format!(
                "{given} neutral_log_probabilities, expected {count}, one for each scored token"
            ));
        }
        let is_wrong = |x: &&f64| !(x.is_finite() && **x <= 0.0);
        if let Some(wrong) = self.log_probabilities.iter().chain(neutral).find(is_wrong) {
            let expected = "expected finite numbers, 0 or below";
            return Err(format!("a log-probability is {wrong}, {expected}"));
        }
        if self.bare_characters == 0 || self.characters == 0 || self.bytes < self.characters {
            let (bytes, characters) = (self.bytes, self.characters);
            return Err(format!(
                "{bytes} bytes, {characters} characters, {} without leading spaces: expected at \
                 least one character and as many bytes",
                self.bare_characters
            ));
        }
        Ok(())
    }
}

/// Writes records as JSON lines.
///
/// # Errors
/// [`ScoreError::Record`] with the number of the record that is invalid or could not be written.
pub fn write_option_records<'r>(
    to: impl Write,
    records: impl IntoIterator<Item = &'r OptionRecord>,
) -> Result<(), ScoreError> {
    json_lines::write(to, records)
}

/// Reads JSON lines back, one record at a time. Empty lines and unknown names are errors.
///
/// # Errors
/// Each item is [`ScoreError::Record`] with its line number if the line cannot be read, is no
/// record, or says what no model can have said.
pub fn read_option_records(
    from: impl BufRead,
) -> impl Iterator<Item = Result<OptionRecord, ScoreError>> {
    json_lines::read(from)
}
