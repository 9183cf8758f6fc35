//! A result as JSON: what follows from contract and totals is written for readers, and compared
//! when it is read.

use llm_metrics::nats_to_bits;
use serde::{Deserialize, Serialize};

use super::{DocumentResult, EvaluationResult};
use crate::contract::check_follows;
use crate::{ContractError, EvaluationContract, Measure};

/// A result as it stands in a file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a result, an object")]
pub(super) struct Stored {
    contract: EvaluationContract,
    signature: String,
    contract_sha256: String,
    subject_sha256: String,
    conditions_sha256: String,
    determinism: String,
    numbers: Numbers,
    documents: Vec<DocumentResult>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Numbers {
    documents: u64,
    targets: u64,
    nats_per_token: Option<f64>,
    bits_per_token: Option<f64>,
    /// Null beyond the range of f64.
    perplexity: Option<f64>,
    /// Null without bytes, as the next.
    bits_per_byte: Option<f64>,
    bits_per_byte_text_only: Option<f64>,
}

impl From<EvaluationResult> for Stored {
    fn from(result: EvaluationResult) -> Self {
        let contract = &result.contract;
        let number = |measure| result.number(measure).ok();
        let targets = result.documents.iter().map(|document| document.targets);
        let nats = number(Measure::NatsPerToken);
        Self {
            signature: contract.signature(),
            contract_sha256: contract.sha256(),
            subject_sha256: contract.subject_sha256(),
            conditions_sha256: contract.conditions_sha256(),
            determinism: result.determinism().to_owned(),
            numbers: Numbers {
                documents: result.documents.len() as u64,
                targets: targets.fold(0, u64::saturating_add),
                nats_per_token: nats,
                bits_per_token: nats.map(nats_to_bits),
                perplexity: nats.map(libm::exp).filter(|value| value.is_finite()),
                bits_per_byte: number(Measure::BitsPerByte),
                bits_per_byte_text_only: number(Measure::BitsPerByteTextOnly),
            },
            contract: result.contract,
            documents: result.documents,
        }
    }
}

impl TryFrom<Stored> for EvaluationResult {
    type Error = ContractError;

    fn try_from(given: Stored) -> Result<Self, ContractError> {
        let result = Self::checked(given.contract.clone(), given.documents.clone())?;
        let expected = Self::clone(&result).into();
        check_follows::<Stored>(&given, &expected)?;
        Ok(result)
    }
}
