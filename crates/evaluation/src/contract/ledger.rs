//! A file that counts how often each split was scored, and by what.
//!
//! Each look at a split can guide a choice, and choices made on a split turn its score into a
//! training result. So a look is written down *before* the scoring starts: a program that crashes
//! in between has counted one look too many, never one too few.
//!
//! The file holds one JSON object a line and only grows. A line is written in one piece under a lock
//! and forced to the disk; if the power fails in the middle, the torn line has no line end, is
//! not counted, and is removed by the next look. Every line repeats the digest of the line before it,
//! so a line that is changed or taken out later shows. Lines cut off at the end do not: keep the
//! file under version control.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use llm_corpus::Partition;
use serde::{Deserialize, Serialize};

use super::{Contract, ContractError, Rules};
use crate::sha256::sha256_hex;

/// The ledger of one corpus.
///
/// # Example
/// ```
/// # use llm_corpus::{Document, Partition};
/// # use llm_evaluation::*;
/// # let folder = tempfile::tempdir()?;
/// # let path = folder.path().join("splits.jsonl");
/// # let texts = [Document::new("x", Partition::Test, "a")];
/// # let conditions = Conditions::new(Partition::Test, &texts, Framing::DOCUMENT, WindowRule::WHOLE);
/// # let subject = Subject {
/// #     model: "m".into(), tokenizer_sha256: None, code_version: "1".into(), dtype: "f64".into(),
/// #     execution: "scalar-cpu".into(),
/// # };
/// # let contract = EvaluationContract::new(subject, conditions)?;
/// let ledger = SplitLedger::new(&path);
/// ledger.record(&contract, "final report", Look::Once)?;
/// let again = ledger.record(&contract, "one more try", Look::Once);
/// assert!(again.unwrap_err().to_string().contains("scored 1 time(s) before"));
/// ledger.record(&contract, "one more try", Look::Again)?;
/// assert_eq!(ledger.counts()?[0].times, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitLedger {
    path: PathBuf,
}

/// Whether the final split may be scored although it was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// It may not.
    Once,
    /// It may, and that is written down.
    Again,
}

/// One look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerEntry {
    /// Number of the line, from 1.
    pub number: usize,
    /// Which split.
    pub split: Partition,
    /// What for, in the words of whoever scored.
    pub by: String,
    /// The model's identity.
    pub model: String,
    /// Digest of the contract.
    pub contract_sha256: String,
    /// Whether the final split was scored again, knowingly.
    pub again: bool,
    /// Digest of the line before, without its line end; of nothing for the first line.
    pub previous_sha256: String,
}

/// How often a split was scored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SplitCount {
    /// Which split.
    pub split: Partition,
    /// Looks at it.
    pub times: usize,
    /// How many different models took one.
    pub models: usize,
}

impl SplitLedger {
    /// The ledger in a file, which the first look creates.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes down that a split is about to be scored. Training and validation splits may be scored
    /// any number of times; the test split once, or again with [`Look::Again`].
    ///
    /// # Errors
    /// [`ContractError::FinalSplit`]; [`ContractError::File`] if the file cannot be read or
    /// written, or was changed.
    pub fn record(
        &self,
        contract: &Contract<impl Rules>,
        by: &str,
        look: Look,
    ) -> Result<LedgerEntry, ContractError> {
        let failed = |error: std::io::Error| ContractError::file(&self.path, error);
        let options = OpenOptions::new().read(true).append(true).create(true).clone();
        let mut file = options.open(&self.path).map_err(failed)?;
        file.lock().map_err(failed)?; // until it is closed
        let text = self.read(&mut file)?;
        let complete = complete_lines(&text);
        let (entries, last_sha256) = self.parse(complete)?;

        let split = contract.conditions().split();
        let mut before = entries.iter().filter(|entry| entry.split == split);
        let again = match (split, before.next()) {
            (Partition::Test, Some(first)) if look == Look::Once => {
                let (times, first_by) = (1 + before.count(), first.by.clone());
                return Err(ContractError::FinalSplit { times, first_by });
            }
            (Partition::Test, first) => first.is_some(),
            _ => false,
        };
        let entry = LedgerEntry {
            number: entries.len() + 1,
            split,
            by: by.to_owned(),
            model: contract.subject().model.clone(),
            contract_sha256: contract.sha256(),
            again,
            previous_sha256: last_sha256,
        };
        let mut line = serde_json::to_vec(&entry).expect("texts and numbers have a JSON form");
        line.push(b'\n');
        if complete.len() < text.len() {
            file.set_len(complete.len() as u64).map_err(failed)?; // a torn line
        }
        file.write_all(&line).and_then(|()| file.sync_all()).map_err(failed)?;
        Ok(entry)
    }

    /// All looks in order; none if there is no file yet.
    ///
    /// # Errors
    /// [`ContractError::File`] if it cannot be read, or was changed.
    pub fn entries(&self) -> Result<Vec<LedgerEntry>, ContractError> {
        let mut file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(ContractError::file(&self.path, error)),
        };
        let text = self.read(&mut file)?;
        Ok(self.parse(complete_lines(&text))?.0)
    }

    /// The number of looks at each split that was scored.
    ///
    /// # Errors
    /// As [`Self::entries`].
    pub fn counts(&self) -> Result<Vec<SplitCount>, ContractError> {
        let entries = self.entries()?;
        let count = |split| {
            let mut models: Vec<&str> =
                entries.iter().filter(|e| e.split == split).map(|e| e.model.as_str()).collect();
            let times = models.len();
            models.sort_unstable();
            models.dedup();
            SplitCount { split, times, models: models.len() }
        };
        let splits = [Partition::Train, Partition::Validation, Partition::Test];
        Ok(splits.map(count).into_iter().filter(|count| count.times > 0).collect())
    }

    fn read(&self, file: &mut File) -> Result<String, ContractError> {
        let mut text = Vec::new();
        let read = file.seek(SeekFrom::Start(0)).and_then(|_| file.read_to_end(&mut text));
        read.map_err(|error| ContractError::file(&self.path, error))?;
        String::from_utf8(text).map_err(|_| ContractError::file(&self.path, "is no UTF-8 text"))
    }

    /// The entries, and the digest that the next one must repeat.
    fn parse(&self, text: &str) -> Result<(Vec<LedgerEntry>, String), ContractError> {
        let mut entries = Vec::new();
        let mut last_sha256 = sha256_hex(b"");
        for (number, line) in (1..).zip(text.lines()) {
            let failed =
                |problem| ContractError::file(&self.path, format!("line {number}: {problem}"));
            let entry: LedgerEntry =
                serde_json::from_str(line).map_err(|error| failed(error.to_string()))?;
            if entry.number != number || entry.previous_sha256 != last_sha256 {
                let problem = "does not follow the line before it: the ledger was changed";
                return Err(failed(problem.to_owned()));
            }
            last_sha256 = sha256_hex(line.as_bytes());
            entries.push(entry);
        }
        Ok((entries, last_sha256))
    }
}

/// Everything up to the last line end.
fn complete_lines(text: &str) -> &str {
    &text[..text.rfind('\n').map_or(0, |end| end + 1)]
}
