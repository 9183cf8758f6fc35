//! The evaluation contract: the rules that produced a number, kept with the number.
//!
//! A perplexity means nothing without the documents, the tokenizer, the start token, the windows
//! and the targets behind it. A contract holds all of these in two parts. The [`Subject`] is what
//! is measured and may differ between two results that are compared. The conditions are how it is
//! measured and may not, unless the number provably does not depend on what differs. They are
//! [`Conditions`] for texts and [`TaskConditions`](crate::tasks::TaskConditions) for multiple choice;
//! everything else is written once, for both.
//!
//! | file | idea |
//! | --- | --- |
//! | `subject.rs`, `conditions.rs` | what is measured, and how |
//! | `scoring.rs` | [`score_under_contract`]: a contract carried out |
//! | `result.rs` | [`EvaluationResult`]: totals per document under one contract |
//! | `measure.rs` | [`Measure`]: the numbers that a result has |
//! | `difference.rs` | [`Difference`]: every field in which two contracts differ, and what it spoils |
//! | `compare.rs` | [`compare`]: refuse, or the paired difference with its interval |
//! | `flagged.rs` | [`FlaggedScores`]: a result with and without suspicious documents |
//! | `ledger.rs` | [`SplitLedger`]: how often each split was looked at |
//! | `cache.rs` | [`ResultCache`]: results by the digest of their contract |
//! | `error.rs` | [`ContractError`]: everything that is refused |

mod cache;
mod compare;
mod conditions;
mod difference;
mod error;
mod flagged;
mod ledger;
mod measure;
mod result;
mod scoring;
mod subject;

pub use cache::{ResultCache, UnderContract};
pub use compare::{Comparison, DocumentDifference, Spread, compare};
pub use conditions::{Boundaries, Conditions, DocumentIdentity, TargetRule};
pub use difference::{Compared, Difference, Refusal};
pub use error::ContractError;
pub use flagged::FlaggedScores;
pub use ledger::{LedgerEntry, Look, SplitCount, SplitLedger};
pub use measure::Measure;
pub use result::{DocumentResult, EvaluationResult};
pub use scoring::score_under_contract;
pub use subject::{SCORING_REVISION, Subject};

pub(crate) use difference::{check_follows, check_given};

use llm_archive::canonical_json;
use llm_corpus::Partition;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::sha256::sha256_hex;

/// Everything that a number depends on. Valid by construction, also when read from JSON, where
/// every field must be there and no other.
///
/// # Example
/// Moving the stride changes the conditions, and with them their digest; the subject keeps its own.
/// ```
/// use llm_corpus::{Document, Partition};
/// use llm_evaluation::{Conditions, EvaluationContract, Framing, Subject, WindowRule};
///
/// let subject = Subject {
///     model: "uniform over 266".into(),
///     tokenizer_sha256: None,
///     code_version: "example 1".into(),
///     dtype: "f64".into(),
///     execution: "scalar-cpu".into(),
/// };
/// let text = [Document::new("x", Partition::Test, "baa")];
/// let windows = |stride| WindowRule { window: 4, stride, bos_per_window: false };
/// let contract = |stride| {
///     let conditions = Conditions::new(Partition::Test, &text, Framing::DOCUMENT, windows(stride));
///     EvaluationContract::new(subject.clone(), conditions)
/// };
/// let (one, two) = (contract(1)?, contract(2)?);
/// assert_eq!(one.subject_sha256(), two.subject_sha256());
/// assert_ne!(one.conditions_sha256(), two.conditions_sha256());
/// assert_eq!(one.differences(&two)[0].field, "conditions.windows.stride");
/// # Ok::<(), llm_evaluation::ContractError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored<C>", bound(deserialize = "C: Rules"))]
pub struct Contract<C> {
    subject: Subject,
    conditions: C,
}

/// The contract of a result on texts.
pub type EvaluationContract = Contract<Conditions>;

/// How something is measured: the conditions of one kind of contract.
pub trait Rules: Clone + PartialEq + Serialize + DeserializeOwned {
    /// What the scored data may be used for.
    fn split(&self) -> Partition;

    /// Puts them into their one order, so that equal rules have equal digests.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] naming the first field that no evaluation can have had.
    fn checked(self) -> Result<Self, ContractError>;

    /// Their part of [`Contract::signature`]: names and short values between bars.
    fn signature(&self) -> String;
}

impl<C: Rules> Contract<C> {
    /// Puts both parts together. Documents and items are sorted: their order changes no score.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] naming the first field that no evaluation can have had.
    pub fn new(subject: Subject, conditions: C) -> Result<Self, ContractError> {
        subject.check()?;
        Ok(Self { subject, conditions: conditions.checked()? })
    }

    /// What is measured.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// How it is measured.
    pub fn conditions(&self) -> &C {
        &self.conditions
    }

    /// The whole contract as canonical JSON: equal contracts, equal bytes.
    pub fn canonical_json(&self) -> String {
        canonical(self)
    }

    /// SHA-256 of the canonical JSON of the whole, 64 lower-case hexadecimal digits.
    pub fn sha256(&self) -> String {
        digest(self)
    }

    /// The same of the subject alone.
    pub fn subject_sha256(&self) -> String {
        digest(&self.subject)
    }

    /// The same of the conditions alone. Results with equal ones compare in every number that does
    /// not depend on the tokenizer.
    pub fn conditions_sha256(&self) -> String {
        digest(&self.conditions)
    }

    /// Both parts in one line, to be printed beside a number. Digests are cut to eight digits.
    ///
    /// The idea of such a line is that of Post, *A call for clarity in reporting BLEU scores* (2018).
    pub fn signature(&self) -> String {
        let Self { subject, conditions } = self;
        let (left, right) = (subject.signature(), conditions.signature());
        format!("{left}|{right}|conditions:{}", &self.conditions_sha256()[..8])
    }
}

impl EvaluationContract {
    /// The same rules for a part of the documents.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] if no document is kept.
    pub fn of_documents(&self, keep: impl Fn(&str) -> bool) -> Result<Self, ContractError> {
        let mut conditions = self.conditions.clone();
        conditions.documents.retain(|document| keep(&document.id));
        Self::new(self.subject.clone(), conditions)
    }
}

/// A contract as it stands in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a contract, an object")]
struct Stored<C> {
    subject: Subject,
    conditions: C,
}

impl<C: Rules> TryFrom<Stored<C>> for Contract<C> {
    type Error = ContractError;

    fn try_from(stored: Stored<C>) -> Result<Self, ContractError> {
        Self::new(stored.subject, stored.conditions)
    }
}

fn canonical(value: &impl Serialize) -> String {
    canonical_json(value).expect("structs of texts, numbers and lists always have a JSON form")
}

fn digest(value: &impl Serialize) -> String {
    sha256_hex(canonical(value).as_bytes())
}
