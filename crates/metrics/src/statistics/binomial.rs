//! The binomial distribution: how many of n independent trials succeed.

use crate::MetricError;

/// `C(n, k) p^k (1-p)^(n-k)`: the probability of exactly `successes` in `trials` independent
/// trials of success probability `p`. 0 if there are more successes than trials.
///
/// Computed as a product in which growing and shrinking factors alternate, so that neither the
/// binomial coefficient overflows nor the power underflows on the way. Cost: O(trials).
///
/// # Errors
/// [`MetricError::OutOfRange`] unless `0 <= p <= 1`.
///
/// # Example
/// ```
/// // Two heads in four throws: 6 of 16.
/// assert_eq!(llm_metrics::binomial_probability(4, 2, 0.5)?, 0.375);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn binomial_probability(trials: usize, successes: usize, p: f64) -> Result<f64, MetricError> {
    if !(0.0..=1.0).contains(&p) {
        let (what, expected) = ("the success probability", "from 0 to 1");
        return Err(MetricError::OutOfRange { what, value: p, expected });
    }
    if successes > trials {
        return Ok(0.0);
    }
    let failures = trials - successes;
    // The same event with the roles exchanged; the shorter loop has fewer roundings.
    Ok(if successes <= failures {
        product(successes, failures, p, 1.0 - p)
    } else {
        product(failures, successes, 1.0 - p, p)
    })
}

/// `C(few + many, few) rare^few usual^many`.
fn product(few: usize, many: usize, rare: f64, usual: f64) -> f64 {
    let mut value = 1.0;
    let mut left = many; // factors `usual` that are still missing
    for i in 1..=few {
        value *= (many + i) as f64 / i as f64 * rare;
        while value > 1.0 && left > 0 {
            value *= usual;
            left -= 1;
        }
    }
    value * libm::pow(usual, left as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_of_all_counts_sum_to_one_with_mean_n_p() {
        for (trials, p) in [(0, 0.3), (1, 0.3), (20, 0.1), (20, 0.5), (2_000, 0.9)] {
            let bars: Vec<f64> =
                (0..=trials).map(|k| binomial_probability(trials, k, p).unwrap()).collect();
            assert!((bars.iter().sum::<f64>() - 1.0).abs() < 1e-11, "{trials}, {p}");
            let mean: f64 = bars.iter().enumerate().map(|(k, bar)| k as f64 * bar).sum();
            assert!((mean - trials as f64 * p).abs() < 1e-9 * (1.0 + mean), "{trials}, {p}");
        }
    }

    #[test]
    fn twenty_trials_have_the_bars_that_fractions_give() {
        // C(20,2) 9^18 / 10^20 = 190 * 150094635296999121 / 10^20, C(20,10) / 2^20 = 184756 / 2^20
        let two = binomial_probability(20, 2, 0.1).unwrap();
        assert!((two - 190.0 * 0.001_500_946_352_969_991_2).abs() < 1e-15, "{two}");
        let ten = binomial_probability(20, 10, 0.5).unwrap();
        assert!((ten - 184_756.0 / 1_048_576.0).abs() < 1e-15, "{ten}");
    }

    #[test]
    fn certain_trials_have_one_possible_count() {
        assert_eq!(binomial_probability(5, 0, 0.0), Ok(1.0));
        assert_eq!(binomial_probability(5, 1, 0.0), Ok(0.0));
        assert_eq!(binomial_probability(5, 5, 1.0), Ok(1.0));
        assert_eq!(binomial_probability(5, 6, 0.5), Ok(0.0));
        assert!(binomial_probability(5, 1, 1.5).is_err());
        assert!(binomial_probability(5, 1, f64::NAN).is_err());
    }
}
