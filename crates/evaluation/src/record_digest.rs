//! The identity of records: two passes with one digest gave the same bits.

use std::collections::BTreeMap;
use std::io::Write;

use sha2::{Digest, Sha256};

use crate::{ScoreError, TargetRecord, json_lines, sha256};

/// Hashes records as they stand in a file of JSON lines, all together and by document.
///
/// The digest of all is that of the file, so anybody can compute it again; it depends on the order
/// of the documents. [`sorted_sha256`](Self::sorted_sha256) does not: it is for passes over the
/// same documents in another order.
///
/// # Example
/// ```
/// use llm_evaluation::{RecordDigest, TargetRecord};
/// let record = |document: &str| TargetRecord {
///     document: document.into(),
///     position: 1,
///     token: 100,
///     log_probability: -0.5,
///     bytes: None,
///     rank_best: 1,
///     rank_worst: 1,
/// };
/// let digest = |documents: [&str; 2]| -> Result<_, llm_evaluation::ScoreError> {
///     let mut digest = RecordDigest::new(std::io::sink());
///     documents.iter().try_for_each(|document| digest.add(&record(document)))?;
///     Ok(digest)
/// };
/// let (one, other) = (digest(["x", "y"])?, digest(["y", "x"])?);
/// assert_ne!(one.sha256(), other.sha256());
/// assert_eq!(one.sorted_sha256(), other.sorted_sha256());
/// # Ok::<(), llm_evaluation::ScoreError>(())
/// ```
#[derive(Debug)]
pub struct RecordDigest<W> {
    file: W,
    all: Sha256,
    documents: BTreeMap<String, Sha256>,
    line: Vec<u8>,
    count: usize,
}

impl<W: Write> RecordDigest<W> {
    /// Nothing hashed yet. The lines are written to `file`, too.
    pub fn new(file: W) -> Self {
        Self { file, all: Sha256::new(), documents: BTreeMap::new(), line: Vec::new(), count: 0 }
    }

    /// Takes the next record.
    ///
    /// # Errors
    /// [`ScoreError::Record`] if no model can have made it or it cannot be written.
    pub fn add(&mut self, record: &TargetRecord) -> Result<(), ScoreError> {
        self.count += 1;
        self.line.clear();
        json_lines::write_line(&mut self.line, self.count, record)?;
        self.file.write_all(&self.line).map_err(|error| {
            let problem = error.to_string();
            ScoreError::Record { line: self.count, problem }
        })?;
        self.all.update(&self.line);
        match self.documents.get_mut(&record.document) {
            Some(document) => document.update(&self.line),
            None => {
                let document = Sha256::new_with_prefix(&self.line);
                self.documents.insert(record.document.clone(), document);
            }
        }
        Ok(())
    }

    /// SHA-256 of the lines so far, 64 lower-case hexadecimal digits: that of the file.
    pub fn sha256(&self) -> String {
        sha256::digits(self.all.clone())
    }

    /// SHA-256 over the digests of the documents in the order of their ids.
    pub fn sorted_sha256(&self) -> String {
        let mut all = Sha256::new();
        self.documents.values().for_each(|document| all.update(document.clone().finalize()));
        sha256::digits(all)
    }
}
