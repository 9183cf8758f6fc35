//! Accuracies that carry their rules, and what may be compared.

use llm_from_scratch_practical::{corpus, evaluation, tokenizer};

use std::num::NonZeroUsize;

use corpus::Partition;
use evaluation::tasks::{
    FewShot, OptionRule, OptionScoring, PromptTemplate, TaskConditions, TaskContract, TaskError,
    TaskItem, TaskResult, compare, score_task_under_contract,
};
use evaluation::{LanguageModel, Subject};
use serde::Serialize;
use tokenizer::Tokenizer;

use crate::Models;
use crate::prompts::{BLOCK, PairReport};

/// Behind this prompt a label says only how common it is.
pub const NEUTRAL_PROMPT: &str = "it is a";
/// The rule of every contract here: chosen before any score was seen.
pub const RULE: OptionRule = OptionRule::Sum;
/// Questions that are given to a model at a time.
pub(crate) const BATCH: NonZeroUsize = NonZeroUsize::new(16).expect("16 is not 0");

/// Two results that compare, and two that do not.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContractReport {
    /// The decoder's contract in one line.
    pub signature: String,
    /// Fields in which the trigram's contract differs, none of which matters to the rule.
    pub trigram_differs_in: Vec<String>,
    /// The decoder against the trigram.
    pub decoder_against_trigram: PairReport,
    /// What is said about the decoder against itself behind one example.
    pub other_prompt: String,
    /// What is said about the decoder against itself by another rule.
    pub other_rule: String,
}

/// The conditions of this chapter: plain questions.
pub(crate) fn conditions(items: &[TaskItem], neutral_prompt: Option<&str>) -> TaskConditions {
    let neutral_prompt = neutral_prompt.map(str::to_owned);
    let scoring = OptionScoring { neutral_prompt, ..OptionScoring::default() };
    TaskConditions::new(Partition::Test, items, scoring, RULE)
}

/// The contract for a model and these conditions, carried out. Examples come from the items.
///
/// # Errors
/// What the contract or the model refuses.
pub(crate) fn score(
    (model, dtype): (&dyn LanguageModel, &str),
    tokenizer: &Tokenizer,
    items: &[TaskItem],
    conditions: TaskConditions,
) -> Result<TaskResult, TaskError> {
    let pool = if conditions.few_shot.is_some() { items } else { &[] };
    let subject = Subject::new(model, Some(tokenizer), dtype);
    let contract = TaskContract::new(subject, conditions)?;
    score_task_under_contract(&contract, model, tokenizer, items, pool, BATCH)
}

/// The decoder's result against the trigram's, and against its own under other conditions.
///
/// # Errors
/// What scoring refuses.
pub fn contract_report(
    models: &Models,
    items: &[TaskItem],
    decoder: &TaskResult,
) -> anyhow::Result<ContractReport> {
    let trigram = score(models.trigram(), &models.tokenizer, items, conditions(items, None))?;
    let comparison = compare(decoder, &trigram)?;
    let template = PromptTemplate::new("", BLOCK)?;
    let one_example = decoder.contract().conditions().clone();
    let one_example = one_example.with_few_shot(FewShot { template, shots: 1, seed: 0 }, items);
    let one_example = score(models.decoder(), &models.tokenizer, items, one_example)?;
    let refusal = |other: &TaskResult| match compare(decoder, other) {
        Err(refusal @ TaskError::NotComparable(_)) => Ok(refusal.to_string()),
        Err(other) => Err(other.into()),
        Ok(_) => Err(anyhow::anyhow!("two conditions were taken for one")),
    };
    Ok(ContractReport {
        signature: decoder.contract().signature(),
        trigram_differs_in: comparison.differing.into_iter().map(|d| d.field).collect(),
        decoder_against_trigram: comparison.paired.into(),
        other_prompt: refusal(&one_example)?,
        other_rule: refusal(&decoder.by_rule(OptionRule::CharBare)?)?,
    })
}
