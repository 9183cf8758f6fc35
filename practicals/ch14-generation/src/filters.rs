//! A distribution before and after each filter.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::model::{Distribution, Filters, ModelError};
use serde::Serialize;

/// A token's probabilities; nothing where a filter has removed it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FilterRow {
    /// The token.
    pub token: String,
    /// Its logit, minus the largest one.
    #[serde(serialize_with = "six_decimals")]
    pub logit: f64,
    /// Before any filter: `softmax(logits)`.
    #[serde(serialize_with = "six_decimals")]
    pub before: f64,
    /// Behind the temperature alone.
    #[serde(serialize_with = "six_decimals")]
    pub temperature: Option<f64>,
    /// Behind top-k alone.
    #[serde(serialize_with = "six_decimals")]
    pub top_k: Option<f64>,
    /// Behind top-p alone.
    #[serde(serialize_with = "six_decimals")]
    pub top_p: Option<f64>,
    /// Behind all three, in this order.
    #[serde(serialize_with = "six_decimals")]
    pub all: Option<f64>,
}

/// Every candidate, from the most to the least likely.
///
/// # Errors
/// Logits that are no distribution, or a filter that cannot be.
pub fn filter_table(
    logits: &[f64],
    filters: Filters,
    name: impl Fn(u32) -> String,
) -> Result<Vec<FilterRow>, ModelError> {
    let before = Distribution::from_logits(logits)?;
    let off = Filters::default();
    let alone = [
        Filters { temperature: filters.temperature, ..off },
        Filters { top_k: filters.top_k, ..off },
        Filters { top_p: filters.top_p, ..off },
        filters,
    ];
    let apply = |filters: Filters| filters.apply(before.clone());
    let after = alone.into_iter().map(apply).collect::<Result<Vec<_>, _>>()?;
    let rows = before.candidates().iter().map(|candidate| {
        // Each filter keeps a beginning of the same list, in the same order.
        let in_filter = |i: usize| {
            let kept = after[i].candidates().iter().find(|kept| kept.id == candidate.id);
            kept.map(|kept| kept.probability)
        };
        FilterRow {
            token: name(candidate.id),
            logit: candidate.logit,
            before: candidate.probability,
            temperature: in_filter(0),
            top_k: in_filter(1),
            top_p: in_filter(2),
            all: in_filter(3),
        }
    });
    Ok(rows.collect())
}
