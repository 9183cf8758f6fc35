//! A result with and without the documents that a contamination scan flagged.

use serde::Serialize;

use super::{ContractError, EvaluationResult};

/// Three results of one pass: all documents, the clean ones, the flagged ones.
///
/// Nothing is scored again, because the score of a document does not depend on its company. Clean
/// and flagged documents are different texts, so the gap between them is no measure of memory by
/// itself: flagged texts may be easier.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FlaggedScores {
    /// Over all documents.
    pub all: EvaluationResult,
    /// Without the flagged ones; `None` if nothing is left.
    pub without_flagged: Option<EvaluationResult>,
    /// Over these alone; `None` if there are none.
    pub flagged: Option<EvaluationResult>,
}

impl FlaggedScores {
    /// Splits a result.
    ///
    /// # Errors
    /// [`ContractError::Records`] for a flagged document that the result does not have: it was
    /// scanned under another name or in another corpus.
    pub fn new(all: EvaluationResult, flagged: &[&str]) -> Result<Self, ContractError> {
        let known = |id: &str| all.documents().iter().any(|document| document.id == id);
        if let Some(id) = flagged.iter().find(|id| !known(id)) {
            let problem = "it was flagged and not scored".to_owned();
            return Err(ContractError::Records { document: (*id).to_owned(), problem });
        }
        // The only way to fail is to keep no document.
        let clean = all.of_documents(|id| !flagged.contains(&id)).ok();
        let suspicious = all.of_documents(|id| flagged.contains(&id)).ok();
        Ok(Self { all, without_flagged: clean, flagged: suspicious })
    }
}
