//! Draws from the distributions that the simulations of this course need.
//!
//! Each uses the textbook method that is shortest to check, not the fastest. Changing one would
//! change published numbers, so each is fixed by its definition here.

use super::SplitMix64;
use crate::MetricError;
use std::num::NonZeroUsize;

impl SplitMix64 {
    /// A standard normal number: mean 0, variance 1.
    ///
    /// Two unit numbers each, of the pair that they give only the cosine is used (Box and Muller,
    /// *A note on the generation of random normal deviates*, 1958).
    pub fn standard_normal(&mut self) -> f64 {
        let radius = (-2.0 * libm::log(1.0 - self.unit())).sqrt(); // 1 - u is never 0
        radius * libm::cos(2.0 * std::f64::consts::PI * self.unit())
    }

    /// Puts the entries into random order, each order equally likely (Fisher and Yates 1938, in
    /// Durstenfeld's form of 1964).
    pub fn shuffle<T>(&mut self, entries: &mut [T]) {
        for last in (1..entries.len()).rev() {
            let bound = NonZeroUsize::new(last + 1).expect("one more than an index");
            entries.swap(last, self.below(bound));
        }
    }

    /// An index drawn with the given probabilities, `[V]`: the first whose running sum exceeds a
    /// unit number. `None` for an empty row. The caller checks that they sum to one.
    pub fn index_with(&mut self, probabilities: &[f64]) -> Option<usize> {
        let unit = self.unit();
        let mut sum = 0.0;
        let found = probabilities.iter().position(|probability| {
            sum += probability;
            unit < sum
        });
        // A sum rounded to just below one leaves a gap; it belongs to the last possible index.
        found.or_else(|| probabilities.iter().rposition(|&probability| probability > 0.0))
    }

    /// A symmetric Dirichlet row, `[size]`: a random distribution over `size` tokens, peaked for a
    /// concentration below 1, nearly uniform far above. Gamma draws divided by their sum.
    ///
    /// # Errors
    /// [`MetricError::OutOfRange`] unless the concentration is above 0 and finite,
    /// [`MetricError::NoValues`] for size 0.
    pub fn dirichlet(&mut self, concentration: f64, size: usize) -> Result<Vec<f64>, MetricError> {
        if !(concentration > 0.0 && concentration.is_finite()) {
            let (what, expected) = ("the concentration", "above 0 and finite");
            return Err(MetricError::OutOfRange { what, value: concentration, expected });
        }
        if size == 0 {
            return Err(MetricError::NoValues);
        }
        // As logarithms: at concentration 0.01 most draws are far below the smallest float.
        let logs: Vec<f64> = (0..size).map(|_| self.log_gamma_draw(concentration)).collect();
        let max = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let weights: Vec<f64> = logs.iter().map(|log| libm::exp(log - max)).collect();
        let sum: f64 = weights.iter().sum();
        Ok(weights.iter().map(|weight| weight / sum).collect())
    }

    /// The logarithm of a gamma-distributed number (Marsaglia and Tsang, *A simple method for
    /// generating gamma variables*, 2000). A shape below 1 is raised by 1 and corrected with the
    /// factor `unit^(1/shape)`, their section 6.
    fn log_gamma_draw(&mut self, shape: f64) -> f64 {
        if shape < 1.0 {
            let correction = libm::log(1.0 - self.unit()) / shape;
            return self.log_gamma_draw(shape + 1.0) + correction;
        }
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.standard_normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let log_v = 3.0 * libm::log(root);
            let accepted = 0.5 * x * x + d - d * root * root * root + d * log_v;
            if libm::log(1.0 - self.unit()) < accepted {
                return libm::log(d) + log_v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_numbers_have_mean_zero_variance_one_and_the_right_tails() {
        // Standard errors for n = 100,000: mean 0.0032, variance sqrt(2/n) = 0.0045; the share
        // beyond 1.96 is 5 %, standard error 0.0007.
        let mut stream = SplitMix64::new(2);
        let draws: Vec<f64> = (0..100_000).map(|_| stream.standard_normal()).collect();
        let n = draws.len() as f64;
        let mean = draws.iter().sum::<f64>() / n;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / n - mean * mean;
        let beyond = draws.iter().filter(|x| x.abs() > 1.959_964).count() as f64 / n;
        assert!(mean.abs() < 3.0 * 0.0032, "{mean}");
        assert!((variance - 1.0).abs() < 3.0 * 0.0045, "{variance}");
        assert!((beyond - 0.05).abs() < 3.0 * 0.0007, "{beyond}");
    }

    #[test]
    fn dirichlet_rows_sum_to_one_and_vary_as_their_concentration_says() {
        // An entry has mean 1/4 and variance (1/4)(3/4) / (4 a + 1): 0.1339, 0.0375, 0.00457.
        let mut stream = SplitMix64::new(3);
        for (concentration, variance) in [(0.1, 0.133_93), (1.0, 0.0375), (10.0, 0.004_573)] {
            let rows: Vec<Vec<f64>> =
                (0..20_000).map(|_| stream.dirichlet(concentration, 4).unwrap()).collect();
            assert!(rows.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-14));
            let mean = rows.iter().map(|row| row[0]).sum::<f64>() / 20_000.0;
            let squares = rows.iter().map(|row| (row[0] - 0.25) * (row[0] - 0.25)).sum::<f64>();
            assert!((mean - 0.25).abs() < 3.0 * (variance / 20_000.0_f64).sqrt(), "{mean}");
            assert!((squares / 20_000.0 / variance - 1.0).abs() < 0.05, "{squares}");
        }
        assert!(stream.dirichlet(1e-3, 5).unwrap().iter().all(|p| p.is_finite()));
        assert!(stream.dirichlet(0.0, 4).is_err() && stream.dirichlet(f64::NAN, 4).is_err());
        assert_eq!(stream.dirichlet(1.0, 0), Err(MetricError::NoValues));
    }

    #[test]
    fn all_orders_of_three_are_equally_frequent() {
        // 6,000 shuffles, 1,000 per order, standard deviation 28.9.
        let mut stream = SplitMix64::new(4);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6_000 {
            let mut entries = [0, 1, 2];
            stream.shuffle(&mut entries);
            *counts.entry(entries).or_insert(0_i32) += 1;
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| (count - 1_000).abs() < 4 * 29), "{counts:?}");
    }

    #[test]
    fn indices_follow_their_probabilities_and_impossible_ones_never_come() {
        // 10,000 draws at 0.25: standard deviation 43.
        let mut stream = SplitMix64::new(5);
        let mut counts = [0_i32; 4];
        for _ in 0..10_000 {
            counts[stream.index_with(&[0.0, 0.25, 0.75, 0.0]).unwrap()] += 1;
        }
        assert_eq!((counts[0], counts[3]), (0, 0));
        assert!((counts[1] - 2_500).abs() < 4 * 43, "{counts:?}");
        assert_eq!(stream.index_with(&[]), None);
        assert_eq!(stream.index_with(&[0.0, 1e-300, 0.0]), Some(1)); // far below one: the last one
    }
}
