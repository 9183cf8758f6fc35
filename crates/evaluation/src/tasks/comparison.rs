//! Two models, or two ways of asking one, on the same items.
//!
//! Items that are hard for one model are hard for the other. What tells the models apart are the
//! items on which only one of them is right: their difference is the difference in accuracy, and
//! McNemar's exact test says how often a fair coin would split them so unevenly.

use std::collections::BTreeMap;

use llm_metrics::{DetectableDifference, McNemar, PairedDifference};
use serde::Serialize;

use super::{OptionRule, TaskError, TaskSummary};

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
    /// Compares two summaries under one rule, whatever else is different between them: two prompts of
    /// one model, for instance. For results with contracts, [`compare`](super::compare) looks first.
    ///
    /// # Errors
    /// [`TaskError::Records`] naming the first item, by content, that only one of them has; otherwise
    /// as [`TaskSummary::accuracy`].
    pub fn of(
        first: &TaskSummary,
        second: &TaskSummary,
        rule: OptionRule,
    ) -> Result<Self, TaskError> {
        let pairs = pairs(first, second)?;
        let (a, b): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        let right = |summary: &TaskSummary, items: &[usize]| -> Result<Vec<bool>, TaskError> {
            let choices = summary.choices(rule)?;
            let right: BTreeMap<usize, bool> =
                choices.iter().map(|choice| (choice.item, choice.is_right)).collect();
            Ok(items.iter().map(|item| right[item]).collect())
        };
        let groups = first.groups().map(|groups| -> Vec<_> {
            let by_item: BTreeMap<_, _> = first.items().keys().zip(groups).collect();
            a.iter().map(|item| by_item[item]).collect()
        });
        let (a, b) = (right(first, &a)?, right(second, &b)?);
        let numbers = |right: &[bool]| -> Vec<f64> {
            right.iter().map(|&is_right| f64::from(u8::from(is_right))).collect()
        };
        let paired = PairedDifference::of(&numbers(&a), &numbers(&b))?;
        let clustered_standard_error = match groups {
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

/// Numbers of the same item in both, by content: the order of the items does not matter.
fn pairs(first: &TaskSummary, second: &TaskSummary) -> Result<Vec<(usize, usize)>, TaskError> {
    let (a, b) = (by_content(first), by_content(second));
    let refuse = |item, which: &str| {
        let problem = format!("only the {which} result has it: compare the same items");
        Err(TaskError::Records { item, problem })
    };
    let mut pairs = Vec::with_capacity(a.len());
    for place in 0..a.len().max(b.len()) {
        match (a.get(place), b.get(place)) {
            (Some((x, item)), Some((y, other))) if x == y => pairs.push((*item, *other)),
            (Some((x, item)), Some((y, _))) if x < y => return refuse(*item, "first"),
            (Some((_, item)), None) => return refuse(*item, "first"),
            (_, Some((_, item))) => return refuse(*item, "second"),
            (None, None) => {}
        }
    }
    Ok(pairs)
}

/// Digest and number of each item, sorted.
fn by_content(summary: &TaskSummary) -> Vec<(&str, usize)> {
    let numbers = summary.items().keys().copied();
    let mut items: Vec<(&str, usize)> = summary.digests().zip(numbers).collect();
    items.sort_unstable();
    items
}
