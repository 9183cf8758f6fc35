//! What is learned, step by step, worked out by hand. Ids: a = 99, b = 100, c = 101, d = 102.

use clap::Parser;
use practical_ch03_bpe_training::{Args, Report, Rule, run};
use proptest::prelude::*;

fn report(arguments: &[&str]) -> Report {
    run(&Args::parse_from([&["ch03"], arguments].concat())).unwrap()
}

#[test]
fn the_two_documents_learn_ab_then_ac() {
    let report = report(&[]);
    let [first, second] = &report.steps[..] else { panic!("{:?}", report.steps) };

    // abab has the pairs ab, ba, ab; abac has ab, ba, ac.
    assert_eq!(first.before, ["a b a b", "a b a c"]);
    assert_eq!(first.pairs, ["a b: 3", "b a: 2", "a c: 1"]);
    assert_eq!((first.merged, first.count, first.id), ((99, 100), 3, 258));

    // Now (99, 101), (258, 99) and (258, 258) stand once each; 99 is the smallest left id.
    assert_eq!(second.before, ["ab ab", "ab a c"]);
    assert_eq!(second.pairs, ["a c: 1", "ab a: 1", "ab ab: 1"]);
    assert_eq!((second.merged, second.count, second.id), ((99, 101), 1, 259));
    assert_eq!(second.token, "ac");
    assert_eq!((report.merges, report.vocab_size), (2, 260));
}

#[test]
fn held_out_text_is_two_tokens_and_comes_back() {
    let held_out = report(&[]).held_out;
    assert_eq!(held_out.ids, [259, 259]);
    assert_eq!((&*held_out.tokens, &*held_out.decoded), ("ac ac", "acac"));
}

#[test]
fn each_rule_does_what_it_says() {
    let rules = report(&[]).rules;
    let shown: Vec<_> =
        rules.iter().map(|rule| (rule.first_merge.as_deref(), &*rule.result)).collect();
    let expected = [
        (Some("a a: 2"), "aa a"), // two overlapping pairs, and the left one is replaced
        (Some("a b: 1"), "b a"),  // (99, 100) before (100, 99), though ba came first
        (None, "a"),
        (Some("c d: 5"), "a b"),
        (Some("a 1: 1"), "a1"),
        (None, "a 1"),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn weights_decide_what_is_learned_first() {
    let texts = ["--document", "ab", "--document", "cd", "--merges", "1"];
    let merged = |weights: &[&str]| report(&[&texts, weights].concat()).steps[0].merged;
    assert_eq!(merged(&[]), (99, 100));
    assert_eq!(merged(&["--weights", "1,5"]), (101, 102));
    assert_eq!(merged(&["--weights", "0,1"]), (101, 102));
}

#[test]
fn training_ends_when_the_pairs_do() {
    // Eight bytes in two documents: six merges would leave one token for each. But every step here
    // replaces one or several pairs, and four are enough.
    let all = report(&["--merges", "1000"]);
    assert_eq!((all.merges, all.steps.len()), (4, 4));
    assert_eq!(report(&["--merges", "1000", "--minimum-count", "2"]).merges, 1);
    assert_eq!(report(&["--merges", "0"]).merges, 0);
}

#[test]
fn more_merges_make_longer_tokens() {
    let lengths = report(&[]).lengths;
    // 39 + 35 + 38 + 34 + 39 + 39 bytes; without merges a byte is a token.
    assert_eq!((lengths[0].tokens, lengths[0].bytes_per_token), (224, 1.0));
    assert!(lengths.is_sorted_by(|a, b| a.tokens > b.tokens));
    assert_eq!(lengths[4].tokens, 6, "enough merges make one token of each sentence");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))] // each case runs the whole chapter

    /// The chapter itself fails if the two trainers differ at any rank.
    #[test]
    fn any_documents_can_be_given(
        documents in prop::collection::vec("[ab 1é]{0,12}", 1..4),
        merges in 0_u16..30,
        gpt2 in any::<bool>(),
    ) {
        let mut args = Args::parse_from(["ch03"]);
        args.held_out = documents.concat();
        (args.documents, args.merges) = (documents, merges);
        args.pretokenizer = if gpt2 { Rule::Gpt2 } else { Rule::None };
        let report = run(&args).unwrap();
        prop_assert_eq!(report.held_out.decoded, args.held_out);
        for step in &report.steps {
            let chosen = format!(": {}", step.count);
            prop_assert!(step.pairs[0].ends_with(&chosen), "{:?}", step);
        }
    }
}
