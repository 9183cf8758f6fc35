//! Values worked out apart from the program, and what must hold between its sections.

use std::sync::OnceLock;

use clap::Parser;
use practical_ch22_evaluation_contract::{Args, Report, run};

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&Args::parse_from(["chapter"])).unwrap())
}

/// 63 + 64 + 56 + 40 + 22 + 29 bytes and six end tokens.
#[test]
fn both_models_are_scored_on_the_same_targets() {
    let contract = &report().contract;
    assert_eq!((contract.bigram.targets, contract.trigram.targets), (280, 280));
    let per_byte = contract.trigram.nats_per_token / std::f64::consts::LN_2 * 280.0 / 274.0;
    assert!((contract.trigram.bits_per_byte - per_byte).abs() < 1e-12);
    let comparison = &contract.comparison;
    let difference = contract.trigram.nats_per_token - contract.bigram.nats_per_token;
    assert!((comparison.difference - difference).abs() < 1e-15);
    assert_eq!(comparison.differing, ["subject.model"]);
    assert!(comparison.clusters.starts_with("6 documents are 6 independent units"));
    assert!(comparison.interval[0] <= difference && difference <= comparison.interval[1]);
    assert!(contract.trigram.signature.contains("|windows:64/32|"));
}

#[test]
fn each_changed_rule_is_named_and_only_two_have_a_sound_number() {
    let expected = [
        ("conditions.framing.start_token is \"none\" and \"bos\"", None),
        ("conditions.framing.end_token is false and true", Some("bits_per_byte_text_only")),
        ("conditions.windows.stride is 63 and 32", None),
        ("subject.tokenizer_sha256 is", Some("bits_per_byte")),
    ];
    let refusals = &report().refusals;
    assert_eq!(refusals.len(), expected.len());
    for (refusal, (field, sound)) in refusals.iter().zip(expected) {
        let text = refusal.refusal.as_ref().unwrap();
        assert!(text.starts_with("nats_per_token does not compare:"), "{text}");
        assert!(text.contains(field), "{text}");
        let given = refusal.sound.as_ref().map(|comparison| comparison.measure.name());
        assert_eq!(given, sound, "{text}");
    }
    // The bytes of the text do not see whether an end token is scored behind them.
    assert!(refusals[1].sound.as_ref().unwrap().difference.abs() < 1e-15);
    assert!(refusals[3].result.targets < 200);
}

#[test]
fn planted_copies_are_flagged_and_the_retold_one_is_not() {
    let leaks = &report().leaks;
    assert_eq!(leaks.flagged, ["copied", "one-word", "respelled"]);
    let found = |text: &str| leaks.findings.iter().any(|line| line == text);
    assert!(found("copied has the bytes of train-0"));
    assert!(found("respelled has the words of train-1"));
    // 16 words are 14 runs of three, of which one changed word breaks three: 11 in both, 17 in either.
    assert!(found("one-word is near to train-2: similarity 0.647"));
    assert!(!leaks.findings.iter().any(|line| line.starts_with("retold")));
    assert!(leaks.nats_of_flagged < leaks.nats_of_all);
    assert!(leaks.nats_of_all < leaks.nats_without_flagged);
    assert!(leaks.scope.contains("no finding is no proof"));
}

#[test]
fn domains_stand_before_the_numbers_over_all_and_these_name_their_weighting() {
    let mixtures = serde_json::to_string(&report().mixtures).unwrap();
    let place = |name: &str| mixtures.find(&format!("\"{name}\":")).unwrap();
    assert!(place("domains") < place("headlines") && place("headlines") < place("changes"));
    assert!(place("weighting") < place("weights"));
    let weightings: Vec<&str> = report().mixtures.headlines.iter().map(|h| h.weighting).collect();
    assert_eq!(weightings.len(), 2);
    assert!(weightings[0].starts_with("observed: ") && weightings[1].starts_with("declared: "));
}

#[test]
fn pools_are_those_that_arithmetic_gives() {
    let mixtures = &report().mixtures;
    let pools: Vec<(f64, f64)> =
        mixtures.changes.iter().map(|change| (change.pooled_before, change.pooled_after)).collect();
    for ((before, after), (x, y)) in pools.iter().zip([(2.2, 3.0), (2.05, 2.0275), (2.2, 2.9)]) {
        assert!((before - x).abs() < 1e-12 && (after - y).abs() < 1e-12, "{before} {after}");
    }
    let parts = mixtures.changes.iter().map(|change| (change.within_domains, change.of_weights));
    // 0.95 * -0.05 + 0.05 * 0.5 = -0.0225
    for ((within, weights), (x, y)) in parts.zip([(0.0, 0.8), (-0.0225, 0.0), (-0.1, 0.8)]) {
        assert!((within - x).abs() < 1e-12 && (weights - y).abs() < 1e-12, "{within} {weights}");
    }
    let targets: usize = mixtures.domains.iter().map(|row| row.loss.target_count).sum();
    assert_eq!(targets, 280);
    let [observed, declared] = &mixtures.headlines[..] else { panic!("two headlines") };
    let mean = mixtures.domains.iter().map(|row| row.loss.mean_nll).sum::<f64>() / 2.0;
    assert!((declared.mean_nll - mean).abs() < 1e-12);
    assert!((observed.weights[0] - 94.0 / 280.0).abs() < 1e-12); // lists: 91 bytes and three ends
}

#[test]
fn the_lab_expects_two_of_twenty() {
    let lab = &report().lab;
    assert_eq!((lab.expected, lab.first_experiment.len(), lab.counts.len()), (2.0, 20, 10));
    assert!((lab.standard_deviation - 1.8_f64.sqrt()).abs() < 1e-15);
    // Drawn by an implementation of the same stream in Python, seed 22.
    assert_eq!(lab.first_experiment, "..x...........x....x");
    assert_eq!(lab.counts, [3, 0, 0, 3, 0, 3, 1, 4, 2, 1]);
    assert!((lab.bars[2].probability - 0.285180).abs() < 5e-7, "{:?}", lab.bars[2]);
    assert_eq!(lab.bars[2].bar.len(), 40);
    let observed: usize = lab.bars.iter().map(|bar| bar.observed).sum();
    assert!((990..=1000).contains(&observed), "{observed}");
}
