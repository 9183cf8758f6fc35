//! Least squares with standard errors for verdicts that come in groups.

use super::Effect;
use crate::{ExactSum, MetricError};
use std::collections::BTreeMap;

/// Least squares of `y` on the columns of `rows`, and standard errors clustered by `groups`:
///
/// ```text
/// b = B X'y with B = (X'X)^-1        se_k^2 = G/(G-1) * sum over groups of (B_k . s_g)^2
/// ```
///
/// where `s_g` is the sum over the group of a row times its residual. Codes are whole numbers, so
/// `X'X` and `X'y` are exact and the order of the rows leaves no trace in them.
pub(super) fn least_squares(
    rows: &[Vec<f64>],
    y: &[f64],
    groups: &[usize],
) -> Result<(Vec<Effect>, usize), MetricError> {
    let columns = rows[0].len();
    let product = |a: usize, b: usize| rows.iter().map(|row| row[a] * row[b]).sum::<f64>();
    let squares: Vec<Vec<f64>> =
        (0..columns).map(|a| (0..columns).map(|b| product(a, b)).collect()).collect();
    let with_y: Vec<f64> =
        (0..columns).map(|a| rows.iter().zip(y).map(|(row, y)| row[a] * y).sum()).collect();
    let inverse = inverse(squares)?;
    let values: Vec<f64> = inverse.iter().map(|line| dot(line, &with_y)).collect();

    let mut sums: BTreeMap<usize, Vec<ExactSum>> = BTreeMap::new();
    for ((row, y), &group) in rows.iter().zip(y).zip(groups) {
        let residual = y - dot(row, &values);
        let sum = sums.entry(group).or_insert_with(|| vec![ExactSum::default(); columns]);
        sum.iter_mut().zip(row).for_each(|(sum, x)| sum.add(x * residual));
    }
    let group_count = sums.len();
    if group_count < 2 {
        let (what, expected) = ("the number of pairs", "at least 2: one shows no spread");
        return Err(MetricError::OutOfRange { what, value: group_count as f64, expected });
    }
    let sums: Vec<Vec<f64>> =
        sums.values().map(|sum| sum.iter().map(ExactSum::value).collect()).collect();
    let correction = group_count as f64 / (group_count - 1) as f64;
    let effect = |(line, &value): (&Vec<f64>, &f64)| {
        let squares: ExactSum = sums.iter().map(|sum| dot(line, sum) * dot(line, sum)).collect();
        Effect { value, standard_error: (correction * squares.value()).sqrt() }
    };
    Ok((inverse.iter().zip(&values).map(effect).collect(), group_count))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The inverse of a symmetric matrix of at most four columns, by elimination with the identity
/// beside it.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Result<Vec<Vec<f64>>, MetricError> {
    let size = matrix.len();
    let largest = matrix.iter().flatten().fold(0.0, |most: f64, entry| most.max(entry.abs()));
    for (i, line) in matrix.iter_mut().enumerate() {
        line.extend((0..size).map(|j| f64::from(u8::from(i == j))));
    }
    for step in 0..size {
        let below =
            (step..size).max_by(|&a, &b| matrix[a][step].abs().total_cmp(&matrix[b][step].abs()));
        matrix.swap(step, below.expect("there is a line left"));
        // Whole numbers: what is left of a dependent column is rounding.
        if matrix[step][step].abs() <= 1e-9 * largest {
            let what = "the number of tastes that can be told apart";
            let expected = "all that occur: let length, origin and merit vary independently";
            return Err(MetricError::OutOfRange { what, value: step as f64, expected });
        }
        let pivot = matrix[step][step];
        matrix[step].iter_mut().for_each(|entry| *entry /= pivot);
        let line = matrix[step].clone();
        for (_, other) in matrix.iter_mut().enumerate().filter(|(i, _)| *i != step) {
            let factor = other[step];
            other.iter_mut().zip(&line).for_each(|(entry, x)| *entry -= factor * x);
        }
    }
    Ok(matrix.into_iter().map(|line| line[size..].to_vec()).collect())
}
