//! Accuracy, from records alone.
//!
//! Two numbers say how often a model is right. *Accuracy* chooses the option with the highest score,
//! among equal ones the lowest number; *fractional accuracy* gives an answer that shares the highest
//! score with others its fair part, so that it does not matter in which order options are listed.
//! Where no scores are equal, both are the same.
//!
//! A number of n right answers is a sample: the standard error says how far it may be from what
//! more items of the same kind would show. If items come in groups, the clustered one is right.

use std::collections::BTreeMap;

use llm_metrics::{
    Choice, DetectableDifference, Proportion, chance_centred, chance_level, clustered_mean,
    mean_estimate,
};
use serde::{Deserialize, Serialize};

use super::{ItemSet, Join, OptionRecord, OptionRule, TaskError};
use crate::json_lines::JsonRecord;

/// Confidence of the intervals in a result.
const CONFIDENCE: f64 = 0.95;

/// The records of a pass, by item and option, and what follows from them.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskSummary {
    items: BTreeMap<usize, Vec<OptionRecord>>,
}

/// What a model answered to one item, by one rule.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ItemChoice {
    /// Number of the item.
    pub item: usize,
    /// The score of each option.
    pub scores: Vec<f64>,
    /// The option with the highest score, the lowest number among equal ones.
    pub chosen: usize,
    /// Other options with exactly the same score.
    pub ties: usize,
    /// Whether the chosen option is right.
    pub is_right: bool,
    /// 1 / (options with the highest score) if the answer is one of them, else 0.
    pub credit: f64,
}

/// How often a model was right by one rule, and how sure that is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleResult {
    /// The rule.
    pub rule: OptionRule,
    /// Items n.
    pub item_count: usize,
    /// Items whose chosen option is right.
    pub right_count: usize,
    /// Right items over all items.
    pub accuracy: f64,
    /// Binomial standard error of the accuracy, `sqrt(p (1 - p) / n)`.
    pub standard_error: f64,
    /// Wilson interval of the accuracy at 95 %: lower and upper end.
    pub wilson_interval: [f64; 2],
    /// Number of groups, items without one counting as groups of their own; `None` if no item has
    /// one.
    pub group_count: Option<usize>,
    /// Standard error of the accuracy with groups as the independent units; `None` without groups
    /// and for a single one.
    pub clustered_standard_error: Option<f64>,
    /// Mean fractional credit.
    pub fractional_accuracy: f64,
    /// Standard error of the fractional accuracy over items; `None` for a single item.
    pub fractional_standard_error: Option<f64>,
    /// Items in which several options share the highest score.
    pub tie_count: usize,
    /// Expected accuracy of guessing.
    pub chance_level: f64,
    /// Fractional accuracy on a scale where guessing is 0 and perfection 1.
    pub chance_centred: f64,
    /// The smallest true difference between two models that so many items, different ones for each
    /// model, would show with 80 % probability at 5 % significance; for accuracies near one half,
    /// where it is largest.
    pub smallest_detectable_difference: f64,
}

impl TaskSummary {
    /// Takes the records of a pass, in any order.
    ///
    /// # Errors
    /// [`TaskError::Score`] for a record that no model can have given; [`TaskError::Records`] for
    /// an item with missing or repeated options, not exactly one answer, or records of different
    /// items.
    pub fn from_records(
        records: impl IntoIterator<Item = OptionRecord>,
    ) -> Result<Self, TaskError> {
        let mut items: BTreeMap<usize, Vec<OptionRecord>> = BTreeMap::new();
        for (line, record) in (1..).zip(records) {
            record.check_at(line)?;
            items.entry(record.item).or_default().push(record);
        }
        for (&item, options) in &mut items {
            options.sort_by_key(|record| record.option);
            check_item(options).map_err(|problem| TaskError::Records { item, problem })?;
        }
        Ok(Self { items })
    }

    /// Number of items.
    pub fn item_count(&self) -> usize {
        self.items.len()
    }

    /// The items, as a contract names them.
    pub fn item_set(&self) -> ItemSet {
        ItemSet::of_digests(self.digests().map(str::to_owned).collect())
    }

    /// The digest of each item, by its number.
    pub(super) fn digests(&self) -> impl Iterator<Item = &str> {
        self.items.values().map(|options| options[0].digest.as_str())
    }

    /// All records, by item and option.
    pub fn records(&self) -> impl Iterator<Item = &OptionRecord> {
        self.items.values().flatten()
    }

    /// The options of each item, by its number.
    pub(super) fn items(&self) -> &BTreeMap<usize, Vec<OptionRecord>> {
        &self.items
    }

    /// Options that did not join their prompt cleanly: their scores depend on the boundary rule.
    pub fn flagged_count(&self) -> usize {
        self.records().filter(|record| record.join != Join::Clean).count()
    }

    /// The rules that these records have scores for: all, or all but the mutual information.
    pub fn rules(&self) -> impl Iterator<Item = OptionRule> {
        let scored = |rule: &OptionRule| self.records().all(|r| rule.score(r).is_some());
        OptionRule::ALL.into_iter().filter(scored)
    }

    /// What was answered to each item, by its number.
    ///
    /// # Errors
    /// [`TaskError::Records`] for the mutual information without neutral scores.
    pub fn choices(&self, rule: OptionRule) -> Result<Vec<ItemChoice>, TaskError> {
        let mut choices = Vec::with_capacity(self.items.len());
        for (&item, options) in &self.items {
            let scores: Option<Vec<f64>> = options.iter().map(|r| rule.score(r)).collect();
            let scores = scores.ok_or_else(|| TaskError::Records {
                item,
                problem: format!("no neutral scores, which {rule} needs: give a neutral prompt"),
            })?;
            let choice = Choice::among(&scores)?;
            let answer = answer(options);
            choices.push(ItemChoice {
                item,
                chosen: choice.first(),
                ties: choice.tie_count(),
                is_right: choice.first() == answer,
                credit: choice.credit(answer)?,
                scores,
            });
        }
        Ok(choices)
    }

    /// The result by one rule.
    ///
    /// # Errors
    /// As [`choices`](Self::choices), and [`TaskError::Metric`] without items.
    pub fn accuracy(&self, rule: OptionRule) -> Result<RuleResult, TaskError> {
        let choices = self.choices(rule)?;
        let right_count = choices.iter().filter(|choice| choice.is_right).count();
        let proportion = Proportion::new(right_count, choices.len())?;
        let interval = proportion.wilson_interval(CONFIDENCE)?;
        let right: Vec<f64> = choices.iter().map(|c| f64::from(u8::from(c.is_right))).collect();
        let clustered = match self.groups() {
            Some(groups) => Some(clustered_mean(&right, &groups)?),
            None => None,
        };
        let credits: Vec<f64> = choices.iter().map(|choice| choice.credit).collect();
        let fractional = mean_estimate(&credits)?;
        let option_counts: Vec<usize> = self.items.values().map(Vec::len).collect();
        let chance = chance_level(&option_counts)?;
        let detectable = DetectableDifference::unpaired_accuracy(0.5)?;
        Ok(RuleResult {
            rule,
            item_count: choices.len(),
            right_count,
            accuracy: proportion.share(),
            standard_error: proportion.standard_error(),
            wilson_interval: [interval.lower, interval.upper],
            group_count: clustered.map(|estimate| estimate.unit_count),
            clustered_standard_error: clustered.and_then(|estimate| estimate.standard_error),
            fractional_accuracy: fractional.mean,
            fractional_standard_error: fractional.standard_error,
            tie_count: choices.iter().filter(|choice| choice.ties > 0).count(),
            chance_level: chance,
            chance_centred: chance_centred(fractional.mean, chance)?,
            smallest_detectable_difference: detectable.with_items(choices.len())?,
        })
    }

    /// The group of each item, by its number; `None` if none has one.
    pub(super) fn groups(&self) -> Option<Vec<Group<'_>>> {
        let groups: Vec<Group<'_>> = self.items.iter().map(Group::of).collect();
        groups.iter().any(|group| matches!(group, Group::Named(_))).then_some(groups)
    }
}

/// The independent unit that an item belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Group<'a> {
    /// A group of the items.
    Named(&'a str),
    /// An item of no group, alone.
    Single(usize),
}

impl<'a> Group<'a> {
    fn of((&item, options): (&usize, &'a Vec<OptionRecord>)) -> Self {
        options[0].group.as_deref().map_or(Self::Single(item), Self::Named)
    }
}

/// Number of the right option.
fn answer(options: &[OptionRecord]) -> usize {
    options.iter().position(|r| r.is_answer).expect("every item was checked to have an answer")
}

/// Refuses options, sorted by number, that are not those of one item.
fn check_item(options: &[OptionRecord]) -> Result<(), String> {
    if let Some(place) = (0..options.len()).find(|&place| options[place].option != place) {
        let given = options[place].option;
        let fault = if given > place { "is missing" } else { "comes twice" };
        return Err(format!("option {} {fault}", given.min(place)));
    }
    if options.len() < 2 {
        return Err("has one option, expected at least 2".to_owned());
    }
    let answers = options.iter().filter(|record| record.is_answer).count();
    if answers != 1 {
        return Err(format!("{answers} options are the answer, expected 1"));
    }
    let same = |r: &OptionRecord| (&r.digest, &r.group) == (&options[0].digest, &options[0].group);
    match options.iter().find(|record| !same(record)) {
        Some(other) => Err(format!(
            "options 0 and {} have different digests or groups, expected records of one item",
            other.option
        )),
        None => Ok(()),
    }
}
