//! The chapter's numbers against hand calculations, and what is refused.

use clap::Parser;
use practical_ch14_generation::{Args, Report, Writer, compare_cache, run};

fn args(words: &[&str]) -> Args {
    Args::try_parse_from(std::iter::once(&"chapter").chain(words)).unwrap()
}

fn report(words: &[&str]) -> Report {
    run(&args(words)).unwrap()
}

#[track_caller]
fn assert_column(column: &[Option<f64>], expected: &[f64]) {
    let kept: Vec<f64> = column.iter().copied().flatten().collect();
    assert_eq!(kept.len(), expected.len(), "{column:?}");
    for (value, expected) in kept.iter().zip(expected) {
        assert!((value - expected).abs() < 5e-7, "{column:?}, expected {expected}");
    }
}

/// Sums of powers of e: 1 + e^-1 + e^-2 + e^-3 = 1.553002; with T = 0.5, 1 + e^-2 + e^-4 + e^-6 = 1.156130;
/// two candidates 1 + e^-1 = 1.367879, three 1.503215; both filters 1 + e^-2 = 1.135335.
#[test]
fn the_filters_give_what_is_worked_out_by_hand() {
    let rows = report(&["--cases", "1"]).worked;
    let column = |of: fn(&practical_ch14_generation::FilterRow) -> Option<f64>| {
        rows.iter().map(of).collect::<Vec<_>>()
    };
    assert_column(&column(|row| Some(row.before)), &[0.643914, 0.236883, 0.087144, 0.032059]);
    assert_column(&column(|row| row.temperature), &[0.864955, 0.117059, 0.015842, 0.002144]);
    assert_column(&column(|row| row.top_k), &[0.731059, 0.268941]);
    assert_column(&column(|row| row.top_p), &[0.665241, 0.244728, 0.090031]);
    assert_column(&column(|row| row.all), &[0.880797, 0.119203]);
}

#[test]
fn two_hundred_random_prompts_and_settings_have_the_same_logits_with_and_without_the_cache() {
    let writer = Writer::trained().unwrap();
    let compared = compare_cache(&writer, 200, 7).unwrap();
    assert_eq!((compared.different_logits, compared.different_texts), (0, 0));
    assert!(compared.new_tokens > 500, "{compared:?}");
    assert_eq!(compared.logits_compared, 266 * compared.new_tokens);
    assert!(compared.computed_without_cache > 2 * compared.computed_with_cache);
}

#[test]
fn every_reason_to_stop_is_shown_and_a_seed_gives_its_text_again() {
    let texts = report(&["--cases", "1"]).texts;
    let stops: Vec<&str> = texts[..3].iter().map(|text| text.stop).collect();
    assert_eq!(stops, ["end-token", "max-new-tokens", "capacity"]);
    assert!(texts[0].text.ends_with("<end>"));
    assert_eq!(texts[2].new_tokens, 12 + 1 - 2); // one more than can be read, without the prompt
    assert_eq!(texts[3], texts[6]);
    assert_eq!(texts[7], texts[10]);
    assert_ne!(texts[3].text, texts[4].text);
}

/// The most likely token is the largest logit, and one candidate leaves nothing to chance.
#[test]
fn sampling_from_one_candidate_is_greedy() {
    let texts = report(&["--cases", "1", "--top-k", "1"]).texts;
    assert!(texts[7..].iter().all(|text| text.text == texts[0].text));
}

#[test]
fn longer_prompts_leave_less_room_and_too_long_ones_are_refused() {
    let full = report(&["--cases", "1", "--prompt", "hannahhanna"]); // 11 letters and the start token
    assert_eq!(full.texts[2].new_tokens, 1);
    let error = run(&args(&["--prompt", "hannahhannah"])).unwrap_err().to_string();
    assert!(error.starts_with("13 tokens for a cache with 0 of 12 places"), "{error}");
    // Text that looks like a control token is text, and an empty prompt is the start token alone.
    assert_eq!(report(&["--cases", "1", "--prompt", "<end>"]).texts[2].new_tokens, 12 + 1 - 6);
    assert_eq!(report(&["--cases", "1", "--prompt", ""]).texts[2].new_tokens, 12);
}

#[test]
fn filters_that_cannot_be_are_refused_by_name() {
    for (flag, value, name) in [
        ("--temperature", "0", "temperature is 0"),
        ("--temperature", "-1", "temperature is -1"),
        ("--temperature", "inf", "temperature is inf"),
        ("--top-k", "0", "top_k is 0"),
        ("--top-p", "0", "top_p is 0"),
        ("--top-p", "1.5", "top_p is 1.5"),
        ("--top-p", "nan", "top_p is NaN"),
    ] {
        let error = run(&args(&[flag, value])).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    for words in [["--cases", "0"], ["--cases", "10001"], ["--top-k", "-1"], ["--seed", "x"]] {
        assert!(Args::try_parse_from(std::iter::once("chapter").chain(words)).is_err());
    }
}
