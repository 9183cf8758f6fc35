//! Figures that came from another library's random numbers, drawn again from our own stream.
//!
//! The inputs and the printed values are in `testdata/measuring.json` under `simulations`. Ours
//! must be within three standard errors, of the printed value and of the exact one.

use llm_metrics::{
    DatasetAverages, LinkTrialPlan, Proportion, Ranks, SplitMix64, SyntheticCorpus,
    SyntheticCorpusPlan, TopKCounter, cross_entropy_bits, normal_quantile, peaked_row,
    random_guess_bits, random_guess_top_k_error, sampled_cross_entropies, seed_summary,
};
use serde_json::Value;
use std::num::NonZeroUsize;

fn section(name: &str) -> Value {
    let file: Value = serde_json::from_str(include_str!("../../testdata/measuring.json")).unwrap();
    file["simulations"][name].clone()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("no number: {value}"))
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

#[track_caller]
fn assert_within_three(found: f64, expected: f64, standard_error: f64) {
    let distance = (found - expected).abs();
    assert!(distance <= 3.0 * standard_error, "{found}, expected {expected} +- {standard_error}");
}

#[test]
fn sampled_losses_approach_the_cross_entropy() {
    let section = section("cross_entropy_bits");
    let q = numbers(&section["q"]);
    let tokens = NonZeroUsize::new(number(&section["tokens"]) as usize).unwrap();
    let models: Vec<Vec<f64>> = section["models"].as_array().unwrap().iter().map(numbers).collect();
    let models: Vec<&[f64]> = models.iter().map(Vec::as_slice).collect();
    let found = sampled_cross_entropies(&q, &models, tokens, 0).unwrap();
    let printed = numbers(&section["printed"]);
    let printed_errors = numbers(&section["standard_errors"]);
    for ((found, printed), printed_error) in found.iter().zip(printed).zip(printed_errors) {
        assert!((found.standard_error_bits - printed_error).abs() < 5e-5);
        let rounding = 1e-12;
        let error = found.standard_error_bits + rounding;
        assert_within_three(found.sampled_bits, found.exact_bits, error);
        assert_within_three(found.sampled_bits, printed, error);
    }
}

#[test]
fn a_random_ranking_errs_as_often_as_guessing() {
    let section = section("random_ranking_percent");
    let vocab_size = number(&section["vocab_size"]) as usize;
    let tokens = number(&section["tokens"]) as usize;
    let ks: Vec<usize> = numbers(&section["ks"]).into_iter().map(|k| k as usize).collect();
    let mut stream = SplitMix64::new(0);
    let mut counter = TopKCounter::new(&ks, vocab_size).unwrap();
    for _ in 0..tokens {
        let rank = 1 + stream.below(NonZeroUsize::new(vocab_size).unwrap());
        counter.add(Ranks::from_bounds(rank, rank).unwrap()).unwrap();
    }
    for (i, error) in counter.errors().unwrap().iter().enumerate() {
        let exact = random_guess_top_k_error(error.k, vocab_size).unwrap();
        let standard_error = (exact * (1.0 - exact) / tokens as f64).sqrt();
        assert!((100.0 * standard_error - number(&section["standard_errors"][i])).abs() < 5e-5);
        let measured = Proportion::new(error.misses_pessimistic, tokens).unwrap();
        assert!(measured.standard_error() < 2.0 * standard_error);
        assert_within_three(measured.share(), exact, standard_error);
        let printed = number(&section["printed"][i]) / 100.0;
        assert_within_three(measured.share(), printed, standard_error);
    }
}

/// The corpus with the stored constants, which are those of the default plan.
fn corpus() -> SyntheticCorpus {
    let (of_lengths, of_scores) = (section("lengths"), section("score_falls_with_length"));
    let plan = SyntheticCorpusPlan {
        documents: number(&of_lengths["documents"]) as usize,
        median_length: number(&of_lengths["median_of_lognormal"]),
        log_length_deviation: number(&of_lengths["sigma"]),
        level_bits: number(&of_scores["level"]),
        slope_bits: number(&of_scores["slope"]),
        pivot_length: number(&of_scores["pivot"]),
        noise_bits: number(&of_scores["noise"]),
        floor_bits: number(&of_scores["floor"]),
    };
    assert_eq!(plan, SyntheticCorpusPlan::default());
    plan.draw(0).unwrap()
}

/// Standard error of the token-level average as a ratio of sums: deviations `L (b - ratio)`.
fn ratio_standard_error(scores: &[f64], lengths: &[usize], ratio: f64) -> f64 {
    let total: usize = lengths.iter().sum();
    let deviation = |(b, &l): (&f64, &usize)| (l as f64 * (b - ratio)).powi(2);
    scores.iter().zip(lengths).map(deviation).sum::<f64>().sqrt() / total as f64
}

fn sample_deviation(values: &[f64]) -> f64 {
    llm_metrics::seed_summary(values).unwrap().sample_standard_deviation.unwrap()
}

#[test]
fn lengths_are_those_of_the_lognormal_distribution() {
    let section = section("lengths");
    let printed = &section["printed"];
    let median = number(&section["median_of_lognormal"]);
    let mut lengths = corpus().lengths;
    let n = lengths.len() as f64;
    assert_eq!(lengths.len(), 10_000);
    let as_numbers: Vec<f64> = lengths.iter().map(|&length| length as f64).collect();
    let mean = as_numbers.iter().sum::<f64>() / n;
    let standard_error = sample_deviation(&as_numbers) / n.sqrt();
    assert_within_three(mean, median * libm::exp(0.5), standard_error); // exp(sigma^2 / 2)
    assert_within_three(mean, number(&printed["mean"]), standard_error);

    lengths.sort_unstable();
    let middle = 0.5 * (lengths[4_999] + lengths[5_000]) as f64;
    // 1 / (2 f(median) sqrt(n)) with the density f = 1 / (680 sqrt(2 pi))
    let standard_error = median * (std::f64::consts::PI / 2.0).sqrt() / n.sqrt();
    assert_within_three(middle, median, standard_error);
    assert_within_three(middle, number(&printed["median"]), standard_error);

    // Extremes of n draws: P(largest <= x) = F(x)^n. The range is that of three standard errors of
    // a normal value, 0.135 % at each end; the printed extremes must lie in it as well as ours.
    let [least, most] = [0.001_35, 0.998_65].map(|share| libm::pow(share, 1.0 / n));
    let [z_least, z_most] = [least, most].map(|share| normal_quantile(share).unwrap());
    let at = |z: f64| median * libm::exp(z);
    for largest in [number(&printed["maximum"]), lengths[9_999] as f64] {
        assert!(largest > at(z_least) && largest < at(z_most), "{largest}");
    }
    for smallest in [number(&printed["minimum"]), lengths[0] as f64] {
        assert!(smallest > at(-z_most) - 0.5 && smallest < at(-z_least) + 0.5, "{smallest}");
    }
}

#[test]
fn pooling_tokens_lowers_the_score_exactly_where_long_documents_are_easier() {
    let corpus = corpus();
    for (scores, name) in [
        (&corpus.falling_bits, "score_falls_with_length"),
        (&corpus.unrelated_bits, "score_without_length"),
    ] {
        let printed = &section(name)["printed"];
        let averages = DatasetAverages::from_scores(scores, &corpus.lengths).unwrap();
        let of_documents = sample_deviation(scores) / 100.0;
        let of_tokens = ratio_standard_error(scores, &corpus.lengths, averages.token_level);
        assert_within_three(
            averages.document_level,
            number(&printed["document_level"]),
            of_documents,
        );
        assert_within_three(averages.token_level, number(&printed["token_level"]), of_tokens);
        let of_difference = of_documents.hypot(of_tokens); // more than it is: they go together
        assert_within_three(averages.difference(), number(&printed["difference"]), of_difference);
        let error = averages.difference() - averages.predicted_difference();
        assert!(error.abs() <= 1e-14, "{name}: {error:e}");
    }
    let falling = corpus.falling_averages().unwrap();
    let limit = &section("score_falls_with_length")["limit"];
    let of_documents = sample_deviation(&corpus.falling_bits) / 100.0;
    assert_within_three(falling.document_level, number(&limit["document_level"]), of_documents);
    assert!(falling.difference() < -0.5);
}

#[test]
fn the_limits_of_the_averages_are_those_of_the_population() {
    // Integrals over z with density exp(-z^2/2): E[b] and E[L b] / E[L] for L = 680 e^z.
    let of_scores = section("score_falls_with_length");
    let (pivot, level) = (number(&of_scores["pivot"]), number(&of_scores["level"]));
    let slope = number(&of_scores["slope"]);
    let (mut mass, mut sum_b, mut sum_l, mut sum_lb) = (0.0, 0.0, 0.0, 0.0);
    for step in -1_500..=1_500 {
        let z = f64::from(step) / 100.0;
        let density = libm::exp(-0.5 * z * z);
        let log_length = libm::log(680.0) + z;
        let b = level + slope * (libm::log(pivot) - log_length);
        let length = libm::exp(log_length);
        mass += density;
        sum_b += density * b;
        sum_l += density * length;
        sum_lb += density * length * b;
    }
    let (document_level, token_level) = (sum_b / mass, sum_lb / sum_l);
    let limit = &of_scores["limit"];
    assert!((document_level - number(&limit["document_level"])).abs() < 5e-4);
    assert!((token_level - number(&limit["token_level"])).abs() < 5e-4);
    assert!((token_level - document_level - number(&limit["difference"])).abs() < 5e-4);
}

fn link_plan(section: &Value) -> LinkTrialPlan {
    let count = |key: &str| NonZeroUsize::new(number(&section[key]) as usize).unwrap();
    LinkTrialPlan {
        draws: count("draws").get(),
        vocab_size: count("vocab_size"),
        concentration: number(&section["concentration"]),
        floor: number(&section["floor"]),
        tokens_per_document: count("tokens_per_document"),
        ks: numbers(&section["ks"]).into_iter().map(|k| k as usize).collect(),
    }
}

/// The printed number is one draw of a model, so it must lie within three standard deviations of
/// what other draws give.
#[test]
fn a_peaked_model_on_uniform_text_is_worse_than_guessing() {
    let plan = link_plan(&section("links"));
    let section = section("peaked_model_on_uniform_text");
    let size = plan.vocab_size.get();
    let uniform = vec![1.0 / size as f64; size];
    let mut stream = SplitMix64::new(0);
    let mut bits = Vec::new();
    for _ in 0..number(&section["models"]) as usize {
        let row = peaked_row(size, plan.concentration, plan.floor, &mut stream).unwrap();
        bits.push(cross_entropy_bits(&uniform, &row).unwrap());
    }
    let level = random_guess_bits(size).unwrap();
    assert!((level - 9.966).abs() < 5e-4);
    assert!(bits.iter().all(|&bits| bits > level));
    let draws = seed_summary(&bits).unwrap();
    let deviation = draws.sample_standard_deviation.unwrap();
    let printed = number(&section["printed_bits"]);
    assert!(deviation < 0.6, "{deviation}"); // wide error bars would prove nothing
    assert!((printed - draws.mean).abs() <= 3.0 * deviation, "{draws:?}");
}

#[test]
fn no_random_distribution_breaks_a_link_between_surprisal_and_rank() {
    let section = section("links");
    let plan = link_plan(&section);
    let trial = plan.run(0).unwrap();
    assert_eq!(
        (trial.tokens, trial.documents),
        (plan.draws, number(&section["documents"]) as usize)
    );
    let violations = trial.token_violations + trial.document_violations;
    assert_eq!(violations, number(&section["printed_violations"]) as usize);
    // First guesses were seen, and none cost more than log2 1000 bits.
    let level = random_guess_bits(plan.vocab_size.get()).unwrap();
    assert!(trial.dearest_first_bits > 1.0 && trial.dearest_first_bits <= level);
}
