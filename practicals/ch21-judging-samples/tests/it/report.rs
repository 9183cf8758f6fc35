//! What the lesson says about the numbers, held against the numbers; and what is refused.

use llm_from_scratch_practical::metrics::{SplitMix64, words};
use practical_ch21_judging_samples::{Args, Estimate, Report, WriterScores, people, run};
use std::sync::OnceLock;

const DEFAULTS: Args = Args { texts: 30, pairs: 3000, seed: 21, surprise: None };

/// The default report, computed once.
fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&DEFAULTS).unwrap())
}

fn writer(name: &str) -> &'static WriterScores {
    report().writers.iter().find(|scores| scores.writer == name).unwrap()
}

fn found(taste: &str, method: &str) -> &'static Estimate {
    let mut all = report().judge.tastes.iter();
    all.find(|estimate| estimate.taste == taste && estimate.method == method).unwrap()
}

/// "the badger likes" again and again, 17 words: 16 pairs, 3 of them different; 30 such texts have
/// 480 pairs.
#[test]
fn the_greedy_loop_is_counted_as_by_hand() {
    let greedy = writer("greedy");
    assert_eq!(greedy.loop_words, 17);
    assert_eq!(greedy.distinct_2, 3.0 / 16.0);
    assert_eq!(greedy.distinct_2_all, 3.0 / 480.0);
    assert_eq!(greedy.unknown, 0.0);
}

#[test]
fn every_number_has_another_taste_and_none_agrees_with_a_reader() {
    let favourite = |number: &str| {
        let mut all = report().favourites.iter();
        all.find(|favourite| favourite.number == number).map(|found| found.writer).unwrap()
    };
    assert_eq!(favourite("distinct_2_all"), "temperature 4");
    assert_eq!(favourite("bits_per_byte"), "greedy");
    assert_eq!(favourite("mauve"), "top-p 0.9");
    // The two that a reader would throw away first are praised above what people write.
    let people = writer("people");
    assert!(writer("greedy").bits_per_byte < people.bits_per_byte);
    assert!(writer("temperature 4").distinct_2_all > people.distinct_2_all);
    assert!(writer("greedy").mauve < 0.01 && writer("temperature 4").mauve < 0.01);
}

#[test]
fn bolder_choices_cost_the_stronger_model_more() {
    let bits = |name| writer(name).bits_per_byte;
    let order = ["greedy", "temperature 0.5", "temperature 1", "temperature 1.5", "temperature 4"];
    assert!(order.windows(2).all(|pair| bits(pair[0]) < bits(pair[1])));
    // Temperature 4 is nearly uniform over 258 ids, which would cost more than 8 bits.
    assert!(bits("temperature 4") > 8.0);
}

#[test]
fn both_models_are_surprised_by_each_other_by_more_than_chance() {
    for reading in &report().each_other {
        assert!(reading.excess > 3.0 * reading.standard_error, "{reading:?}");
        let difference = reading.judge_nats - reading.writer_nats;
        assert!((difference - reading.excess).abs() < 1e-12, "{reading:?}");
    }
}

/// Own answers come first in three of four pairs, so their mean code is 0.5; longer and better ones
/// in 70 %, mean code 0.4; all drawn apart.
#[test]
fn naive_estimates_are_wrong_by_as_much_as_worked_out_and_the_others_are_not() {
    let near = |estimate: &Estimate, value: f64| {
        (estimate.found - value).abs() <= 3.0 * estimate.standard_error
    };
    let naive = [
        ("position", 0.2 + 0.15 * 0.4 + 0.1 * 0.5 + 0.4 * 0.4), // 0.47
        ("length", 0.15 + 0.1 * 0.5 * 0.4 + 0.4 * 0.4 * 0.4),   // 0.234
        ("own", 0.1 + 0.15 * 0.4 * 0.5 + 0.4 * 0.4 * 0.5),      // 0.21
    ];
    for (taste, biased) in naive {
        let estimate = found(taste, "naive");
        assert!(near(estimate, biased), "{estimate:?}");
        assert!(!near(estimate, estimate.truth), "{estimate:?}");
    }
    for (taste, method) in [
        ("position", "order swap"),
        ("length", "controlled"),
        ("own", "controlled"),
        ("merit", "controlled"),
    ] {
        let estimate = found(taste, method);
        assert!(near(estimate, estimate.truth), "{estimate:?}");
        assert!(estimate.off.abs() <= 3.0);
    }
}

#[test]
fn keeping_the_pairs_with_one_winner_raises_agreement_and_loses_pairs() {
    let judge = &report().judge;
    assert_eq!(judge.one_order.pairs, 3000);
    assert!(judge.same_in_both_orders.pairs < 2000);
    assert!(judge.same_in_both_orders.kappa > judge.one_order.kappa + 0.2);
}

#[test]
fn people_say_nothing_twice_in_a_row_and_end_with_a_stop() {
    for text in people(100, &mut SplitMix64::new(5)) {
        assert!(text.ends_with(b"."));
        let words: Vec<&[u8]> = words(&text).collect();
        assert!(words.windows(2).all(|pair| pair[0] != pair[1]));
    }
}

#[test]
fn the_same_seed_gives_the_same_report_and_another_one_does_not() {
    let small = |seed| run(&Args { texts: 10, pairs: 50, seed, surprise: None }).unwrap();
    assert_eq!(small(1), small(1));
    assert_ne!(small(1).writers, small(2).writers);
}

#[test]
fn sizes_outside_the_limits_are_refused_by_name() {
    for (texts, pairs, start) in [
        (9, 50, "--texts is 9, expected 10 to 500"),
        (501, 50, "--texts is 501"),
        (10, 49, "--pairs is 49, expected 50 to 200000"),
        (10, 200_001, "--pairs is 200001"),
    ] {
        let error = run(&Args { texts, pairs, seed: 0, surprise: None }).unwrap_err().to_string();
        assert!(error.starts_with(start), "{error}");
    }
}
