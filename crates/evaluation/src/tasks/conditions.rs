//! How a multiple-choice number is measured: the conditions of a [`TaskContract`].

use llm_corpus::Partition;
use serde::{Deserialize, Serialize};

use super::{BoundaryRule, FewShot, OptionRule, OptionScoring, TaskItem};
use crate::sha256::{is_sha256, sha256_hex};
use crate::{Contract, ContractError, Rules};

/// The contract of a result on multiple-choice items.
pub type TaskContract = Contract<TaskConditions>;

/// The items, and every rule from their text to an accuracy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskConditions {
    /// What the items may be used for.
    pub split: Partition,
    /// Which items.
    pub items: ItemSet,
    /// The prompt's template, and number and seed of the examples in it; `None` if the prompt is the
    /// item's context and nothing else.
    #[serde(deserialize_with = "Option::deserialize")] // null must be written
    pub few_shot: Option<FewShot>,
    /// The items that examples are drawn from; `None` without `few_shot`.
    #[serde(deserialize_with = "Option::deserialize")]
    pub pool: Option<ItemSet>,
    /// How prompts and options become ids, and the neutral prompt.
    pub scoring: OptionScoring,
    /// The rule whose accuracy is the result. It is chosen before the scoring; the other rules come
    /// from the same pass and are reported beside it.
    pub rule: OptionRule,
    /// Whether features were dropped at random while scoring.
    pub dropout: bool,
}

/// A set of items without their texts, in no order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ItemSet {
    /// Items, repetitions included.
    pub count: usize,
    /// SHA-256 of all [`TaskItem::digest`]s, sorted, with a line end behind each.
    pub sha256: String,
}

impl ItemSet {
    /// Of these items.
    pub fn of(items: &[TaskItem]) -> Self {
        Self::of_digests(items.iter().map(TaskItem::digest).collect())
    }

    pub(super) fn of_digests(mut digests: Vec<String>) -> Self {
        digests.sort_unstable();
        let lines: String = digests.iter().flat_map(|digest| [digest, "\n"]).collect();
        Self { count: digests.len(), sha256: sha256_hex(lines.as_bytes()) }
    }

    fn check(&self, field: &str) -> Result<(), ContractError> {
        if is_sha256(&self.sha256) {
            return Ok(());
        }
        let problem = format!("is {:?}, expected 64 lower-case hexadecimal digits", self.sha256);
        Err(ContractError::invalid(&format!("{field}.sha256"), problem))
    }
}

impl TaskConditions {
    /// The conditions under which [`score_options`](super::score_options) scores plain questions.
    pub fn new(
        split: Partition,
        items: &[TaskItem],
        scoring: OptionScoring,
        rule: OptionRule,
    ) -> Self {
        let items = ItemSet::of(items);
        Self { split, items, few_shot: None, pool: None, scoring, rule, dropout: false }
    }

    /// The same behind examples from a pool.
    #[must_use]
    pub fn with_few_shot(self, few_shot: FewShot, pool: &[TaskItem]) -> Self {
        Self { few_shot: Some(few_shot), pool: Some(ItemSet::of(pool)), ..self }
    }
}

impl Rules for TaskConditions {
    fn split(&self) -> Partition {
        self.split
    }

    fn checked(self) -> Result<Self, ContractError> {
        let refuse = |field, problem: &str| Err(ContractError::invalid(field, problem));
        let Self { items, few_shot, pool, scoring, rule, .. } = &self;
        items.check("conditions.items")?;
        if items.count == 0 {
            return refuse("conditions.items.count", "is 0, expected at least one item");
        }
        match (few_shot, pool) {
            (None, None) => {}
            (Some(few_shot), Some(pool)) => {
                pool.check("conditions.pool")?;
                let (shots, most) = (few_shot.shots, pool.count);
                if shots > most {
                    let problem = format!("is {shots}, the pool has {most} items");
                    return refuse("conditions.few_shot.shots", &problem);
                }
            }
            _ => return refuse("conditions.pool", "belongs to few_shot: give both or none"),
        }
        if *rule == OptionRule::MutualInformation && scoring.neutral_prompt.is_none() {
            let problem = "is mutual-information, but conditions.scoring.neutral_prompt is null";
            return refuse("conditions.rule", problem);
        }
        Ok(self)
    }

    fn signature(&self) -> String {
        let Self { split, items, few_shot, scoring, rule, dropout, .. } = self;
        let shots = match few_shot {
            None => "none".to_owned(),
            Some(FewShot { shots, seed, .. }) => format!("{shots}/seed-{seed}"),
        };
        let boundary = match scoring.boundary {
            BoundaryRule::Separate => "separate",
            BoundaryRule::BackOff => "back-off",
        };
        let neutral = if scoring.neutral_prompt.is_some() { "given" } else { "none" };
        let dropout = if *dropout { "on" } else { "off" };
        format!(
            "split:{split}|items:{}|rule:{rule}|shots:{shots}|start:{}|boundary:{boundary}|\
             neutral:{neutral}|dropout:{dropout}",
            items.count,
            scoring.start_token.name(),
        )
    }
}
