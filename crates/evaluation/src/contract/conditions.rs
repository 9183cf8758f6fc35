//! How it is measured: the part of a contract that compared results must share.

use std::collections::BTreeMap;

use llm_corpus::{CorpusManifest, Document, Partition, TokenId};
use serde::{Deserialize, Serialize};

use super::{ContractError, Rules};
use crate::sha256::{is_sha256, sha256_hex};
use crate::{Framing, WindowRule};

/// The documents, and every rule from their bytes to the targets that count.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// What the documents may be used for.
    pub split: Partition,
    /// Which documents, by id.
    pub documents: Vec<DocumentIdentity>,
    /// What stands before and behind a text.
    pub framing: Framing,
    /// Context length and stride; `None` if each document is read as a whole.
    #[serde(deserialize_with = "Option::deserialize")] // null must be written
    pub windows: Option<WindowRule>,
    /// Which ids are scored.
    pub targets: TargetRule,
    /// What a target may see of other documents.
    pub boundaries: Boundaries,
    /// Whether features were dropped at random while scoring.
    pub dropout: bool,
    /// Seed of whatever was random; `None` if nothing was.
    #[serde(deserialize_with = "Option::deserialize")]
    pub seed: Option<u64>,
}

/// One document, without its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DocumentIdentity {
    /// Unique in the contract; the `document` of its records.
    pub id: String,
    /// SHA-256 of the text, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// Length of the text in bytes.
    pub bytes: u64,
    /// What kind of text it is, if numbers are reported by kind.
    #[serde(deserialize_with = "Option::deserialize")]
    pub domain: Option<String>,
}

/// Which ids of a framed document are scored, the first one never.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TargetRule {
    /// The end token.
    pub end_token: bool,
    /// Control tokens within the text. A tokenizer of this workspace makes none out of bytes.
    pub control_tokens: bool,
}

/// What a target may see of other documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boundaries {
    /// Nothing: every document starts with an empty context.
    Separate,
    /// Everything before it: the documents form one text in the order of their ids.
    Joined,
}

impl DocumentIdentity {
    /// Of a document whose kind of text is not told apart.
    pub fn new(document: &Document) -> Self {
        Self {
            id: document.id.clone(),
            sha256: sha256_hex(&document.text),
            bytes: document.text.len() as u64,
            domain: None,
        }
    }

    /// Of a document that came as ids: the digest is over them as 32-bit little-endian numbers, and
    /// no bytes are known, which is written as 0.
    pub fn of_ids(id: impl Into<String>, ids: &[TokenId]) -> Self {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        Self { id: id.into(), sha256: sha256_hex(&bytes), bytes: 0, domain: None }
    }
}

impl Conditions {
    /// The conditions under which [`score_documents`](crate::score_documents) scores documents that
    /// [`FramedDocument::encode`](crate::FramedDocument::encode) framed: an end token that is there
    /// is a target, documents are separate, nothing is random.
    pub fn new(
        split: Partition,
        documents: &[Document],
        framing: Framing,
        windows: WindowRule,
    ) -> Self {
        let documents = documents.iter().map(DocumentIdentity::new).collect();
        Self::of_identities(split, documents, framing, windows)
    }

    /// The same for documents of which only the identities are at hand.
    pub fn of_identities(
        split: Partition,
        documents: Vec<DocumentIdentity>,
        framing: Framing,
        windows: WindowRule,
    ) -> Self {
        Self {
            split,
            documents,
            framing,
            windows: (windows != WindowRule::WHOLE).then_some(windows),
            targets: TargetRule { end_token: framing.end_token, control_tokens: false },
            boundaries: Boundaries::Separate,
            dropout: false,
            seed: None,
        }
    }

    /// The same with a domain for each document.
    #[must_use]
    pub fn with_domains(mut self, domain: impl Fn(&str) -> Option<String>) -> Self {
        self.documents.iter_mut().for_each(|document| document.domain = domain(&document.id));
        self
    }

    /// Bytes of all documents.
    pub fn byte_count(&self) -> u64 {
        self.documents.iter().fold(0, |sum: u64, document| sum.saturating_add(document.bytes))
    }

    /// Refuses a contract that scores held-out documents which stand in a training corpus (of the
    /// model or of its tokenizer), byte for byte. Training documents may be scored as such. Near copies
    /// are the business of [`llm_corpus`]'s contamination scan.
    ///
    /// # Errors
    /// [`ContractError::TrainingDocument`] with the first such document.
    pub fn check_held_out(&self, training: &CorpusManifest) -> Result<(), ContractError> {
        let trained = training.documents().iter().filter(|d| d.partition == Partition::Train);
        let by_text: BTreeMap<&str, &str> =
            trained.map(|document| (document.sha256.as_str(), document.id.as_str())).collect();
        let held_out = self.documents.iter().filter(|_| self.split != Partition::Train);
        for document in held_out {
            if let Some(&training) = by_text.get(document.sha256.as_str()) {
                let (document, training) = (document.id.clone(), training.to_owned());
                return Err(ContractError::TrainingDocument {
                    document,
                    split: self.split,
                    training,
                });
            }
        }
        Ok(())
    }

    fn check_documents(&self) -> Result<(), ContractError> {
        let invalid = |problem: String| ContractError::invalid("conditions.documents", problem);
        if self.documents.is_empty() {
            return Err(invalid("is empty, expected at least one document".into()));
        }
        if let Some(pair) = self.documents.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(invalid(format!("has `{}` twice, expected unique ids", pair[0].id)));
        }
        match self.documents.iter().find(|document| !is_sha256(&document.sha256)) {
            None => Ok(()),
            Some(DocumentIdentity { id, sha256, .. }) => Err(invalid(format!(
                "gives `{id}` the sha256 {sha256:?}, expected 64 lower-case hexadecimal digits"
            ))),
        }
    }
}

impl Rules for Conditions {
    fn split(&self) -> Partition {
        self.split
    }

    fn checked(mut self) -> Result<Self, ContractError> {
        self.documents.sort_by(|a, b| a.id.cmp(&b.id));
        self.check_documents()?;
        if let Some(WindowRule { window, stride, .. }) = self.windows
            && (stride == 0 || stride >= window)
        {
            let problem = format!(
                "is window {window} with stride {stride}, expected a stride from 1 to window - 1"
            );
            return Err(ContractError::invalid("conditions.windows", problem));
        }
        if self.targets.end_token && !self.framing.end_token {
            let problem = "is true, but conditions.framing.end_token is false: nothing to score";
            return Err(ContractError::invalid("conditions.targets.end_token", problem));
        }
        if self.dropout && self.seed.is_none() {
            let problem = "is null, but conditions.dropout is true: random numbers need a seed";
            return Err(ContractError::invalid("conditions.seed", problem));
        }
        Ok(self)
    }

    fn signature(&self) -> String {
        let start = self.framing.start_token.name();
        let end = match (self.framing.end_token, self.targets.end_token) {
            (true, true) => "scored",
            (true, false) => "read",
            (false, _) => "none",
        };
        let windows = match self.windows {
            None => "whole".to_owned(),
            Some(WindowRule { window, stride, bos_per_window }) => {
                format!("{window}/{stride}{}", if bos_per_window { "/bos" } else { "" })
            }
        };
        let control = if self.targets.control_tokens { "scored" } else { "none" };
        let boundaries = match self.boundaries {
            Boundaries::Separate => "separate",
            Boundaries::Joined => "joined",
        };
        let dropout = if self.dropout { "on" } else { "off" };
        let seed = self.seed.map_or("none".to_owned(), |seed| seed.to_string());
        let (split, documents, bytes) = (self.split, self.documents.len(), self.byte_count());
        format!(
            "split:{split}|documents:{documents}|bytes:{bytes}|start:{start}|end:{end}|\
             windows:{windows}|control:{control}|boundaries:{boundaries}|dropout:{dropout}|seed:{seed}"
        )
    }
}
