//! Two results: refused if their contracts forbid it, or compared item by item.

use std::collections::BTreeSet;

use serde::Serialize;

use super::{Comparison, OptionRule, TaskError, TaskResult};
use crate::{Compared, Difference, Refusal};

/// The accuracies of two results by the rule of their contracts, and what to know about them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TaskComparison {
    /// The difference, item by item.
    pub paired: Comparison,
    /// Fields of the contracts that differ and do not matter to it.
    pub differing: Vec<Difference>,
    /// How many independent units there are, in words.
    pub clusters: String,
    /// What to know before believing the difference.
    pub caveats: Vec<String>,
}

/// Compares two results by the rule that both contracts name.
///
/// Results with different rules are refused, and [`TaskResult::by_rule`] converts one: every rule
/// comes from the same records.
///
/// # Errors
/// [`TaskError::NotComparable`] naming every field that spoils the accuracy and the rules by which
/// the two would compare.
pub fn compare(left: &TaskResult, right: &TaskResult) -> Result<TaskComparison, TaskError> {
    let rule = left.contract().conditions().rule;
    let differing = left.contract().differences(right.contract());
    let spoiled_by: Vec<Difference> =
        differing.iter().filter(|difference| rule.is_spoiled_by(difference)).cloned().collect();
    if !spoiled_by.is_empty() {
        let sound = sound_rules(left, right, &differing);
        let shared = shared_items(left, right);
        let refusal = Refusal { measure: rule, spoiled_by, sound, shared };
        return Err(TaskError::NotComparable(Box::new(refusal)));
    }
    let paired = Comparison::of(left.summary(), right.summary(), rule)?;
    Ok(TaskComparison {
        clusters: clusters(left)?,
        caveats: caveats(left, right, &differing),
        paired,
        differing,
    })
}

impl Compared for OptionRule {
    const UNIT: (&'static str, &'static str) = ("item", "conditions.items");

    /// | field | rules that it leaves alone |
    /// | --- | --- |
    /// | model, code, number format, execution | all: they are what is compared |
    /// | tokenizer | all but `token`, whose unit it changes |
    /// | neutral prompt | all but `mutual-information` |
    /// | any other | none |
    fn is_spoiled_by(self, difference: &Difference) -> bool {
        match difference.field.as_str() {
            "subject.model" | "subject.code_version" | "subject.dtype" | "subject.execution" => {
                false
            }
            "subject.tokenizer_sha256" => self == Self::Token,
            "conditions.scoring.neutral_prompt" => self == Self::MutualInformation,
            _ => true,
        }
    }
}

/// Rules by which both results, converted to them, compare.
fn sound_rules(left: &TaskResult, right: &TaskResult, differing: &[Difference]) -> Vec<OptionRule> {
    let remain = |rule: OptionRule| {
        differing.iter().any(|d| d.field != "conditions.rule" && rule.is_spoiled_by(d))
    };
    let of_right: Vec<OptionRule> = right.summary().rules().collect();
    let in_both = left.summary().rules().filter(|rule| of_right.contains(rule));
    in_both.filter(|&rule| !remain(rule)).collect()
}

/// Items of the first that the second has too, repetitions included.
fn shared_items(left: &TaskResult, right: &TaskResult) -> usize {
    let of_right: BTreeSet<&str> = right.summary().digests().collect();
    left.summary().digests().filter(|digest| of_right.contains(digest)).count()
}

fn clusters(result: &TaskResult) -> Result<String, TaskError> {
    let accuracy = result.accuracy()?;
    let items = accuracy.item_count;
    Ok(match accuracy.group_count {
        None => format!("{items} item(s) of no group are {items} independent unit(s)"),
        Some(groups) => format!(
            "{groups} group(s) are {groups} independent unit(s), however many items they have \
             ({items}): use the clustered standard error"
        ),
    })
}

fn caveats(left: &TaskResult, right: &TaskResult, differing: &[Difference]) -> Vec<String> {
    let (a, b) = (left.summary().flagged_count(), right.summary().flagged_count());
    let tokenizers = differing.iter().any(|d| d.field == "subject.tokenizer_sha256");
    if tokenizers && a + b > 0 {
        return vec![format!(
            "tokens span the join of prompt and option {a} and {b} times: under two tokenizers the \
             boundary rule does not score the same text"
        )];
    }
    Vec::new()
}
