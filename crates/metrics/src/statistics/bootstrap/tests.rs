use super::*;

const PLAN: BootstrapPlan = BootstrapPlan { seed: 1, resample_count: 4000, confidence: 0.95 };

/// The slow way: the standard deviation of a ratio over all `m^m` equally likely resamples.
fn exact_standard_error(numerators: &[f64], denominators: &[f64]) -> f64 {
    let m = numerators.len();
    let resamples = m.pow(m as u32);
    let ratio = |mut code: usize| {
        let (mut numerator, mut denominator) = (0.0, 0.0);
        for _ in 0..m {
            numerator += numerators[code % m];
            denominator += denominators[code % m];
            code /= m;
        }
        numerator / denominator
    };
    let ratios: Vec<f64> = (0..resamples).map(ratio).collect();
    let mean = ratios.iter().sum::<f64>() / resamples as f64;
    let squares = ratios.iter().map(|r| (r - mean) * (r - mean)).sum::<f64>();
    (squares / resamples as f64).sqrt()
}

#[test]
fn the_simulated_error_is_that_of_all_possible_resamples() {
    // A standard deviation of R near-normal values has a relative error of sqrt(1/2R), 1.1 % here.
    for (numerators, denominators) in [
        (vec![24.0, 600.0, 90.0], vec![2.0, 200.0, 45.0]),
        (vec![1.0, 2.0, 3.0, 10.0], vec![1.0; 4]),
        (vec![5.0, 7.0, 9.0, 20.0, 11.0], vec![4.0, 4.0, 8.0, 9.0, 10.0]),
    ] {
        let exact = exact_standard_error(&numerators, &denominators);
        let simulated = bootstrap_ratio(&numerators, &denominators, PLAN).unwrap();
        let relative = simulated.standard_error / exact - 1.0;
        assert!(relative.abs() < 4.0 * 0.0112, "{relative}");
    }
}

#[test]
fn the_seed_determines_every_bit_and_another_seed_gives_other_draws() {
    let documents = ([3.0, 1.0, 4.0, 1.5], [2.0, 1.0, 3.0, 1.0]);
    let run =
        |seed| bootstrap_ratio(&documents.0, &documents.1, BootstrapPlan { seed, ..PLAN }).unwrap();
    assert_eq!(run(5), run(5));
    assert_ne!(run(5).standard_error, run(6).standard_error);
    assert_eq!(run(5).estimate, run(6).estimate);
}

#[test]
fn ten_times_the_resamples_leave_the_error_and_four_times_the_documents_halve_it() {
    let documents: Vec<f64> = (0..25).map(|i| f64::from(i * i % 11)).collect();
    let ones = vec![1.0; 100];
    let run = |documents: &[f64], resample_count| {
        let plan = BootstrapPlan { resample_count, ..PLAN };
        bootstrap_ratio(documents, &ones[..documents.len()], plan).unwrap().standard_error
    };
    let few = run(&documents, 2_000);
    let many = run(&documents, 20_000);
    assert!((many / few - 1.0).abs() < 0.06, "{few} {many}");
    let fourfold = documents.repeat(4);
    assert!((run(&fourfold, 2_000) / few - 0.5).abs() < 0.04);
}

#[test]
fn equal_documents_have_no_spread() {
    let result = bootstrap_ratio(&[6.0; 5], &[4.0; 5], PLAN).unwrap();
    assert_eq!((result.estimate, result.standard_error), (1.5, 0.0));
    assert_eq!(result.interval, Interval { lower: 1.5, upper: 1.5 });
}

#[test]
fn the_interval_covers_its_share_of_the_resamples() {
    // Two documents 0 and 1: the resampled mean is 0, 1/2, 1 with probabilities 1/4, 1/2, 1/4.
    let at = |confidence| {
        let plan = BootstrapPlan { confidence, ..PLAN };
        bootstrap_ratio(&[0.0, 1.0], &[1.0, 1.0], plan).unwrap().interval
    };
    assert_eq!(at(0.95), Interval { lower: 0.0, upper: 1.0 });
    assert_eq!(at(0.40), Interval { lower: 0.5, upper: 0.5 });
}

#[test]
fn quantiles_are_interpolated_between_neighbours() {
    let sorted = [1.0, 2.0, 4.0, 8.0, 16.0];
    assert_eq!(sorted_quantile(&sorted, 0.0), 1.0);
    assert_eq!(sorted_quantile(&sorted, 0.5), 4.0);
    assert_eq!(sorted_quantile(&sorted, 0.875), 12.0); // place 3.5
    assert_eq!(sorted_quantile(&sorted, 1.0), 16.0);
}

#[test]
fn one_document_is_no_sample_and_broken_plans_are_refused() {
    let refused = bootstrap_ratio(&[1.0], &[1.0], PLAN).unwrap_err().to_string();
    assert!(refused.starts_with("the number of documents is 1, expected at least 2"), "{refused}");
    assert!(bootstrap_ratio(&[], &[], PLAN).is_err());
    for plan in [
        BootstrapPlan { resample_count: 1, ..PLAN },
        BootstrapPlan { confidence: 1.0, ..PLAN },
        BootstrapPlan { confidence: f64::NAN, ..PLAN },
    ] {
        assert!(bootstrap_ratio(&[1.0, 2.0], &[1.0, 1.0], plan).is_err(), "{plan:?}");
    }
    assert!(bootstrap_ratio(&[1.0, 2.0], &[1.0], PLAN).is_err());
    assert!(bootstrap_ratio(&[1.0, 2.0], &[1.0, 0.0], PLAN).is_err());
    let infinite = bootstrap_ratio(&[1.0, f64::INFINITY], &[1.0, 1.0], PLAN);
    assert!(matches!(infinite, Err(MetricError::NonFiniteValue { index: 1, .. })));
    let nan = bootstrap_statistic(3, PLAN, |drawn| if drawn[0] == 2 { f64::NAN } else { 1.0 });
    assert!(matches!(nan, Err(MetricError::NonFiniteValue { .. })));
}
