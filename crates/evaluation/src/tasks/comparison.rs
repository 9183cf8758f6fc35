//! Two models, or two ways of asking one, on the same items.
//!
//! Items that are hard for one model are hard for the other. What tells the models apart are the
//! items on which only one of them is right: their difference is the difference in accuracy, and
//! McNemar's exact test says how often a fair coin would split them so unevenly.

use llm_metrics::{DetectableDifference, McNemar, PairedDifference};
use serde::Serialize;

use super::{OptionRule, TaskError, TaskResult};

/// First minus second, item by item; accuracies with the lowest number among equal scores.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// The rule of both.
    pub rule: OptionRule,
    /// Items, the same for both.
    pub item_count: usize,
    /// Accuracy of the first.
    pub first_accuracy: f64,
    /// Accuracy of the second.
    pub second_accuracy: f64,
    /// First minus second.
    pub difference: f64,
    /// Paired standard error of the difference; `None` for a single item.
    pub standard_error: Option<f64>,
    /// The same with groups as the independent units; `None` without groups or for a single one.
    pub clustered_standard_error: Option<f64>,
    /// Items that only the first has right.
    pub only_first: usize,
    /// Items that only the second has right.
    pub only_second: usize,
    /// Two-sided p-value of McNemar's exact test: the probability of a split at least as uneven if
    /// the models were equally good.
    pub mcnemar_p_value: f64,
    /// The smallest true difference that these items would show with 80 % probability at 5 %
    /// significance, if the models disagree as often as here; `None` if they never do.
    pub smallest_detectable_difference: Option<f64>,
}

impl Comparison {
    /// Compares two results under one rule.
    ///
    /// # Errors
    /// [`TaskError::Records`] naming the first item that only one of them has or that differs;
    /// otherwise as [`TaskResult::accuracy`].
    pub fn of(
        first: &TaskResult,
        second: &TaskResult,
        rule: OptionRule,
    ) -> Result<Self, TaskError> {
        check_same_items(first, second)?;
        let right = |result: &TaskResult| -> Result<Vec<bool>, TaskError> {
            Ok(result.choices(rule)?.iter().map(|choice| choice.is_right).collect())
        };
        let (a, b) = (right(first)?, right(second)?);
        let numbers = |right: &[bool]| -> Vec<f64> {
            right.iter().map(|&is_right| f64::from(u8::from(is_right))).collect()
        };
        let paired = PairedDifference::of(&numbers(&a), &numbers(&b))?;
        let clustered_standard_error = match first.groups() {
            Some(groups) => {
                PairedDifference::clustered(&numbers(&a), &numbers(&b), &groups)?.standard_error()
            }
            None => None,
        };
        let test = McNemar::of(&a, &b)?;
        let disagreements = test.only_first + test.only_second;
        let smallest_detectable_difference = match disagreements {
            0 => None,
            _ => {
                let share = disagreements as f64 / a.len() as f64;
                Some(DetectableDifference::paired_accuracy(share)?.with_items(a.len())?)
            }
        };
        Ok(Self {
            rule,
            item_count: a.len(),
            first_accuracy: first.accuracy(rule)?.accuracy,
            second_accuracy: second.accuracy(rule)?.accuracy,
            difference: paired.difference(),
            standard_error: paired.standard_error(),
            clustered_standard_error,
            only_first: test.only_first,
            only_second: test.only_second,
            mcnemar_p_value: test.p_value(),
            smallest_detectable_difference,
        })
    }
}

fn check_same_items(first: &TaskResult, second: &TaskResult) -> Result<(), TaskError> {
    let refuse = |item, problem: &str| {
        Err(TaskError::Records { item, problem: format!("{problem}: compare the same items") })
    };
    for (&item, options) in first.items() {
        match second.items().get(&item) {
            None => return refuse(item, "only the first result has it"),
            Some(others) if others[0].digest != options[0].digest => {
                return refuse(item, "the two results have different items of this number");
            }
            Some(_) => {}
        }
    }
    match second.items().keys().find(|item| !first.items().contains_key(item)) {
        Some(&item) => refuse(item, "only the second result has it"),
        None => Ok(()),
    }
}
