//! Multiple choice by the contract: prompts are made as it says, and everything given must be what
//! it names.

use std::num::NonZeroUsize;

use llm_tokenizer::Tokenizer;

use super::{
    ExamplePool, ItemSet, Question, TaskContract, TaskError, TaskItem, TaskResult, score_options,
};
use crate::contract::check_given;
use crate::{ContractError, LanguageModel};

/// Asks a model the items of a contract, under its rules.
///
/// `pool` holds the items that examples are drawn from; it is empty if the contract draws none.
/// Items and pool may come in any order, and `batch` questions are given to the model at a time;
/// neither changes the result.
///
/// # Errors
/// [`ContractError::Invalid`] if the model, the tokenizer, the code, the items or the pool are not
/// those of the contract, and for dropout, which scoring does not have. Then as
/// [`FewShot::question`](super::FewShot::question) and [`score_options`].
///
/// # Example
/// ```
/// use llm_baselines::NgramModel;
/// use llm_corpus::Partition;
/// use llm_evaluation::Subject;
/// use llm_evaluation::tasks::{
///     OptionRule, OptionScoring, TaskConditions, TaskContract, TaskItem, score_task_under_contract,
/// };
/// let tokenizer = llm_tokenizer::Tokenizer::of_bytes();
/// let model = NgramModel::uniform(tokenizer.vocab_size())?;
/// let items = [TaskItem::new("1, 2,", [" 3", " 10"], 0)?];
/// let contract = |rule| {
///     TaskContract::new(
///         Subject::new(&model, Some(&tokenizer), "f64"),
///         TaskConditions::new(Partition::Test, &items, OptionScoring::default(), rule),
///     )
/// };
/// let result = |rule| {
///     score_task_under_contract(&contract(rule)?, &model, &tokenizer, &items, &[], 1.try_into()?)
///         .map_err(Box::<dyn std::error::Error>::from)
/// };
/// let (by_sum, by_byte) = (result(OptionRule::Sum)?, result(OptionRule::Byte)?);
/// assert_eq!(by_sum.accuracy()?.accuracy, 1.0); // 2 bytes cost less than 3
/// assert_eq!(by_byte.accuracy()?.fractional_accuracy, 0.5); // and the same per byte
///
/// let error = llm_evaluation::tasks::compare(&by_sum, &by_byte).unwrap_err().to_string();
/// assert!(error.contains(r#"conditions.rule is "sum" and "byte""#), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn score_task_under_contract(
    contract: &TaskContract,
    model: &dyn LanguageModel,
    tokenizer: &Tokenizer,
    items: &[TaskItem],
    pool: &[TaskItem],
    batch: NonZeroUsize,
) -> Result<TaskResult, TaskError> {
    contract.subject().check_given(model, tokenizer)?;
    let conditions = contract.conditions();
    if conditions.dropout {
        let problem = "is true, expected false: scoring has no other rule here";
        return Err(ContractError::invalid("conditions.dropout", problem).into());
    }
    check_given("conditions.items", &conditions.items, &ItemSet::of(items))?;
    let pool_set = (conditions.pool.is_some() || !pool.is_empty()).then(|| ItemSet::of(pool));
    check_given("conditions.pool", &conditions.pool, &pool_set)?;
    let questions: Vec<Question<'_>> = match &conditions.few_shot {
        None => items.iter().map(Question::plain).collect(),
        Some(few_shot) => few_shot.questions(items, &ExamplePool::new(pool))?,
    };
    let records = score_options(model, tokenizer, &questions, &conditions.scoring, batch)?;
    TaskResult::from_records(contract.clone(), records)
}
