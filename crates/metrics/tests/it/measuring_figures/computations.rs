//! The computations that a case of `testdata/measuring.json` can name.

use llm_metrics::{
    DatasetAverages, DocumentScore, OneBadToken, PredictionSmoothing, Proportion, Ranks,
    SplitMix64, TieRule, TopKCounter, arithmetic_mean, audit_pair, bits_to_nats, convention_of,
    cross_entropy_bits, entropy_bits, geometric_mean, hit_certain_below_bits, kl_divergence_bits,
    log_softmax, log_softmax_f32, nats_to_bits, perplexity_from_bits,
    perplexity_from_probabilities, random_guess_bits, random_guess_top_k_error, round_half_up,
    row_with_rank, softmax_f32, surprisal_bits, surprisal_nats, target_ranks, top_k_error_bound,
    truncate, unpaired_standard_error,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// What a computation found.
#[derive(Debug)]
pub(super) enum Found {
    Numbers(Vec<f64>),
    Text(String),
    Truth(bool),
}

impl From<f64> for Found {
    fn from(number: f64) -> Self {
        Self::Numbers(vec![number])
    }
}

impl From<Vec<f64>> for Found {
    fn from(numbers: Vec<f64>) -> Self {
        Self::Numbers(numbers)
    }
}

impl From<bool> for Found {
    fn from(truth: bool) -> Self {
        Self::Truth(truth)
    }
}

pub(super) type Quantities = BTreeMap<&'static str, Found>;

/// Shorthand for a table of quantities.
macro_rules! quantities {
    ($($name:literal: $value:expr),+ $(,)?) => {
        Quantities::from([$(($name, Found::from($value))),+])
    };
}

fn number(case: &Value, key: &str) -> f64 {
    case[key].as_f64().unwrap_or_else(|| panic!("{key} in {case}"))
}

fn count(case: &Value, key: &str) -> usize {
    case[key].as_u64().unwrap_or_else(|| panic!("{key} in {case}")) as usize
}

fn numbers(case: &Value, key: &str) -> Vec<f64> {
    let list = case[key].as_array().unwrap_or_else(|| panic!("{key} in {case}"));
    list.iter().map(|value| value.as_f64().unwrap()).collect()
}

fn counts(case: &Value, key: &str) -> Vec<usize> {
    numbers(case, key).into_iter().map(|value| value as usize).collect()
}

fn surprisal(case: &Value) -> Quantities {
    let p = number(case, "p");
    quantities! { "bits": surprisal_bits(p).unwrap(), "nats": surprisal_nats(p).unwrap() }
}

fn document(case: &Value) -> Quantities {
    let probabilities = numbers(case, "probabilities");
    let score = DocumentScore::from_probabilities(&probabilities).unwrap();
    let mut counter = TopKCounter::new(&counts(case, "ks"), count(case, "vocab_size")).unwrap();
    let ranks = counts(case, "ranks");
    for &rank in &ranks {
        counter.add(Ranks::from_bounds(rank, rank).unwrap()).unwrap();
    }
    let errors: Vec<f64> = counter.errors().unwrap().iter().map(|e| e.pessimistic()).collect();
    let dearest = probabilities.iter().copied().fold(1.0, f64::min);
    let others: Vec<f64> = probabilities.iter().copied().filter(|&p| p != dearest).collect();
    let dearest_bits = surprisal_bits(dearest).unwrap();
    let token_bits: Vec<f64> = probabilities.iter().map(|&p| surprisal_bits(p).unwrap()).collect();
    let tokens = || ranks.iter().zip(&token_bits);
    let better_but_dearer =
        tokens().any(|(rank, bits)| tokens().any(|(other, less)| rank < other && bits > less));
    let geometric = geometric_mean(&probabilities).unwrap();
    let arithmetic = arithmetic_mean(&probabilities).unwrap();
    // The two ways to the same means agree.
    assert!((score.geometric_mean_probability() - geometric).abs() < 1e-15);
    assert!((score.arithmetic_mean_probability() - arithmetic).abs() < 1e-15);
    quantities! {
        "a_better_rank_can_cost_more": better_but_dearer,
        "token_bits": token_bits.clone(),
        "likelihood": score.likelihood(),
        "nll_bits": score.nll_bits(),
        "nll_nats": score.nll_nats(),
        "bits_per_token": score.bits_per_token(),
        "nats_per_token": score.nats_per_token(),
        "perplexity": score.perplexity(),
        "perplexity_by_bits": perplexity_from_bits(score.bits_per_token()),
        "perplexity_by_product": perplexity_from_probabilities(&probabilities).unwrap(),
        "geometric_mean": geometric,
        "arithmetic_mean": arithmetic,
        "inverse_arithmetic_mean": 1.0 / arithmetic,
        "geometric_over_arithmetic": geometric / arithmetic,
        "geometric_over_that_of_the_others": geometric / geometric_mean(&others).unwrap(),
        "dearest_part": dearest_bits / score.target_count() as f64,
        "dearest_percent": 100.0 * dearest_bits / score.nll_bits(),
        "top_1_accuracy": 1.0 - errors[0],
        "top_k_errors": errors,
        "misses_at_1": ranks.iter().map(|&rank| f64::from(rank > 1)).collect::<Vec<_>>(),
    }
}

fn worked_token(case: &Value) -> Quantities {
    let (p, rank, above) = (number(case, "p"), count(case, "rank"), number(case, "mass_above"));
    let (row, target) = row_with_rank(100, p, rank, above, &mut SplitMix64::new(0)).unwrap();
    let ranks = target_ranks(&row, target).unwrap();
    let mut counter = TopKCounter::new(&[1, 5], 100).unwrap();
    counter.add(ranks).unwrap();
    let errors = counter.errors().unwrap();
    quantities! {
        "rank": ranks.by_id.unwrap() as f64,
        "bits": surprisal_bits(row[target]).unwrap(),
        "nats": surprisal_nats(row[target]).unwrap(),
        "misses_at_1_and_5": errors.iter().map(|e| e.pessimistic()).collect::<Vec<_>>(),
    }
}

fn positions(case: &Value) -> Quantities {
    let row = numbers(case, "row");
    let from_zero = |rule| -> Vec<f64> {
        let ranks = (0..row.len()).map(|target| target_ranks(&row, target).unwrap());
        ranks.map(|ranks| ranks.under(rule).unwrap() as f64 - 1.0).collect()
    };
    quantities! {
        "by_id": from_zero(TieRule::LowestId),
        "pessimistic": from_zero(TieRule::Pessimistic),
        "optimistic": from_zero(TieRule::Optimistic),
    }
}

/// A row whose first token has probability `p` and all others share the rest evenly.
fn first_guess(case: &Value) -> Quantities {
    let (vocab_size, p) = (count(case, "vocab_size"), number(case, "p"));
    let mut row = vec![(1.0 - p) / (vocab_size - 1) as f64; vocab_size];
    row[0] = p;
    let ranks = target_ranks(&row, 0).unwrap();
    quantities! { "miss": f64::from(ranks.worst > 1), "bits": surprisal_bits(p).unwrap() }
}

fn edge(_: &Value) -> Quantities {
    let row = [0.5, 0.5];
    quantities! {
        "bits": surprisal_bits(row[1]).unwrap(),
        "pessimistic_miss": f64::from(target_ranks(&row, 1).unwrap().worst > 1),
        "certain_below": hit_certain_below_bits(1),
    }
}

fn rank_bound(case: &Value) -> Quantities {
    let bound = top_k_error_bound(number(case, "bits_per_token"), count(case, "k"));
    quantities! { "top_k_error_at_most": bound }
}

fn entropy(case: &Value) -> Quantities {
    let (q, p) = (numbers(case, "q"), numbers(case, "p"));
    quantities! {
        "entropy": entropy_bits(&q).unwrap(),
        "cross_entropy": cross_entropy_bits(&q, &p).unwrap(),
        "gap": kl_divergence_bits(&q, &p).unwrap(),
    }
}

fn averages(case: &Value) -> Quantities {
    let (scores, lengths) = (numbers(case, "scores"), counts(case, "lengths"));
    let found = DatasetAverages::from_scores(&scores, &lengths).unwrap();
    assert!((found.difference() - found.predicted_difference()).abs() < 1e-14);
    let totals: Vec<f64> = scores.iter().zip(&lengths).map(|(b, &l)| b * l as f64).collect();
    quantities! {
        "document_level": found.document_level,
        "token_level": found.token_level,
        "factor": found.document_level / found.token_level,
        "covariance": found.covariance,
        "mean_length": found.mean_length(),
        "predicted_difference": found.predicted_difference(),
        "totals": totals,
    }
}

fn random_guess(case: &Value) -> Quantities {
    let vocab_size = count(case, "vocab_size");
    let bits = random_guess_bits(vocab_size).unwrap();
    let percent = |k: &usize| 100.0 * random_guess_top_k_error(*k, vocab_size).unwrap();
    let errors: Vec<f64> = counts(case, "ks").iter().map(percent).collect();
    let printed = |print: fn(f64, u32) -> Result<f64, _>| -> Vec<f64> {
        errors.iter().map(|&error| print(error, 2).unwrap()).collect()
    };
    quantities! {
        "bits": bits,
        "bits_rounded": round_half_up(bits, 2).unwrap(),
        "bits_truncated": truncate(bits, 2).unwrap(),
        "rounded_minus_exact": round_half_up(bits, 2).unwrap() - bits,
        "perplexity": perplexity_from_bits(bits),
        "top_k_rounded": printed(round_half_up),
        "top_k_truncated": printed(truncate),
        "top_k_percent": errors.clone(),
    }
}

fn audit_column(case: &Value) -> Quantities {
    let vocab_size = count(case, "vocab_size");
    let mut entries = vec![(number(case, "printed_bits"), random_guess_bits(vocab_size).unwrap())];
    for entry in case["printed_percent"].as_array().unwrap() {
        let k = entry[1].as_u64().unwrap() as usize;
        let exact = 100.0 * random_guess_top_k_error(k, vocab_size).unwrap();
        entries.push((entry[0].as_f64().unwrap(), exact));
    }
    let convention = |(printed, exact)| format!("{:?}", convention_of(printed, exact, 2).unwrap());
    let conventions: Vec<String> = entries.into_iter().map(convention).collect();
    Quantities::from([("conventions", Found::Text(conventions.join(" ")))])
}

fn print(case: &Value) -> Quantities {
    let value = number(case, "value");
    quantities! {
        "rounded": round_half_up(value, 2).unwrap(),
        "truncated": truncate(value, 2).unwrap(),
    }
}

fn one_bad_token(case: &Value) -> Quantities {
    let clean_bits = number(case, "clean_bits");
    let bad_bits = surprisal_bits(number(case, "p")).unwrap();
    let document = OneBadToken::new(count(case, "tokens"), clean_bits, bad_bits).unwrap();
    quantities! {
        "bits_per_token": document.bits_per_token(),
        "share": document.share_bits(),
        "rise": document.rise_bits(),
        "factor": document.bits_per_token() / clean_bits,
        "top_k_change": document.largest_top_k_change(),
    }
}

fn reach(case: &Value) -> Quantities {
    let level = random_guess_bits(count(case, "vocab_size")).unwrap();
    let document = OneBadToken::new(count(case, "tokens"), number(case, "clean_bits"), 0.0);
    let bits = document.unwrap().bits_to_reach(level);
    let nats = bits_to_nats(bits);
    let log_row = log_softmax(&[0.0, -nats]).unwrap();
    quantities! {
        "bits": bits,
        "nats": nats,
        "log10_p": -nats / std::f64::consts::LN_10,
        "level": level,
        "probability_in_f64": libm::exp2(-bits),
        "nats_by_log_softmax": -log_row[1],
    }
}

fn f32_logits(case: &Value) -> Quantities {
    let logits = [0.0_f32, -number(case, "gap") as f32];
    let probability = f64::from(softmax_f32(&logits).unwrap()[1]);
    let log = f64::from(log_softmax_f32(&logits).unwrap()[1]);
    let per_token = |log: f64| {
        let mut logs = vec![-std::f64::consts::LN_2; count(case, "clean_tokens")];
        logs.push(log);
        DocumentScore::from_log_probabilities(&logs).unwrap().bits_per_token()
    };
    quantities! {
        "softmax_probability": probability,
        "softmax_bits": surprisal_bits(probability).unwrap(),
        "softmax_bits_per_token": per_token(libm::log(probability)),
        "log_softmax_nats": -log,
        "log_softmax_bits": nats_to_bits(-log),
        "log_softmax_bits_per_token": per_token(log),
        "exact_is_positive": libm::exp(log) > 0.0,
    }
}

fn float_limits(_: &Value) -> Quantities {
    let smallest_f32 = f64::from(f32::from_bits(1));
    let smallest_f64 = f64::from_bits(1);
    quantities! {
        "f32_bits": surprisal_bits(smallest_f32).unwrap(),
        "f32_digits": -libm::log10(smallest_f32),
        "f64_bits": surprisal_bits(smallest_f64).unwrap(),
        "f64_digits": -libm::log10(smallest_f64),
    }
}

fn pair(case: &Value) -> Quantities {
    let (bits, nats) = (number(case, "bits"), number(case, "nats"));
    let audit = audit_pair(bits, nats, 2).unwrap();
    let in_nats = bits_to_nats(bits);
    quantities! {
        "in_nats": in_nats,
        "difference": nats - in_nats,
        "perplexity": perplexity_from_bits(bits),
        "both_rounded": audit.both_rounded,
        "both_truncated": audit.both_truncated,
        "within_a_hundredth": (nats - in_nats).abs() < 0.01,
        "nearer_to_nats_than_bits": (nats - in_nats).abs() < (nats - bits).abs(),
    }
}

fn units(case: &Value) -> Quantities {
    let bits = number(case, "bits");
    quantities! {
        "nats": bits_to_nats(bits),
        "nats_rounded": round_half_up(bits_to_nats(bits), 2).unwrap(),
        "perplexity": perplexity_from_bits(bits),
    }
}

fn units_of_nats(case: &Value) -> Quantities {
    quantities! { "bits": nats_to_bits(number(case, "nats")) }
}

fn against_guessing(case: &Value) -> Quantities {
    let (vocab_size, bits) = (count(case, "vocab_size"), number(case, "bits"));
    let guessing = round_half_up(random_guess_bits(vocab_size).unwrap(), 2).unwrap();
    quantities! {
        "ratio": guessing / bits,
        "ratio_with_mixed_units": guessing / number(case, "nats"),
        "fewer_options": vocab_size as f64 / perplexity_from_bits(bits),
    }
}

fn smoothing(case: &Value) -> Quantities {
    let smoothing = PredictionSmoothing::new(number(case, "alpha"), count(case, "vocab_size"));
    let interval = smoothing.unwrap().loss_interval();
    quantities! { "cap_bits": interval.highest, "width_bits": interval.width() }
}

fn accuracy(case: &Value) -> Quantities {
    let share = Proportion::new(count(case, "successes"), count(case, "items")).unwrap();
    let error = share.standard_error();
    quantities! {
        "standard_error_points": 100.0 * error,
        "two_points_are_noise": 0.02 < 1.96 * unpaired_standard_error(error, error),
    }
}

/// Computes the quantities of a case.
pub(super) fn compute(case: &Value) -> Quantities {
    match case["compute"].as_str().unwrap() {
        "surprisal" => surprisal(case),
        "document" => document(case),
        "worked_token" => worked_token(case),
        "positions" => positions(case),
        "first_guess" => first_guess(case),
        "edge" => edge(case),
        "rank_bound" => rank_bound(case),
        "entropy" => entropy(case),
        "averages" => averages(case),
        "random_guess" => random_guess(case),
        "audit_column" => audit_column(case),
        "print" => print(case),
        "one_bad_token" => one_bad_token(case),
        "reach" => reach(case),
        "f32_logits" => f32_logits(case),
        "float_limits" => float_limits(case),
        "pair" => pair(case),
        "units" => units(case),
        "units_of_nats" => units_of_nats(case),
        "against_guessing" => against_guessing(case),
        "smoothing" => smoothing(case),
        "accuracy" => accuracy(case),
        other => panic!("no computation {other}"),
    }
}
