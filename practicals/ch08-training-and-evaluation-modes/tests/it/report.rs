//! What must hold in the report, with values from elsewhere where there are any.

use std::sync::OnceLock;

use clap::Parser;
use llm_from_scratch_practical::model::DropoutProbability;
use practical_ch08_training_and_evaluation_modes::{Args, Report, expectation, run};

fn report() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| run(&Args::parse_from(["chapter"])).unwrap())
}

#[test]
fn evaluation_has_the_loss_of_the_model_without_dropout() {
    // Seed 39 after 20 updates, training documents: 0.874321 in chapter 16's figures, which an
    // independent implementation in another language gave too.
    let modes = &report().modes;
    assert!((modes.evaluation_nll - 0.874321).abs() < 5e-7);
    assert!(modes.evaluation_equals_no_dropout);
    assert_eq!((modes.drawn_before_evaluation, modes.drawn_after_evaluation), (864, 864));
}

#[test]
fn training_draws_one_mask_element_for_each_feature_and_site() {
    // 5 + 4 inputs, 8 features, 3 sites: behind the embedding, the attention, the feed-forward layer.
    let drawn: Vec<u64> = report().modes.training.iter().map(|loss| loss.drawn).collect();
    assert_eq!(drawn, [216, 432, 648, 864]);
}

#[test]
fn every_update_has_masks_of_its_own_and_keeps_them() {
    let modes = &report().modes;
    for (i, loss) in modes.training.iter().enumerate() {
        assert!(modes.training[..i].iter().all(|other| other.nll != loss.nll));
        assert_ne!(loss.nll, modes.evaluation_nll);
    }
    assert!(modes.repeated_update_equal && modes.no_grad_still_drops);
}

#[test]
fn a_mask_depends_on_seed_update_document_site_and_position() {
    let examples = &report().masks.examples;
    assert_eq!(examples[0].mask, examples[1].mask);
    for (i, example) in examples.iter().enumerate().skip(2) {
        let others = examples[1..i].iter();
        assert!(others.clone().all(|other| other.mask != example.mask), "{example:?}");
    }
    let factors = examples.iter().flat_map(|example| &example.mask);
    assert!(factors.clone().all(|&f| f == 0.0 || f == 1.0 / 0.75));
}

#[test]
fn layout_and_microbatches_change_no_bit_for_any_seed() {
    for (seed, p) in [("7", "0.25"), ("8", "0.5"), ("18446744073709551615", "0.9")] {
        let words = ["chapter", "--seed", seed, "--probability", p, "--updates", "2"];
        let masks = run(&Args::parse_from(words)).unwrap().masks;
        assert!(masks.layouts_equal && masks.microbatches_equal, "seed {seed}");
    }
}

#[test]
fn the_mean_of_a_masked_feature_is_the_feature() {
    let quarter = report().expectation;
    assert_eq!(quarter.kept_becomes, 4.0); // 3 / 0.75
    // 3 sqrt((1/4) / (3/4) / 2000) = sqrt(9 / 3 / 2000) = 0.0387298...
    assert!((quarter.standard_error - 0.038_729_833).abs() < 1e-9);
    for (p, seed) in [(0.25, 7), (0.5, 1), (0.9, 2), (0.01, 3)] {
        let p = DropoutProbability::new(p).unwrap();
        let check = expectation(p, seed, 20_000).unwrap();
        assert!(check.z.unwrap().abs() < 4.0, "{check:?}");
        assert!((check.estimated_standard_error.unwrap() / check.standard_error - 1.0).abs() < 0.2);
        let share_error = (p.get() * (1.0 - p.get()) / 20_000.0).sqrt();
        assert!((check.dropped_share - p.get()).abs() < 4.0 * share_error, "{check:?}");
    }
}
