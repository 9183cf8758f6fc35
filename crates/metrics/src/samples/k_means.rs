//! k-means: vectors to a few clusters, so that a cloud becomes a histogram.
//!
//! Start with k centres, give each vector to its nearest centre, move each centre to the mean of its
//! vectors, and repeat until no vector changes its centre. The start decides which of many local
//! optima is found; k-means++ draws each next centre with probability proportional to the squared
//! distance from the nearest one so far.
//!
//! The vectors are first put in ascending order, so the result does not depend on the order in which
//! they are given, and every sum runs in that order, so it is the same bits everywhere.
//!
//! Sources: Lloyd, *Least squares quantization in PCM* (1982); Arthur and Vassilvitskii, *k-means++:
//! the advantages of careful seeding* (2007).

use crate::{MetricError, SplitMix64};
use std::cmp::Ordering;
use std::num::NonZeroUsize;

/// Rounds after which the centres are taken as they are. Our choice; the lessons need about ten.
const MAX_ROUNDS: usize = 500;

/// Which vector belongs to which cluster.
#[derive(Clone, Debug, PartialEq)]
pub struct Clustering {
    /// The cluster of each given vector.
    pub assignments: Vec<usize>,
    /// Clusters: k, or the number of different vectors if that is smaller. Some may be empty.
    pub cluster_count: usize,
    /// Sum of the squared distances from the vectors to the centres they were given to.
    pub squared_error: f64,
}

/// Groups `points`, vectors of equal dimension, into at most `k` clusters.
///
/// # Errors
/// [`MetricError::NoValues`] without points, [`MetricError::OutOfRange`] for k = 0 or points of
/// different dimensions, [`MetricError::NonFiniteValue`] with the number of a point that is not
/// finite.
///
/// # Example
/// ```
/// let points = [vec![9.0], vec![0.0], vec![10.0], vec![1.0]];
/// let found = llm_metrics::k_means(&points, 2, 7)?;
/// assert_eq!(found.assignments[0], found.assignments[2]); // 9 and 10
/// assert_eq!(found.assignments[1], found.assignments[3]); // 0 and 1
/// assert_eq!(found.squared_error, 1.0); // four times 0.5 squared
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn k_means(points: &[Vec<f64>], k: usize, seed: u64) -> Result<Clustering, MetricError> {
    check(points, k)?;
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by(|&a, &b| compare(&points[a], &points[b]));
    let sorted: Vec<&[f64]> = order.iter().map(|&point| points[point].as_slice()).collect();

    let mut centres = plus_plus(&sorted, k, &mut SplitMix64::new(seed));
    let mut nearest = assign(&sorted, &centres);
    for _ in 0..MAX_ROUNDS {
        move_to_means(&mut centres, &sorted, &nearest);
        let next = assign(&sorted, &centres);
        let settled = next.iter().zip(&nearest).all(|(a, b)| a.0 == b.0);
        nearest = next;
        if settled {
            break;
        }
    }
    let mut assignments = vec![0; points.len()];
    order.iter().zip(&nearest).for_each(|(&point, &(cluster, _))| assignments[point] = cluster);
    let squared_error = nearest.iter().map(|&(_, distance)| distance).sum();
    Ok(Clustering { assignments, cluster_count: centres.len(), squared_error })
}

fn check(points: &[Vec<f64>], k: usize) -> Result<(), MetricError> {
    let dimensions = points.first().ok_or(MetricError::NoValues)?.len();
    if k == 0 {
        let (what, expected) = ("the number of clusters", "1 or more");
        return Err(MetricError::OutOfRange { what, value: 0.0, expected });
    }
    for (index, point) in points.iter().enumerate() {
        if point.len() != dimensions {
            let (value, expected) = (point.len() as f64, "that of the first vector");
            return Err(MetricError::OutOfRange { what: "the dimension", value, expected });
        }
        if let Some(&value) = point.iter().find(|value| !value.is_finite()) {
            return Err(MetricError::NonFiniteValue { index, value });
        }
    }
    Ok(())
}

/// Ascending by the first coordinate that differs.
fn compare(a: &[f64], b: &[f64]) -> Ordering {
    let different = a.iter().zip(b).map(|(x, y)| x.total_cmp(y)).find(|order| order.is_ne());
    different.unwrap_or(Ordering::Equal)
}

/// The first centres. Fewer than k if no vector is left that is not a centre itself.
fn plus_plus(points: &[&[f64]], k: usize, stream: &mut SplitMix64) -> Vec<Vec<f64>> {
    let count = NonZeroUsize::new(points.len()).expect("checked: there are points");
    let mut centres = vec![points[stream.below(count)].to_vec()];
    let mut distances = vec![f64::INFINITY; points.len()];
    while centres.len() < k {
        let newest = &centres[centres.len() - 1];
        for (distance, point) in distances.iter_mut().zip(points) {
            *distance = distance.min(squared_distance(point, newest));
        }
        let total: f64 = distances.iter().sum();
        let shares: Vec<f64> = distances.iter().map(|distance| distance / total).collect();
        // Without any distance left the shares are NaN, and there is nothing to draw.
        let Some(next) = (total > 0.0).then(|| stream.index_with(&shares)).flatten() else { break };
        centres.push(points[next].to_vec());
    }
    centres
}

/// For each vector the nearest centre, the first among equally near ones, and its squared distance.
fn assign(points: &[&[f64]], centres: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let nearest = |point: &&[f64]| {
        let mut best = (0, f64::INFINITY);
        for (cluster, centre) in centres.iter().enumerate() {
            let distance = squared_distance(point, centre);
            if distance < best.1 {
                best = (cluster, distance);
            }
        }
        best
    };
    points.iter().map(nearest).collect()
}

/// A centre without vectors stays where it is.
fn move_to_means(centres: &mut [Vec<f64>], points: &[&[f64]], nearest: &[(usize, f64)]) {
    for (cluster, centre) in centres.iter_mut().enumerate() {
        let own = || points.iter().zip(nearest).filter(|(_, (c, _))| *c == cluster);
        let count = own().count() as f64;
        if count > 0.0 {
            for (dimension, mean) in centre.iter_mut().enumerate() {
                *mean = own().map(|(point, _)| point[dimension]).sum::<f64>() / count;
            }
        }
    }
}

fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_far_clouds_are_found_from_any_seed() {
        // k-means++ misses a cloud with a probability near 1e-4 here.
        let mut stream = SplitMix64::new(1);
        let centre = |i: usize| [0.0, 100.0, 200.0][i % 3];
        let points: Vec<Vec<f64>> =
            (0..60).map(|i| vec![centre(i) + stream.unit(), stream.unit() - centre(i)]).collect();
        for seed in 0..20 {
            let found = k_means(&points, 3, seed).unwrap();
            for (i, cluster) in found.assignments.iter().enumerate() {
                assert_eq!(*cluster, found.assignments[i % 3], "seed {seed}, point {i}");
            }
        }
    }

    #[test]
    fn equal_points_are_one_cluster_however_many_are_asked_for() {
        let points = [vec![1.0], vec![2.0], vec![1.0], vec![2.0]];
        let found = k_means(&points, 4, 0).unwrap();
        assert_eq!((found.cluster_count, found.squared_error), (2, 0.0));
        assert_eq!(found.assignments[0], found.assignments[2]);
        assert_ne!(found.assignments[0], found.assignments[1]);
        assert_eq!(k_means(&[vec![]], 3, 0).unwrap().cluster_count, 1); // no dimension at all
    }

    #[test]
    fn points_that_cannot_be_grouped_are_refused() {
        assert_eq!(k_means(&[], 2, 0), Err(MetricError::NoValues));
        assert!(k_means(&[vec![1.0]], 0, 0).is_err());
        assert!(k_means(&[vec![1.0], vec![1.0, 2.0]], 1, 0).is_err());
        let refused = k_means(&[vec![1.0], vec![f64::NAN]], 1, 0);
        assert!(matches!(refused, Err(MetricError::NonFiniteValue { index: 1, .. })));
    }
}
