//! Figures that came from another library's random numbers, drawn again from our own stream.
//!
//! The inputs and the printed values are in `testdata/measuring.json` under `simulations`. Ours
//! must be within three standard errors, of the printed value and of the exact one.

use crate::worked_row::worked_row;
use llm_metrics::{
    DatasetAverages, DocumentScore, Proportion, Ranks, SplitMix64, TopKCounter,
    broken_document_link, broken_token_link, cross_entropy_bits, normal_quantile,
    random_guess_bits, random_guess_top_k_error, surprisal_bits, target_ranks,
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
    let tokens = number(&section["tokens"]) as usize;
    let mut stream = SplitMix64::new(0);
    let text: Vec<usize> = (0..tokens).map(|_| stream.index_with(&q).unwrap()).collect();
    for (i, model) in section["models"].as_array().unwrap().iter().enumerate() {
        let model = numbers(model);
        let exact = cross_entropy_bits(&q, &model).unwrap();
        let variance: f64 = q
            .iter()
            .zip(&model)
            .map(|(q, p)| q * (surprisal_bits(*p).unwrap() - exact).powi(2))
            .sum();
        let standard_error = (variance / tokens as f64).sqrt();
        assert!((standard_error - number(&section["standard_errors"][i])).abs() < 5e-5);

        let assigned: Vec<f64> = text.iter().map(|&token| model[token]).collect();
        let found = DocumentScore::from_probabilities(&assigned).unwrap().bits_per_token();
        let rounding = 1e-12;
        assert_within_three(found, exact, standard_error + rounding);
        assert_within_three(found, number(&section["printed"][i]), standard_error + rounding);
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

#[test]
fn worked_rows_keep_to_their_rules() {
    let mut stream = SplitMix64::new(9);
    for (p, rank, above) in
        [(0.5, 1, 0.0), (0.25, 2, 0.6), (0.9, 1, 0.0), (0.01, 37, 0.72), (0.6, 1, 0.0)]
    {
        let (row, target) = worked_row(p, rank, above, &mut stream);
        assert!((row.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(row[target], p);
        assert_eq!(row.iter().filter(|&&other| other > p).count(), rank - 1);
        assert_eq!(row.iter().filter(|&&other| other < p).count(), 100 - rank);
        assert_eq!(target_ranks(&row, target).unwrap().by_id, Some(rank));
        let mass: f64 = row.iter().filter(|&&other| other > p).sum();
        assert!((mass - above).abs() < 1e-12);
    }
}

/// Lengths and scores of a synthetic corpus: lognormal lengths, and bits per token that fall with
/// the logarithm of `pivotal`, which is the document's own length or that of another one.
struct Corpus {
    lengths: Vec<usize>,
    falling: Vec<f64>,
    unrelated: Vec<f64>,
}

fn corpus() -> Corpus {
    let (of_lengths, of_scores) = (section("lengths"), section("score_falls_with_length"));
    let documents = number(&of_lengths["documents"]) as usize;
    let (median, sigma) =
        (number(&of_lengths["median_of_lognormal"]), number(&of_lengths["sigma"]));
    let mut stream = SplitMix64::new(0);
    let lengths: Vec<usize> = (0..documents)
        .map(|_| libm::exp(libm::log(median) + sigma * stream.standard_normal()).round().max(1.0))
        .map(|length| length as usize)
        .collect();
    let noise: Vec<f64> =
        (0..documents).map(|_| number(&of_scores["noise"]) * stream.standard_normal()).collect();
    let mut others = lengths.clone();
    stream.shuffle(&mut others);
    let score = |(length, noise): (&usize, &f64)| {
        let logs = libm::log(number(&of_scores["pivot"])) - libm::log(*length as f64);
        let score = number(&of_scores["level"]) + number(&of_scores["slope"]) * logs + noise;
        score.max(number(&of_scores["floor"]))
    };
    Corpus {
        falling: lengths.iter().zip(&noise).map(score).collect(),
        unrelated: others.iter().zip(&noise).map(score).collect(),
        lengths,
    }
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
    for (scores, name) in
        [(&corpus.falling, "score_falls_with_length"), (&corpus.unrelated, "score_without_length")]
    {
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
    let falling = DatasetAverages::from_scores(&corpus.falling, &corpus.lengths).unwrap();
    let limit = &section("score_falls_with_length")["limit"];
    let of_documents = sample_deviation(&corpus.falling) / 100.0;
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

/// A peaked random distribution, none of whose tokens is impossible.
fn peaked_row(section: &Value, stream: &mut SplitMix64) -> Vec<f64> {
    let size = number(&section["vocab_size"]) as usize;
    let floor = number(&section["floor"]);
    let row = stream.dirichlet(number(&section["concentration"]), size).unwrap();
    let lifted: Vec<f64> = row.iter().map(|p| p.max(floor)).collect();
    let sum: f64 = lifted.iter().sum();
    lifted.iter().map(|p| p / sum).collect()
}

#[test]
fn a_peaked_model_on_uniform_text_is_worse_than_guessing() {
    let section = section("links");
    let row = peaked_row(&section, &mut SplitMix64::new(0));
    let uniform = vec![1.0 / row.len() as f64; row.len()];
    let bits = cross_entropy_bits(&uniform, &row).unwrap();
    let level = random_guess_bits(row.len()).unwrap();
    assert!((level - 9.966).abs() < 5e-4);
    assert!(bits > 1.5 * level, "{bits}"); // a single draw of a model: about 20 here
}

#[test]
fn no_random_distribution_breaks_a_link_between_surprisal_and_rank() {
    let section = section("links");
    let (draws, vocab_size) =
        (number(&section["draws"]) as usize, number(&section["vocab_size"]) as usize);
    let ks: Vec<usize> = numbers(&section["ks"]).into_iter().map(|k| k as usize).collect();
    let per_document = number(&section["tokens_per_document"]) as usize;
    let mut stream = SplitMix64::new(0);
    let (mut documents, mut violations, mut dearest_first) = (0, 0, 0.0_f64);
    let mut logs = vec![];
    let mut counter = TopKCounter::new(&ks, vocab_size).unwrap();
    for _ in 0..draws {
        let row = peaked_row(&section, &mut stream);
        // Half of the text is the model's own, half is drawn blindly.
        let target = if stream.unit() < 0.5 {
            stream.index_with(&row).unwrap()
        } else {
            stream.below(NonZeroUsize::new(vocab_size).unwrap())
        };
        let bits = surprisal_bits(row[target]).unwrap();
        let ranks = target_ranks(&row, target).unwrap();
        for &k in &ks {
            violations +=
                usize::from(broken_token_link(bits, ranks, k, vocab_size).unwrap().is_some());
        }
        if ranks.worst == 1 {
            dearest_first = dearest_first.max(bits);
        }
        counter.add(ranks).unwrap();
        logs.push(libm::log(row[target]));
        if logs.len() == per_document {
            let bits = DocumentScore::from_log_probabilities(&logs).unwrap().bits_per_token();
            for error in counter.errors().unwrap() {
                let broken = broken_document_link(bits, error.pessimistic(), error.k);
                violations += usize::from(broken.is_some());
            }
            documents += 1;
            logs.clear();
            counter = TopKCounter::new(&ks, vocab_size).unwrap();
        }
    }
    assert_eq!(documents, number(&section["documents"]) as usize);
    assert_eq!(violations, number(&section["printed_violations"]) as usize);
    // First guesses were seen, and none cost more than log2 1000 bits.
    assert!(dearest_first > 1.0 && dearest_first <= random_guess_bits(vocab_size).unwrap());
}
