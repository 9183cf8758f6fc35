//! MAUVE: are two sets of texts drawn from the same distribution?
//!
//! One number per text cannot tell whether a *set* of texts is like another. MAUVE asks that: make a
//! vector of every text (see [`hashed_byte_ngrams`](crate::hashed_byte_ngrams); any function will
//! do), cluster the vectors of both sets together, and compare the two histograms over clusters by
//! the area below their [divergence frontier](crate::divergence_frontier).
//!
//! The value depends on the feature function, the number of clusters, the number of texts (small
//! sets look different by chance alone) and the seed of the clustering. Only values made with the
//! same plan on sets of the same size compare, and only with their spread over seeds beside them.
//!
//! Source: Pillutla and others, *MAUVE: measuring the gap between neural text and human text using
//! divergence frontiers* (2021), <https://arxiv.org/abs/2102.01454>. Left out: the reduction of the
//! dimension by principal components, which short vectors do not need.

use crate::{
    DivergenceFrontier, MetricError, SeedSummary, divergence_frontier, k_means, seed_summary,
};

/// Everything beside the vectors that a value depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MauvePlan {
    /// Clusters of both sets together.
    pub clusters: usize,
    /// Scaling c of the divergences; 5 in the paper.
    pub scaling: f64,
    /// Seed of the clustering.
    pub seed: u64,
}

impl MauvePlan {
    /// The authors' choice: one cluster for ten texts of the smaller set, at least 2, and c = 5.
    pub fn for_sizes(p_count: usize, q_count: usize, seed: u64) -> Self {
        let clusters = (p_count.min(q_count) as f64 / 10.0).round() as usize;
        Self { clusters: clusters.max(2), scaling: 5.0, seed }
    }
}

/// What was compared, and the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Mauve {
    /// Share of the first set in each cluster, `[clusters]`.
    pub p_histogram: Vec<f64>,
    /// The same of the second set.
    pub q_histogram: Vec<f64>,
    /// The curve; its area is the value.
    pub frontier: DivergenceFrontier,
}

impl Mauve {
    /// From near 0 (nothing in common) to 1 (the same histograms).
    pub fn value(&self) -> f64 {
        self.frontier.area
    }
}

/// Compares two sets of vectors, `[texts][dimensions]`.
///
/// # Errors
/// [`MetricError::NoValues`] for an empty set, otherwise as [`k_means`] for the vectors of both
/// sets together and [`divergence_frontier`] for the scaling.
///
/// # Example
/// ```
/// use llm_metrics::{MauvePlan, hashed_byte_ngrams, mauve};
///
/// let vectors = |texts: &[&str]| -> Result<Vec<_>, _> {
///     texts.iter().map(|text| hashed_byte_ngrams(text.as_bytes(), 2, 32)).collect()
/// };
/// let people = vectors(&["the cat sat", "the cat ran", "a dog sat", "a dog ran"])?;
/// let noise = vectors(&["xq xq xq xq", "zzv zzv zzv", "qqq xxx qqq", "vx vx vx vx"])?;
/// let plan = MauvePlan::for_sizes(4, 4, 0);
/// assert_eq!(mauve(&people, &people, plan)?.value(), 1.0);
/// assert!(mauve(&people, &noise, plan)?.value() < 0.1);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn mauve(p: &[Vec<f64>], q: &[Vec<f64>], plan: MauvePlan) -> Result<Mauve, MetricError> {
    if p.is_empty() || q.is_empty() {
        return Err(MetricError::NoValues);
    }
    let together: Vec<Vec<f64>> = p.iter().chain(q).cloned().collect();
    let clustering = k_means(&together, plan.clusters, plan.seed)?;
    let (of_p, of_q) = clustering.assignments.split_at(p.len());
    let p_histogram = histogram(of_p, clustering.cluster_count);
    let q_histogram = histogram(of_q, clustering.cluster_count);
    let frontier = divergence_frontier(&p_histogram, &q_histogram, plan.scaling)?;
    Ok(Mauve { p_histogram, q_histogram, frontier })
}

/// Values of one comparison clustered from several seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct MauveSpread {
    /// One value for each seed, in the order of the seeds.
    pub values: Vec<f64>,
    /// Their mean and spread. The spread is that of the clustering alone; other texts from the same
    /// models would differ more.
    pub summary: SeedSummary,
}

/// [`mauve`] with the plan's seed replaced by each of `seeds`.
///
/// # Errors
/// As [`mauve`]; [`MetricError::NoValues`] without seeds.
pub fn mauve_over_seeds(
    p: &[Vec<f64>],
    q: &[Vec<f64>],
    plan: MauvePlan,
    seeds: &[u64],
) -> Result<MauveSpread, MetricError> {
    let of = |&seed: &u64| Ok(mauve(p, q, MauvePlan { seed, ..plan })?.value());
    let values = seeds.iter().map(of).collect::<Result<Vec<_>, _>>()?;
    let summary = seed_summary(&values)?;
    Ok(MauveSpread { values, summary })
}

fn histogram(assignments: &[usize], clusters: usize) -> Vec<f64> {
    let mut counts = vec![0usize; clusters];
    assignments.iter().for_each(|&cluster| counts[cluster] += 1);
    counts.iter().map(|&count| count as f64 / assignments.len() as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[f64]) -> Vec<Vec<f64>> {
        values.iter().map(|&value| vec![value]).collect()
    }

    #[test]
    fn sets_of_different_size_and_the_same_shares_are_alike() {
        // Half near 0 and half near 10, in both.
        let (p, q) = (line(&[0.0, 10.0]), line(&[0.1, 9.9, 10.1, -0.1]));
        let found = mauve(&p, &q, MauvePlan::for_sizes(2, 4, 3)).unwrap();
        assert_eq!(found.value(), 1.0);
        assert_eq!((found.p_histogram, found.q_histogram), (vec![0.5; 2], vec![0.5; 2]));
    }

    #[test]
    fn a_missing_mode_costs_as_much_as_the_histograms_say() {
        // P has both modes, Q only one: histograms (1/2, 1/2) and (1, 0) in some order.
        let (p, q) = (line(&[0.0, 10.0]), line(&[0.1, -0.1]));
        let found = mauve(&p, &q, MauvePlan::for_sizes(2, 2, 0)).unwrap();
        let expected = divergence_frontier(&[0.5, 0.5], &[1.0, 0.0], 5.0).unwrap();
        assert_eq!(found.value(), expected.area);
        assert!(found.value() < 0.5, "{}", found.value());
    }

    #[test]
    fn the_spread_is_over_the_given_seeds_and_nothing_is_compared_with_nothing() {
        let (p, q) = (line(&[0.0, 1.0, 5.0]), line(&[0.5, 4.0, 9.0]));
        let plan = MauvePlan { clusters: 3, scaling: 5.0, seed: 99 };
        let spread = mauve_over_seeds(&p, &q, plan, &[1, 2, 3, 4]).unwrap();
        assert_eq!(spread.values.len(), 4);
        let third = mauve(&p, &q, MauvePlan { seed: 3, ..plan }).unwrap().value();
        assert_eq!(spread.values[2], third);
        assert_eq!(mauve(&p, &[], plan), Err(MetricError::NoValues));
        assert_eq!(mauve_over_seeds(&p, &q, plan, &[]), Err(MetricError::NoValues));
    }

    #[test]
    fn the_authors_rule_gives_a_cluster_for_ten_texts() {
        let clusters = |p, q| MauvePlan::for_sizes(p, q, 0).clusters;
        assert_eq!((clusters(4, 9), clusters(200, 64), clusters(500, 500)), (2, 6, 50));
    }
}
