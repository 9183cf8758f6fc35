//! What is measured: the part of a contract that may differ between compared results.

use llm_tokenizer::Tokenizer;
use serde::{Deserialize, Serialize};

use super::ContractError;
use super::difference::check_given;
use crate::LanguageModel;
use crate::sha256::is_sha256;

/// Raised by one with every change to this workspace that moves a bit of any score: the arithmetic,
/// the order of a sum, how a text becomes ids. Results of other revisions are then no longer taken
/// from a cache. A test holds a digest of scores for the present number and fails when they move.
pub const SCORING_REVISION: u32 = 1;

/// The model and all that runs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// The model's identity, weights included: [`LanguageModel::identity`].
    pub model: String,
    /// SHA-256 of the tokenizer's canonical file; `None` if documents came as ids, and then
    /// nothing is known about bytes.
    #[serde(deserialize_with = "Option::deserialize")] // null must be written
    pub tokenizer_sha256: Option<String>,
    /// Name and version of the code that scored, and its [`SCORING_REVISION`].
    pub code_version: String,
    /// Number format of weights and arithmetic, such as `f64`.
    pub dtype: String,
    /// What the arithmetic ran on, such as `scalar-cpu`.
    pub execution: String,
}

impl Subject {
    /// The subject for a model of this workspace, whose scores are the same bits on every machine.
    pub fn new(model: &dyn LanguageModel, tokenizer: Option<&Tokenizer>, dtype: &str) -> Self {
        Self {
            model: model.identity(),
            tokenizer_sha256: tokenizer.map(|tokenizer| tokenizer.sha256().to_owned()),
            code_version: format!(
                "llm-evaluation {}+scoring.{SCORING_REVISION}",
                env!("CARGO_PKG_VERSION")
            ),
            dtype: dtype.to_owned(),
            execution: "scalar-cpu".to_owned(),
        }
    }

    /// Refuses a model, a tokenizer or a program that is not the named one. The number format is
    /// taken as it stands here: a model does not tell its own.
    pub(crate) fn check_given(
        &self,
        model: &dyn LanguageModel,
        tokenizer: &Tokenizer,
    ) -> Result<(), ContractError> {
        check_given("subject", self, &Self::new(model, Some(tokenizer), &self.dtype))
    }

    pub(super) fn check(&self) -> Result<(), ContractError> {
        let Self { model, tokenizer_sha256, code_version, dtype, execution } = self;
        for (field, text) in [
            ("subject.model", model),
            ("subject.code_version", code_version),
            ("subject.dtype", dtype),
            ("subject.execution", execution),
        ] {
            if text.trim().is_empty() {
                return Err(ContractError::invalid(field, "is empty, expected a name"));
            }
        }
        match tokenizer_sha256 {
            Some(given) if !is_sha256(given) => Err(ContractError::invalid(
                "subject.tokenizer_sha256",
                format!("is {given:?}, expected 64 lower-case hexadecimal digits"),
            )),
            _ => Ok(()),
        }
    }

    pub(super) fn signature(&self) -> String {
        let Self { model, tokenizer_sha256, code_version, dtype, execution } = self;
        let tokenizer = tokenizer_sha256.as_deref().map_or("none", |digits| &digits[..8]);
        format!(
            "model:{}|tokenizer:{tokenizer}|code:{}|dtype:{}|execution:{}",
            in_line(&shortened(model)),
            in_line(code_version),
            in_line(dtype),
            in_line(execution),
        )
    }
}

/// A digest within an identity, cut to eight digits.
fn shortened(identity: &str) -> String {
    match identity.rsplit_once("sha256:") {
        Some((kind, digits)) if is_sha256(digits) => format!("{kind}{}", &digits[..8]),
        _ => identity.to_owned(),
    }
}

/// Keeps a signature one line with unambiguous bars, whatever a name contains.
fn in_line(text: &str) -> String {
    let harmless = |c: char| if c == '|' || c.is_control() || c.is_whitespace() { '_' } else { c };
    text.chars().map(harmless).collect()
}
