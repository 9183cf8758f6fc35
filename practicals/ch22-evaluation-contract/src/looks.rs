//! The ledger: tuning on the validation split, one look at the final one, and the attempt at another.

use llm_from_scratch_practical::corpus::Partition;
use llm_from_scratch_practical::evaluation::{
    Conditions, ContractError, EvaluationContract, Framing, Look, SplitCount, SplitLedger, Subject,
};
use llm_from_scratch_practical::tokenizer::Tokenizer;
use serde::Serialize;

use crate::setup::{WINDOWS, fitted, held_out};

/// What the ledger says at the end.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LookReport {
    /// Looks at each split, and by how many models.
    pub counts: Vec<SplitCount>,
    /// What a further look at the final split is told.
    pub second_look: String,
    /// Looks at the final split that were allowed although it was not the first.
    pub allowed_again: usize,
}

/// Two models look at the validation split, the better one at the final split, and then it wants
/// to look again. `again` allows a first look of this run to be a further one of the ledger.
///
/// # Errors
/// [`ContractError::FinalSplit`] if the ledger has a look at the final split and `again` is not
/// set; [`ContractError::File`] if it cannot be used.
pub fn looks(ledger: &SplitLedger, again: bool) -> anyhow::Result<LookReport> {
    let tokenizer = Tokenizer::of_bytes();
    let contract = |split, order| -> anyhow::Result<EvaluationContract> {
        let model = fitted(&tokenizer, order)?;
        let subject = Subject::new(&model, Some(&tokenizer), "f64");
        let conditions = Conditions::new(split, &held_out(split), Framing::DOCUMENT, WINDOWS);
        Ok(EvaluationContract::new(subject, conditions)?)
    };
    let look = if again { Look::Again } else { Look::Once };
    let last = contract(Partition::Test, 3)?;
    // First what can be refused, so that a refused run leaves nothing in the ledger.
    ledger.record(&last, "the final number", look)?;
    for order in [2, 3] {
        ledger.record(&contract(Partition::Validation, order)?, "choose the order", Look::Once)?;
    }
    let second_look = match ledger.record(&last, "one more try", Look::Once) {
        Err(error @ ContractError::FinalSplit { .. }) => error.to_string(),
        other => anyhow::bail!("a second look was not refused: {other:?}"),
    };
    Ok(LookReport {
        counts: ledger.counts()?,
        second_look,
        allowed_again: ledger.entries()?.iter().filter(|entry| entry.again).count(),
    })
}
