//! The standard error of a mean, also where items come in groups.
//!
//! For n values with mean m:
//!
//! ```text
//! independent items   sqrt( sum (x_i - m)^2 / (n (n - 1)) )
//! G groups            sqrt( G/(G-1) * sum over groups of (sum in group of (x_i - m))^2 ) / n
//! ```
//!
//! Ten questions about one passage are not ten independent items: whoever misreads the passage
//! fails several of them. The grouped form adds the deviations inside a group before squaring, so
//! deviations that go together count more, and what is left to average over are the groups. With
//! every item in a group of its own both forms are the same number.
//!
//! Both shrink with the number of items (or groups), and with nothing else.
//!
//! Sources: Liang and Zeger, *Longitudinal data analysis using generalized linear models* (1986);
//! for evaluations Miller, *Adding error bars to evals* (2024), <https://arxiv.org/abs/2411.00640>.
//! The factor `G/(G-1)` is the usual correction for few groups (Cameron and Miller 2015).

use crate::{ExactSum, MetricError};
use std::collections::BTreeMap;

/// A mean and how far it may be from the mean of all items that could have been asked, in the
/// unit of the values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanEstimate {
    /// Arithmetic mean of the items.
    pub mean: f64,
    /// Standard error of the mean. `None` where one item or one group leaves nothing to estimate
    /// it from: a 0 would claim certainty.
    pub standard_error: Option<f64>,
    /// Items n.
    pub item_count: usize,
    /// Independent units: groups, or the items themselves.
    pub unit_count: usize,
}

/// The mean of independent items.
///
/// # Errors
/// [`MetricError::NoValues`] without values, [`MetricError::NonFiniteValue`] with the index of one
/// that is infinite or NaN, [`MetricError::StatisticOverflow`] if the squares exceed `f64`.
///
/// # Example
/// ```
/// let estimate = llm_metrics::mean_estimate(&[1.0, 2.0, 6.0])?;
/// assert_eq!(estimate.mean, 3.0);
/// // deviations -2, -1, 3: 14 / (3 * 2)
/// assert_eq!(estimate.standard_error, Some((14.0_f64 / 6.0).sqrt()));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn mean_estimate(values: &[f64]) -> Result<MeanEstimate, MetricError> {
    let mean = checked_mean(values)?;
    estimate(mean, values.len(), values.iter().map(|value| value - mean))
}

/// The mean of items that come in groups; `groups[i]` names the group of `values[i]`.
///
/// # Errors
/// As [`mean_estimate`], and [`MetricError::OutOfRange`] if there is not one group per value.
///
/// # Example
/// ```
/// // Two passages with two questions each: both right, both wrong.
/// let right = [1.0, 1.0, 0.0, 0.0];
/// let by_passage = llm_metrics::clustered_mean(&right, &["a", "a", "b", "b"])?;
/// assert_eq!((by_passage.mean, by_passage.unit_count), (0.5, 2));
/// // group sums of deviations 1 and -1: sqrt(2/1 * 2) / 4
/// assert_eq!(by_passage.standard_error, Some(0.5));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn clustered_mean<G: Ord>(values: &[f64], groups: &[G]) -> Result<MeanEstimate, MetricError> {
    if groups.len() != values.len() {
        let (value, expected) = (groups.len() as f64, "one per value");
        return Err(MetricError::OutOfRange { what: "the number of group names", value, expected });
    }
    let mean = checked_mean(values)?;
    let mut deviations: BTreeMap<&G, ExactSum> = BTreeMap::new();
    for (value, group) in values.iter().zip(groups) {
        deviations.entry(group).or_default().add(value - mean);
    }
    estimate(mean, values.len(), deviations.values().map(ExactSum::value))
}

/// [`clustered_mean`] for groups of which only the total and the number of items are known: one
/// number per document instead of one per token.
///
/// # Errors
/// [`MetricError::NoValues`] without an item, [`MetricError::OutOfRange`] if there is not one count
/// per total, [`MetricError::StatisticOverflow`] if the squares exceed `f64`.
///
/// # Example
/// ```
/// // The passages of [`clustered_mean`](llm_metrics::clustered_mean): 2 of 2 right, 0 of 2 right.
/// let by_passage = llm_metrics::pooled_mean(&[2.0, 0.0], &[2, 2])?;
/// assert_eq!((by_passage.mean, by_passage.standard_error), (0.5, Some(0.5)));
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn pooled_mean(totals: &[f64], counts: &[usize]) -> Result<MeanEstimate, MetricError> {
    if counts.len() != totals.len() {
        let (value, expected) = (counts.len() as f64, "one per total");
        return Err(MetricError::OutOfRange { what: "the number of counts", value, expected });
    }
    let item_count = counts.iter().fold(0_usize, |sum, &count| sum.saturating_add(count));
    if item_count == 0 {
        return Err(MetricError::NoValues);
    }
    let mean = totals.iter().copied().collect::<ExactSum>().value() / item_count as f64;
    let deviations = totals.iter().zip(counts).map(|(total, &count)| total - mean * count as f64);
    estimate(mean, item_count, deviations)
}

/// The estimate from one sum of deviations per independent unit.
fn estimate(
    mean: f64,
    item_count: usize,
    unit_deviations: impl ExactSizeIterator<Item = f64>,
) -> Result<MeanEstimate, MetricError> {
    let unit_count = unit_deviations.len();
    if unit_count < 2 {
        return Ok(MeanEstimate { mean, standard_error: None, item_count, unit_count });
    }
    let squares: ExactSum = unit_deviations.map(|deviation| deviation * deviation).collect();
    let (n, units) = (item_count as f64, unit_count as f64);
    let standard_error = (squares.value() / (n * n) * (units / (units - 1.0))).sqrt();
    if !standard_error.is_finite() {
        return Err(MetricError::StatisticOverflow { count: item_count });
    }
    let standard_error = Some(standard_error);
    Ok(MeanEstimate { mean, standard_error, item_count, unit_count })
}

/// The mean of finite values; between the smallest and the largest also after rounding, so that
/// equal values have exactly no spread.
pub(super) fn checked_mean(values: &[f64]) -> Result<f64, MetricError> {
    Ok(crate::seed_summary(values)?.mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_one_are_independent_items() {
        let values = [0.3, 1.7, -2.0, 0.25, 9.0];
        let independent = mean_estimate(&values).unwrap();
        let grouped = clustered_mean(&values, &[4, 2, 0, 1, 3]).unwrap();
        assert_eq!(grouped.unit_count, independent.unit_count);
        let (left, right) = (grouped.standard_error.unwrap(), independent.standard_error.unwrap());
        assert!((left / right - 1.0).abs() < 1e-15);
    }

    #[test]
    fn copies_of_every_item_add_nothing_if_they_are_grouped() {
        // Each item three times: treated as 6 items the error shrinks, as 2 groups it does not.
        let single = mean_estimate(&[1.0, 5.0]).unwrap().standard_error.unwrap();
        assert_eq!(single, 2.0); // sqrt((4 + 4) / 2)
        let copies = [1.0, 1.0, 1.0, 5.0, 5.0, 5.0];
        let grouped = clustered_mean(&copies, &[0, 0, 0, 1, 1, 1]).unwrap();
        assert!((grouped.standard_error.unwrap() - single).abs() < 1e-15);
        assert!(mean_estimate(&copies).unwrap().standard_error.unwrap() < 0.5 * single);
    }

    #[test]
    fn opposite_deviations_in_a_group_cancel() {
        let estimate = clustered_mean(&[1.0, -1.0, 2.0, -2.0], &["x", "x", "y", "y"]).unwrap();
        assert_eq!(estimate.standard_error, Some(0.0));
    }

    #[test]
    fn totals_of_groups_say_as_much_as_their_items() {
        let by_item = clustered_mean(&[1.0, 2.0, 6.0, 0.5, 0.25], &[0, 0, 1, 2, 2]).unwrap();
        let by_total = pooled_mean(&[3.0, 6.0, 0.75], &[2, 1, 2]).unwrap();
        assert_eq!((by_item.mean, by_item.item_count), (by_total.mean, by_total.item_count));
        let [left, right] = [by_item, by_total].map(|e| e.standard_error.unwrap());
        assert!((left - right).abs() < 1e-15, "{left} {right}");
        assert_eq!(pooled_mean(&[7.0], &[2]).unwrap().standard_error, None);
        assert_eq!(pooled_mean(&[], &[]), Err(MetricError::NoValues));
        assert!(pooled_mean(&[1.0], &[]).is_err());
    }

    #[test]
    fn one_item_or_one_group_shows_no_spread() {
        assert_eq!(mean_estimate(&[7.0]).unwrap().standard_error, None);
        let one_group = clustered_mean(&[1.0, 2.0], &[0, 0]).unwrap();
        assert_eq!((one_group.mean, one_group.standard_error), (1.5, None));
        assert_eq!((one_group.item_count, one_group.unit_count), (2, 1));
    }

    #[test]
    fn values_without_a_mean_are_refused() {
        assert_eq!(mean_estimate(&[]), Err(MetricError::NoValues));
        let nan = mean_estimate(&[1.0, f64::NAN]);
        assert!(matches!(nan, Err(MetricError::NonFiniteValue { index: 1, .. })));
        assert!(clustered_mean(&[1.0, 2.0], &[0]).is_err());
        let overflow = clustered_mean(&[1e200, -1e200], &[0, 1]);
        assert_eq!(overflow, Err(MetricError::StatisticOverflow { count: 2 }));
    }
}
