//! One pass over all questions, six rules.

use llm_from_scratch_practical::{evaluation, metrics};

use evaluation::tasks::{OptionRecord, OptionRule, TaskError, TaskItem, TaskSummary};
use llm_chapter_kit::six_decimals;
use metrics::ExactSum;
use serde::Serialize;

/// One question, with everything that the rules need.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkedItem {
    /// What the model reads before each option.
    pub prompt: String,
    /// The right option.
    pub answer: String,
    /// What it thinks of each.
    pub options: Vec<OptionRow>,
    /// The option that each rule chooses.
    pub chosen: Vec<Chosen>,
}

/// An option of a question.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OptionRow {
    /// Its text.
    pub option: String,
    /// Scored tokens.
    pub tokens: usize,
    /// Scored characters, the space included.
    pub characters: u64,
    /// Log-probability of each token, in nats.
    #[serde(serialize_with = "six_decimals")]
    pub log_probabilities: Vec<f64>,
    /// Log-probability of all of them behind the neutral prompt, in nats.
    #[serde(serialize_with = "six_decimals")]
    pub neutral_log_probability: f64,
}

/// The choice of a rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Chosen {
    /// The rule.
    pub rule: OptionRule,
    /// The score of each option.
    #[serde(serialize_with = "six_decimals")]
    pub scores: Vec<f64>,
    /// The option with the highest.
    pub option: String,
    /// Whether it is the right one.
    pub is_right: bool,
}

/// All questions under every rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleReport {
    /// Questions.
    pub items: usize,
    /// Questions on which not all rules choose the same option.
    pub items_with_disagreement: usize,
    /// Accuracy of guessing.
    #[serde(serialize_with = "six_decimals")]
    pub chance_level: f64,
    /// Smallest difference of two models that so many questions would show.
    #[serde(serialize_with = "six_decimals")]
    pub smallest_detectable_difference: f64,
    /// One row for each rule.
    pub rules: Vec<RuleRow>,
}

/// All questions under one rule.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RuleRow {
    /// The rule.
    pub rule: OptionRule,
    /// Right answers.
    pub right: usize,
    /// Right answers over questions.
    #[serde(serialize_with = "six_decimals")]
    pub accuracy: f64,
    /// The same, with its part for an answer that shares the highest score with others.
    #[serde(serialize_with = "six_decimals")]
    pub fractional_accuracy: f64,
    /// Questions in which several options share the highest score.
    pub ties: usize,
    /// Binomial standard error of the accuracy.
    #[serde(serialize_with = "six_decimals")]
    pub standard_error: f64,
    /// Its standard error with words, not questions, as the independent units.
    #[serde(serialize_with = "six_decimals")]
    pub clustered_error: Option<f64>,
    /// Lower end of the 95 % interval.
    #[serde(serialize_with = "six_decimals")]
    pub wilson_lower: f64,
    /// Upper end.
    #[serde(serialize_with = "six_decimals")]
    pub wilson_upper: f64,
    /// Questions answered with the shortest label.
    pub chosen_tool: usize,
    /// Questions answered with the middle one.
    pub chosen_animal: usize,
    /// Questions answered with the longest.
    pub chosen_plant: usize,
}

/// Question number `number` in detail.
///
/// # Errors
/// None for a result with neutral scores.
pub fn worked_item(
    result: &TaskSummary,
    number: usize,
    item: &TaskItem,
) -> Result<WorkedItem, TaskError> {
    let neutral = |record: &OptionRecord| -> ExactSum {
        record.neutral_log_probabilities.iter().flatten().copied().collect()
    };
    let row = |record: &OptionRecord| OptionRow {
        option: item.options()[record.option].clone(),
        tokens: record.log_probabilities.len(),
        characters: record.characters,
        log_probabilities: record.log_probabilities.clone(),
        neutral_log_probability: neutral(record).value(),
    };
    let records = result.records().filter(|record| record.item == number);
    let mut chosen = Vec::new();
    for rule in OptionRule::ALL {
        let choice = result.choices(rule)?.swap_remove(number);
        let option = item.options()[choice.chosen].clone();
        chosen.push(Chosen { rule, scores: choice.scores, option, is_right: choice.is_right });
    }
    Ok(WorkedItem {
        prompt: item.context().to_owned(),
        answer: item.right_option().to_owned(),
        options: records.map(row).collect(),
        chosen,
    })
}

/// All questions under every rule.
///
/// # Errors
/// None for a result with neutral scores.
pub fn rule_report(result: &TaskSummary) -> Result<RuleReport, TaskError> {
    let mut rules = Vec::new();
    let mut chosen: Vec<Vec<usize>> = Vec::new();
    for rule in OptionRule::ALL {
        let choices: Vec<usize> = result.choices(rule)?.iter().map(|c| c.chosen).collect();
        let count = |option| choices.iter().filter(|&&chosen| chosen == option).count();
        let by_rule = result.accuracy(rule)?;
        let [wilson_lower, wilson_upper] = by_rule.wilson_interval;
        rules.push(RuleRow {
            rule,
            right: by_rule.right_count,
            accuracy: by_rule.accuracy,
            fractional_accuracy: by_rule.fractional_accuracy,
            ties: by_rule.tie_count,
            standard_error: by_rule.standard_error,
            clustered_error: by_rule.clustered_standard_error,
            wilson_lower,
            wilson_upper,
            chosen_tool: count(0),
            chosen_animal: count(1),
            chosen_plant: count(2),
        });
        chosen.push(choices);
    }
    let disagrees = |item: &usize| chosen.iter().any(|by_rule| by_rule[*item] != chosen[0][*item]);
    let by_sum = result.accuracy(OptionRule::Sum)?;
    Ok(RuleReport {
        items: by_sum.item_count,
        items_with_disagreement: (0..by_sum.item_count).filter(disagrees).count(),
        chance_level: by_sum.chance_level,
        smallest_detectable_difference: by_sum.smallest_detectable_difference,
        rules,
    })
}
