//! From records to accuracies and comparisons.

use std::num::NonZeroUsize;

use llm_baselines::NgramModel;
use llm_evaluation::ScoreError;
use llm_evaluation::tasks::{
    Comparison, Join, OptionRecord, OptionRule, OptionScoring, Question, TaskError, TaskItem,
    TaskSummary, read_option_records, score_options, write_option_records,
};
use llm_tokenizer::chapter_four_tokenizer;
use proptest::prelude::*;

use crate::task_models::record;

/// One item of two options, the first right; `right` says whether it also scores higher.
fn answered(item: usize, right: bool, group: Option<&str>) -> [OptionRecord; 2] {
    [0, 1].map(|option| {
        let nats = if (option == 0) == right { -1.0 } else { -2.0 };
        let group = group.map(str::to_owned);
        OptionRecord { group, ..record(item, option, option == 0, "ab", &[nats]) }
    })
}

fn result(right: &[bool], groups: &[&str]) -> TaskSummary {
    let group = |item: usize| groups.get(item).copied();
    let records = right.iter().enumerate().flat_map(|(i, &right)| answered(i, right, group(i)));
    TaskSummary::from_records(records).unwrap()
}

/// Items with coarse scores, so that ties happen.
fn records() -> impl Strategy<Value = Vec<OptionRecord>> {
    let option = (prop::collection::vec(0i32..3, 1..4), "[abé ]{0,3}x", -2i32..1);
    let item = (prop::collection::vec(option, 2..5), any::<prop::sample::Index>(), 0usize..3);
    prop::collection::vec(item, 1..6).prop_map(|items| {
        let mut records = Vec::new();
        for (item, (options, answer, group)) in items.into_iter().enumerate() {
            let answer = answer.index(options.len());
            for (option, (nats, text, neutral)) in options.into_iter().enumerate() {
                let nats: Vec<f64> = nats.into_iter().map(|n| -f64::from(n) / 3.0).collect();
                let neutral = vec![f64::from(neutral); nats.len()];
                let group = (group > 0).then(|| format!("g{group}"));
                records.push(OptionRecord {
                    group,
                    neutral_log_probabilities: Some(neutral),
                    ..record(item, option, option == answer, &text, &nats)
                });
            }
        }
        records
    })
}

proptest! {
    #[test]
    fn records_read_back_in_any_order_give_the_same_results(
        records in records(), rotation in 0usize..20,
    ) {
        let mut file = Vec::new();
        write_option_records(&mut file, &records).unwrap();
        let mut back: Vec<_> = read_option_records(&file[..]).collect::<Result<_, _>>().unwrap();
        prop_assert_eq!(&back, &records);
        let places = back.len();
        back.rotate_left(rotation % places);
        let (direct, read) =
            (TaskSummary::from_records(records).unwrap(), TaskSummary::from_records(back).unwrap());
        prop_assert_eq!(&read, &direct);
        for rule in OptionRule::ALL {
            prop_assert_eq!(read.accuracy(rule).unwrap(), direct.accuracy(rule).unwrap());
        }
    }

    #[test]
    fn permuted_options_and_items_permute_scores_and_keep_fractional_credit(
        records in records(), shift in 1usize..4,
    ) {
        let result = TaskSummary::from_records(records.clone()).unwrap();
        let items = result.item_count();
        let count = |item| records.iter().filter(|r| r.item == item).count();
        let permuted = records.iter().map(|record| OptionRecord {
            item: (record.item + shift) % items,
            option: (record.option + shift) % count(record.item),
            ..record.clone()
        });
        let permuted = TaskSummary::from_records(permuted).unwrap();
        for rule in OptionRule::ALL {
            let (before, after) = (result.choices(rule).unwrap(), permuted.choices(rule).unwrap());
            for choice in &before {
                let moved = &after[(choice.item + shift) % items];
                let place = |option: usize| (option + shift) % choice.scores.len();
                for (option, score) in choice.scores.iter().enumerate() {
                    prop_assert_eq!(moved.scores[place(option)].to_bits(), score.to_bits());
                }
                prop_assert_eq!((moved.credit, moved.ties), (choice.credit, choice.ties));
                if choice.ties == 0 {
                    prop_assert_eq!(moved.chosen, place(choice.chosen));
                    prop_assert_eq!(moved.is_right, choice.is_right);
                }
            }
            let (before, after) = (result.accuracy(rule).unwrap(), permuted.accuracy(rule).unwrap());
            prop_assert_eq!(before.fractional_accuracy, after.fractional_accuracy);
            prop_assert_eq!(before.tie_count, after.tie_count);
        }
    }
}

#[test]
fn a_model_without_opinion_earns_chance_wherever_the_answers_are_listed() {
    let tokenizer = chapter_four_tokenizer();
    let model = NgramModel::uniform(tokenizer.vocab_size()).unwrap();
    for (answer, first_wins) in [(0, 1.0), (1, 0.0), (3, 0.0)] {
        let item = |i| TaskItem::new(format!("{i}"), ["A", "B", "C", "D"], answer).unwrap();
        let items: Vec<TaskItem> = (0..6).map(item).collect();
        let questions: Vec<_> = items.iter().map(Question::plain).collect();
        let scoring = OptionScoring::default();
        let records = score_options(&model, &tokenizer, &questions, &scoring, NonZeroUsize::MIN);
        let result = TaskSummary::from_records(records.unwrap()).unwrap();
        let by_sum = result.accuracy(OptionRule::Sum).unwrap();
        assert_eq!((by_sum.fractional_accuracy, by_sum.accuracy), (0.25, first_wins));
        assert_eq!((by_sum.tie_count, by_sum.chance_level, by_sum.chance_centred), (6, 0.25, 0.0));
    }
}

#[test]
fn a_result_comes_with_its_uncertainty() {
    // 3 of 4 right; groups a: right right, b: right wrong.
    let result = result(&[true, true, true, false], &["a", "a", "b", "b"]);
    let by_sum = result.accuracy(OptionRule::Sum).unwrap();
    assert_eq!((by_sum.right_count, by_sum.item_count, by_sum.accuracy), (3, 4, 0.75));
    // sqrt(0.75 * 0.25 / 4)
    assert!((by_sum.standard_error - 0.216_506_350_946_109_66).abs() < 1e-15);
    // With z = 1.959964, z^2 = 3.841459: (0.75 + 0.480182 -+ 1.959964 sqrt(0.046875 + 0.060023))
    // / 1.960365 = (1.230182 -+ 0.640815) / 1.960365
    let [lower, upper] = by_sum.wilson_interval;
    assert!((lower - 0.300642).abs() < 2e-6 && (upper - 0.954413).abs() < 2e-6, "{lower} {upper}");
    // Deviations 1/4 1/4 | 1/4 -3/4: group sums 1/2 and -1/2, sqrt(2 * 2 * 1/4) / 4
    assert_eq!((by_sum.group_count, by_sum.clustered_standard_error), (Some(2), Some(0.25)));
    // No ties, so the fractional accuracy is the same; sqrt(0.75 / (4 * 3))
    assert_eq!((by_sum.fractional_accuracy, by_sum.fractional_standard_error), (0.75, Some(0.25)));
    assert_eq!((by_sum.chance_level, by_sum.chance_centred), (0.5, 0.5));
    // (1.959964 + 0.841621) sqrt(2 * 0.5 * 0.5 / 4)
    assert!((by_sum.smallest_detectable_difference - 0.990510).abs() < 2e-6);
}

#[test]
fn items_without_a_group_are_groups_of_their_own() {
    let grouped = |groups: &[Option<&str>]| {
        let right = [true, false, true];
        let records = (0..3).flat_map(|i| answered(i, right[i], groups[i]));
        TaskSummary::from_records(records).unwrap().accuracy(OptionRule::Sum).unwrap()
    };
    assert_eq!(grouped(&[None; 3]).group_count, None);
    assert_eq!(grouped(&[None; 3]).clustered_standard_error, None);
    assert_eq!(grouped(&[None, Some("0"), None]).group_count, Some(3));
    assert_eq!(grouped(&[Some("x"), Some("x"), None]).group_count, Some(2));
    let one = grouped(&[Some("x"); 3]);
    assert_eq!((one.group_count, one.clustered_standard_error), (Some(1), None));
}

#[test]
fn two_models_are_compared_item_by_item() {
    // 10 items; only the first model has 0 to 3 right, only the second has 9.
    let first = result(&[true, true, true, true, true, true, false, false, false, false], &[]);
    let second = result(&[false, false, false, false, true, true, false, false, false, true], &[]);
    let comparison = Comparison::of(&first, &second, OptionRule::Token).unwrap();
    assert_eq!((comparison.first_accuracy, comparison.second_accuracy), (0.6, 0.3));
    assert_eq!((comparison.only_first, comparison.only_second), (4, 1));
    assert!((comparison.difference - 0.3).abs() < 1e-15);
    // Differences 1 x4, -1 x1, 0 x5 around 0.3: (4 * 0.49 + 1.69 + 5 * 0.09) / 90 = 4.1 / 90
    assert!((comparison.standard_error.unwrap() - (4.1_f64 / 90.0).sqrt()).abs() < 1e-15);
    assert_eq!(comparison.mcnemar_p_value, 0.375); // 2 (1 + 5) / 32
    // 2.801585 sqrt(0.5 / 10)
    assert!((comparison.smallest_detectable_difference.unwrap() - 0.626454).abs() < 2e-6);
    assert_eq!(comparison.clustered_standard_error, None);

    let back = Comparison::of(&second, &first, OptionRule::Token).unwrap();
    assert_eq!((back.difference, back.mcnemar_p_value), (-comparison.difference, 0.375));
    let same = Comparison::of(&first, &first, OptionRule::Sum).unwrap();
    assert_eq!((same.difference, same.standard_error), (0.0, Some(0.0)));
    assert_eq!((same.mcnemar_p_value, same.smallest_detectable_difference), (1.0, None));
}

#[test]
fn grouped_comparisons_have_the_grouped_error() {
    let groups = ["a", "a", "b", "b"];
    let (first, second) =
        (result(&[true; 4], &groups), result(&[false, false, true, true], &groups));
    let comparison = Comparison::of(&first, &second, OptionRule::Sum).unwrap();
    // Differences 1 1 | 0 0 around 1/2: group sums 1 and -1, sqrt(2 * 2) / 4
    assert_eq!(comparison.clustered_standard_error, Some(0.5));
}

#[test]
fn results_of_different_items_are_not_compared() {
    let first = result(&[true, false, true], &[]);
    let fewer = result(&[true, false], &[]);
    let message = |a, b| Comparison::of(a, b, OptionRule::Sum).unwrap_err().to_string();
    assert!(message(&first, &fewer).starts_with("item 2: only the first result has it"));
    assert!(message(&fewer, &first).starts_with("item 2: only the second result has it"));
    let other = first.records().map(|record| {
        let changed = if record.item == 1 { "other" } else { "" };
        OptionRecord { digest: record.digest.clone() + changed, ..record.clone() }
    });
    let other = TaskSummary::from_records(other).unwrap();
    assert!(message(&first, &other).starts_with("item 1: only the first result has it"));
    assert!(message(&other, &first).starts_with("item 1: only the second result has it"));
}

#[test]
fn records_that_do_not_make_items_are_refused() {
    let pair = answered(3, true, None);
    let refused = |records: Vec<OptionRecord>| {
        let error = TaskSummary::from_records(records).unwrap_err();
        assert!(matches!(error, TaskError::Records { item: 3, .. }), "{error}");
        error.to_string()
    };
    let [first, second] = pair.clone();
    assert_eq!(refused(vec![second.clone()]), "item 3: option 0 is missing");
    assert_eq!(refused(vec![first.clone()]), "item 3: has one option, expected at least 2");
    let third = OptionRecord { option: 2, ..second.clone() };
    assert_eq!(refused(vec![first.clone(), third]), "item 3: option 1 is missing");
    let twice = vec![first.clone(), second.clone(), second.clone()];
    assert_eq!(refused(twice), "item 3: option 1 comes twice");
    let both = OptionRecord { is_answer: true, ..second.clone() };
    assert_eq!(refused(vec![first.clone(), both]), "item 3: 2 options are the answer, expected 1");
    let none = OptionRecord { is_answer: false, ..first.clone() };
    assert_eq!(refused(vec![none, second.clone()]), "item 3: 0 options are the answer, expected 1");
    let other = OptionRecord { group: Some("g".into()), ..second.clone() };
    assert!(refused(vec![first, other]).contains("different digests or groups"));

    let nothing = TaskSummary::from_records([]).unwrap();
    assert!(matches!(nothing.accuracy(OptionRule::Sum), Err(TaskError::Metric(_))));
    let error = TaskSummary::from_records(pair).unwrap().accuracy(OptionRule::MutualInformation);
    let expected =
        "item 3: no neutral scores, which mutual-information needs: give a neutral prompt";
    assert_eq!(error.unwrap_err().to_string(), expected);
}

#[test]
fn record_lines_that_no_model_can_have_written_are_errors_with_their_number() {
    let mut file = Vec::new();
    let neutral = Some(vec![-2.0]);
    let good = OptionRecord {
        neutral_log_probabilities: neutral,
        group: Some("g".into()),
        join: Join::BackedOff,
        ..record(0, 1, true, " é", &[-1.5])
    };
    write_option_records(&mut file, [&good]).unwrap();
    let line = String::from_utf8(file).unwrap();
    let expected = "{\"item\":0,\"digest\":\"digest of item 0\",\"group\":\"g\",\"option\":1,\
        \"is_answer\":true,\"log_probabilities\":[-1.5],\"neutral_log_probabilities\":[-2.0],\
        \"bytes\":3,\"characters\":2,\"bare_characters\":1,\"join\":\"backed-off\"}\n";
    assert_eq!(line, expected);
    for (from, to) in [
        ("[-1.5]", "[]"),
        ("[-1.5]", "[0.5]"),
        ("[-1.5]", "[null]"),
        ("[-1.5]", "[-1e999]"),
        ("[-2.0]", "[-2.0,-1.0]"),
        ("[-2.0]", "[2.0]"),
        ("\"bytes\":3", "\"bytes\":1"),
        ("\"characters\":2", "\"characters\":0"),
        ("\"bare_characters\":1", "\"bare_characters\":0"),
        ("backed-off", "torn"),
        ("\"option\":1", "\"option\":1,\"note\":2"),
        ("\"is_answer\":true,", ""),
    ] {
        let changed = line.replacen(from, to, 1);
        assert_ne!(changed, line);
        let file = format!("{line}{changed}");
        let error = read_option_records(file.as_bytes()).nth(1).unwrap().unwrap_err();
        assert!(matches!(error, ScoreError::Record { line: 2, .. }), "{to}: {error}");
    }
    let bad = OptionRecord { log_probabilities: vec![f64::NAN], ..good.clone() };
    let error = write_option_records(Vec::new(), [&good, &bad]).unwrap_err();
    assert!(matches!(error, ScoreError::Record { line: 2, .. }));
    let error = TaskSummary::from_records([bad]).unwrap_err();
    assert!(matches!(error, TaskError::Score(ScoreError::Record { line: 1, .. })), "{error}");
}

#[test]
fn a_name_that_is_no_rule_is_refused_with_those_that_are() {
    for rule in OptionRule::ALL {
        assert_eq!(rule.name().parse::<OptionRule>().unwrap(), rule);
        assert_eq!(serde_json::to_value(rule).unwrap(), rule.to_string());
    }
    let error = "acc_norm".parse::<OptionRule>().unwrap_err().to_string();
    let names = "sum, token, char, char-bare, byte, mutual-information";
    assert_eq!(error, format!("rule \"acc_norm\" is unknown, expected one of {names}"));
}

#[test]
fn only_unclean_joins_are_flagged() {
    let [first, second] = answered(0, true, None);
    let split = OptionRecord { join: Join::Split, ..second };
    let result = TaskSummary::from_records([first, split]).unwrap();
    assert_eq!(result.flagged_count(), 1);
    assert_eq!(result.rules().collect::<Vec<_>>(), OptionRule::ALL[..5]);
}
