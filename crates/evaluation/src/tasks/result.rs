//! A result: the records of a pass under the contract they were made with.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    BoundaryRule, ItemSet, Join, OptionRecord, OptionRule, RuleResult, TaskConditions,
    TaskContract, TaskError, TaskSummary, write_option_records,
};
use crate::contract::{check_follows, check_given};
use crate::sha256::sha256_hex;
use crate::{ContractError, UnderContract};

/// What was measured under one contract.
///
/// As JSON it embeds the contract, its digests and signature, the accuracy by every rule, and the
/// records that these follow from with their digest; read back, all must follow again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct TaskResult {
    contract: TaskContract,
    summary: TaskSummary,
}

impl TaskResult {
    /// Takes the records of a pass, in any order.
    ///
    /// # Errors
    /// As [`TaskSummary::from_records`] and [`Self::new`].
    pub fn from_records(
        contract: TaskContract,
        records: impl IntoIterator<Item = OptionRecord>,
    ) -> Result<Self, TaskError> {
        Self::new(contract, TaskSummary::from_records(records)?)
    }

    /// Puts a summary under its contract.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] if the items are not those of the contract or if there is no
    /// tokenizer; [`TaskError::Records`] for an item that was not scored by its rules.
    pub fn new(contract: TaskContract, summary: TaskSummary) -> Result<Self, TaskError> {
        if contract.subject().tokenizer_sha256.is_none() {
            let problem = "is null, but options become ids by a tokenizer";
            return Err(ContractError::invalid("subject.tokenizer_sha256", problem).into());
        }
        let conditions = contract.conditions();
        check_given("conditions.items", &conditions.items, &summary.item_set())?;
        for record in summary.records() {
            check_record(record, conditions)
                .map_err(|problem| TaskError::Records { item: record.item, problem })?;
        }
        Ok(Self { contract, summary })
    }

    /// The rules behind the numbers.
    pub fn contract(&self) -> &TaskContract {
        &self.contract
    }

    /// The items and their records.
    pub fn summary(&self) -> &TaskSummary {
        &self.summary
    }

    /// The accuracy by the rule of the contract.
    ///
    /// # Errors
    /// As [`TaskSummary::accuracy`].
    pub fn accuracy(&self) -> Result<RuleResult, TaskError> {
        self.summary.accuracy(self.contract.conditions().rule)
    }

    /// The same records under a contract with another rule: all rules come from one pass.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] for the mutual information without neutral scores.
    pub fn by_rule(&self, rule: OptionRule) -> Result<Self, TaskError> {
        let conditions = TaskConditions { rule, ..self.contract.conditions().clone() };
        let contract = TaskContract::new(self.contract.subject().clone(), conditions)?;
        Ok(Self { contract, summary: self.summary.clone() })
    }

    /// The result for a part of the items, by their digests, under the contract for these.
    ///
    /// # Errors
    /// [`ContractError::Invalid`] if no item is kept.
    pub fn of_items(&self, keep: impl Fn(&str) -> bool) -> Result<Self, TaskError> {
        let kept = self.summary.records().filter(|record| keep(&record.digest)).cloned();
        let summary = TaskSummary::from_records(kept)?;
        let items: ItemSet = summary.item_set();
        let conditions = TaskConditions { items, ..self.contract.conditions().clone() };
        let contract = TaskContract::new(self.contract.subject().clone(), conditions)?;
        Ok(Self { contract, summary })
    }
}

impl UnderContract for TaskResult {
    type Conditions = TaskConditions;

    fn contract(&self) -> &TaskContract {
        &self.contract
    }
}

/// Neutral scores are there if the contract has a neutral prompt, and options join as it says.
fn check_record(record: &OptionRecord, conditions: &TaskConditions) -> Result<(), String> {
    let scoring = &conditions.scoring;
    if record.neutral_log_probabilities.is_some() != scoring.neutral_prompt.is_some() {
        return Err(
            "neutral scores belong to a neutral prompt: the contract and the records do not \
                    agree on one"
                .to_owned(),
        );
    }
    match (record.join, scoring.boundary) {
        (Join::Split, BoundaryRule::BackOff) | (Join::BackedOff, BoundaryRule::Separate) => {
            Err(format!("an option is {:?}, which {:?} never does", record.join, scoring.boundary))
        }
        _ => Ok(()),
    }
}

/// A result as it stands in a file: what follows from contract and records is written for readers,
/// and compared when it is read.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, expecting = "a result of tasks, an object")]
struct Stored {
    contract: TaskContract,
    signature: String,
    contract_sha256: String,
    subject_sha256: String,
    conditions_sha256: String,
    /// By every rule that there are scores for.
    numbers: BTreeMap<OptionRule, RuleResult>,
    /// Of the records as [`write_option_records`] writes them. Accuracies are coarse: without it, a
    /// changed score that changes no choice would go unseen.
    records_sha256: String,
    records: Vec<OptionRecord>,
}

impl From<TaskResult> for Stored {
    fn from(TaskResult { contract, summary }: TaskResult) -> Self {
        let mut lines = Vec::new();
        write_option_records(&mut lines, summary.records())
            .expect("a summary's records are checked, and a list takes all");
        let by_rule = |rule| summary.accuracy(rule).ok().map(|result| (rule, result));
        Self {
            signature: contract.signature(),
            contract_sha256: contract.sha256(),
            subject_sha256: contract.subject_sha256(),
            conditions_sha256: contract.conditions_sha256(),
            numbers: summary.rules().filter_map(by_rule).collect(),
            records_sha256: sha256_hex(&lines),
            records: summary.records().cloned().collect(),
            contract,
        }
    }
}

impl TryFrom<Stored> for TaskResult {
    type Error = TaskError;

    fn try_from(given: Stored) -> Result<Self, TaskError> {
        let result = Self::from_records(given.contract.clone(), given.records.clone())?;
        check_follows::<Stored>(&given, &Self::clone(&result).into())?;
        Ok(result)
    }
}
