//! The chapter's numbers against hand calculations, and what is refused.

use clap::Parser;
use llm_from_scratch_practical::evaluation::tasks::OptionRule;
use practical_ch20_multiple_choice_and_few_shot::{
    Args, LABELS, Report, SEEN, WORDS, items, run, training_documents, word_tokenizer,
};

fn report(flags: &[&str]) -> anyhow::Result<Report> {
    run(&Args::try_parse_from([&["chapter"], flags].concat())?)
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
}

#[test]
fn the_shown_question_is_scored_as_by_hand_and_the_rules_give_three_answers() {
    let item = report(&["--draws", "1"]).unwrap().worked_item;
    let by_rule = |rule| item.chosen.iter().find(|chosen| chosen.rule == rule).unwrap();
    for (number, option) in item.options.iter().enumerate() {
        let sum: f64 = option.log_probabilities.iter().sum();
        let length = option.option.len() as f64; // plain ASCII: bytes are characters
        for (rule, expected) in [
            (OptionRule::Sum, sum),
            (OptionRule::Token, sum / [1.0, 2.0, 4.0][number]),
            (OptionRule::Char, sum / length),
            (OptionRule::CharBare, sum / (length - 1.0)),
            (OptionRule::Byte, sum / length),
            (OptionRule::MutualInformation, sum - option.neutral_log_probability),
        ] {
            assert_close(by_rule(rule).scores[number], expected);
        }
    }
    let chosen = [OptionRule::Sum, OptionRule::Char, OptionRule::MutualInformation]
        .map(|rule| by_rule(rule).option.as_str());
    assert_eq!(chosen, [LABELS[0], LABELS[2], LABELS[1]]);
}

#[test]
fn the_order_of_the_same_examples_moves_the_score() {
    let orders = report(&["--draws", "1"]).unwrap().prompt_order;
    let right: Vec<usize> = orders.orders.iter().map(|order| order.right).collect();
    let (most, least) = (*right.iter().max().unwrap(), *right.iter().min().unwrap());
    assert_eq!((right.len(), orders.items), (6, 42));
    assert!(most >= least + 8, "{right:?}");
    assert_close(orders.spread, (most - least) as f64 / 42.0);
    let pair = orders.best_against_worst;
    assert_eq!(pair.only_first - pair.only_second, most - least);
    assert_close(pair.difference, orders.spread);
    let solved = "saw is a tool\nowl is a wild animal\noak is a plant of the garden\n";
    assert_eq!(orders.prompt, format!("{solved}axe is a"));
}

#[test]
fn error_bars_are_those_of_the_formulas() {
    let report = report(&["--draws", "1"]).unwrap();
    for row in &report.rules.rules {
        let p = row.right as f64 / 48.0;
        assert_close(row.accuracy, p);
        assert_close(row.standard_error, (p * (1.0 - p) / 48.0).sqrt());
        assert_eq!(row.chosen_tool + row.chosen_animal + row.chosen_plant, 48);
        // Two questions about one word are hardly two independent ones.
        assert!(row.clustered_error.unwrap() > row.standard_error);
        assert!(row.wilson_lower < p && p < row.wilson_upper);
    }
    // One-sided disagreements: 2 of the 2^n splits are as uneven.
    let pair = report.contracts.decoder_against_trigram;
    assert_eq!(pair.only_second, 0);
    assert_close(pair.mcnemar_p_value, 2.0 / 2f64.powi(pair.only_first as i32));
}

#[test]
fn results_compare_by_their_contracts_and_refusals_name_the_field() {
    let contracts = report(&["--draws", "1"]).unwrap().contracts;
    assert!(contracts.signature.contains("|split:test|items:48|rule:sum|shots:none|"));
    let fields = ["subject.model", "subject.dtype", "conditions.scoring.neutral_prompt"];
    let mut differs: Vec<&str> = contracts.trigram_differs_in.iter().map(String::as_str).collect();
    differs.sort_unstable();
    let mut expected = fields;
    expected.sort_unstable();
    assert_eq!(differs, expected);
    assert!(contracts.other_prompt.contains("conditions.few_shot is null and {"));
    assert!(contracts.other_prompt.contains("no conversion is sound"));
    let rules = "conditions.rule is \"sum\" and \"char-bare\"; sound: compare both by sum";
    assert!(contracts.other_rule.contains(rules), "{}", contracts.other_rule);
}

#[test]
fn the_neutral_prompt_changes_no_rule_but_its_own() {
    let [first, second] = ["it is a", "is a"]
        .map(|prompt| report(&["--draws", "1", "--neutral-prompt", prompt]).unwrap().rules.rules);
    assert_eq!(first[..5], second[..5]);
    assert_ne!(first[5], second[5]);
}

#[test]
fn an_untrained_decoder_is_near_chance_and_more_draws_only_add() {
    let fresh = report(&["--updates", "0", "--draws", "2"]).unwrap();
    assert!(fresh.rules.rules.iter().all(|row| row.accuracy < 0.5));
    let more = report(&["--updates", "0", "--draws", "3"]).unwrap();
    assert!(
        more.few_shot
            .iter()
            .zip(&fresh.few_shot)
            .all(|(more, fresh)| { more.lowest <= fresh.lowest && more.highest >= fresh.highest })
    );
}

#[test]
fn questions_ask_about_seen_and_unseen_words() {
    let texts: String = training_documents(20, 160)
        .iter()
        .map(|document| String::from_utf8(document.text.clone()).unwrap())
        .collect();
    for (kind, words) in WORDS.iter().enumerate() {
        for (place, word) in words.iter().enumerate() {
            let line = format!("{word} is a{}\n", LABELS[kind]);
            assert_eq!(texts.contains(&line), place < SEEN, "{line}");
        }
    }
    let items = items().unwrap();
    assert_eq!(items.len(), 48);
    assert_eq!((items[26].context(), items[26].right_option()), ("badger is a", LABELS[1]));
}

#[test]
fn every_word_is_one_token() {
    let tokenizer = word_tokenizer().unwrap();
    for word in WORDS.as_flattened() {
        for text in [(*word).to_owned(), format!(" {word}")] {
            assert_eq!(tokenizer.encode(text.as_bytes()).unwrap().len(), 1, "{text}");
        }
    }
    let lengths = LABELS.map(|label| tokenizer.encode(label.as_bytes()).unwrap().len());
    assert_eq!(lengths, [1, 2, 4]);
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    for (flags, expected) in [
        (["--item", "48"], "--item is 48, expected a number from 0 to 47"),
        (["--draws", "0"], "--draws is 0, expected a number from 1 to 100"),
        (["--draws", "101"], "--draws is 101, expected a number from 1 to 100"),
        (["--updates", "2001"], "--updates is 2001, expected a number from 0 to 2000"),
    ] {
        assert_eq!(report(&flags).unwrap_err().to_string(), expected);
    }
    let long = "it is a ".repeat(30);
    let error = report(&["--neutral-prompt", &long]).unwrap_err().to_string();
    assert!(error.starts_with("item 0, option 0:"), "{error}");
    // Behind the last seed comes the first.
    let last = ["--updates", "0", "--seed", "18446744073709551615", "--draws", "2"];
    assert!(report(&last).is_ok());
    for flags in [["--item", "x"], ["--seed", "-1"], ["--shots", "2"]] {
        assert!(Args::try_parse_from([&["chapter"][..], &flags].concat()).is_err());
    }
}
