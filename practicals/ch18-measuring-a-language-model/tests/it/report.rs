//! The report, against values worked out by hand or drawn by another library.

use llm_from_scratch_practical::metrics::random_guess_bits;
use practical_ch18_measuring_a_language_model::{Args, run};

use crate::support::{default_args, default_report};

#[track_caller]
fn assert_near(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found}, expected {expected}");
}

#[test]
fn the_worked_document_has_the_numbers_of_its_probabilities() {
    let document = &default_report().worked_document;
    // 0.5 * 0.25 * 0.9 * 0.01 * 0.6 = 0.000675, and -log2 of it is 10.5328.
    assert_near(document.likelihood, 0.000_675, 1e-15);
    assert_near(document.nll_bits, 10.5328, 5e-5);
    assert_near(document.nll_nats, 7.3008, 5e-5); // -ln 0.000675
    assert_near(document.bits_per_token, 10.5328 / 5.0, 1e-5);
    assert_near(document.nats_per_token, 1.460_16, 1e-5);
    assert_near(document.perplexity, 4.3066, 5e-5); // 2^2.10656
    assert_near(document.geometric_mean_probability, 0.2322, 5e-5);
    assert_near(document.arithmetic_mean_probability, 0.452, 1e-15); // 2.26 / 5
    assert_near(document.share_of_dearest_token, 6.643_856 / 5.0, 1e-6);
    let ranks: Vec<usize> = document.tokens.iter().map(|token| token.rank).collect();
    assert_eq!(ranks, [1, 2, 1, 37, 1]);
    let errors: Vec<(usize, f64)> = document.top_k_errors.iter().map(|e| (e.k, e.error)).collect();
    assert_eq!(errors, [(1, 0.4), (2, 0.2), (5, 0.2), (10, 0.2), (36, 0.2), (37, 0.0)]);
}

#[test]
fn the_averages_of_two_documents_differ_as_their_covariance_says() {
    let averages = default_report().two_documents;
    // (12 + 3) / 2; (24 + 600) / 202; deviations -99 * 4.5 and 99 * -4.5; over 101.
    assert_near(averages.document_level, 7.5, 0.0);
    assert_near(averages.token_level, 624.0 / 202.0, 1e-15);
    assert_near(averages.covariance, -445.5, 0.0);
    assert_near(averages.predicted_difference, -445.5 / 101.0, 1e-15);
    assert_near(averages.difference, averages.predicted_difference, 1e-14);
}

#[test]
fn the_corpus_has_the_averages_of_its_population() {
    let corpus = &default_report().synthetic_corpus;
    assert_eq!(corpus.documents, 10_000);
    // 3.2 + 0.6 (ln 1128 - ln 680) = 3.5037, standard deviation sqrt(0.6^2 + 0.4^2) = 0.721.
    assert_near(corpus.longer_is_easier.document_level, 3.5037, 3.0 * 0.007_21);
    assert_near(corpus.standard_error, 0.007_21, 2e-4);
    // 0.6 less, and the error of a ratio weighted by lognormal lengths is larger.
    assert_near(corpus.longer_is_easier.difference, -0.6, 0.04);
    assert_near(corpus.length_does_not_matter.difference, 0.0, 0.04);
    for averages in [corpus.longer_is_easier, corpus.length_does_not_matter] {
        assert_near(averages.difference, averages.predicted_difference, 1e-12);
    }
}

#[test]
fn one_token_moves_the_mean_without_limit_and_the_error_by_a_hundredth() {
    let report = &default_report().bad_token;
    let [clean, bad, guessing] = report.documents[..] else { panic!() };
    assert_eq!((clean.bits_per_token, clean.rise), (1.0, 0.0));
    // 30 log2 10 = 99.6578; (99 + 99.6578) / 100; the share is 0.996578, the rise 0.986578.
    assert_near(bad.minus_log10_probability, 30.0, 1e-12);
    assert_near(bad.bits_per_token, 1.986_578, 1e-6);
    assert_near(bad.share, 0.996_578, 1e-6);
    assert_near(bad.rise, 0.986_578, 1e-6);
    // 100 log2 50257 - 99 = 1462.7037, of which ten to the minus 440.32.
    assert_near(guessing.bits, 1462.7037, 1e-4);
    assert_near(guessing.minus_log10_probability, 440.32, 1e-2);
    assert_eq!(report.largest_change_of_top_k_error, 0.01);
    assert!(report.bits_per_token_are_bounded.starts_with("no: "));
    assert_near(report.smoothed_bits_at_most, 18.939, 5e-4); // log2 502570
}

#[test]
fn single_precision_loses_the_probability_and_not_its_logarithm() {
    let found = &default_report().bad_token.single_precision;
    assert_eq!((found.softmax_probability, found.log_softmax_nats), (0.0, 110.0));
    assert_eq!(found.softmax_surprisal, "infinite");
    assert_near(found.log_softmax_bits, 158.696, 1e-3); // 110 / ln 2
    assert_near(found.bits_per_token, 2.576_96, 1e-5); // (99 + 158.696) / 100
}

#[test]
fn the_guessing_column_mixes_two_ways_of_printing() {
    let guess = &default_report().random_guess;
    assert_near(guess.bits, 15.617, 5e-4);
    assert_near(guess.perplexity, 50_257.0, 1e-7);
    let conventions: Vec<&str> = guess.column.iter().map(|entry| entry.convention).collect();
    let either = "rounded or truncated";
    assert_eq!(conventions, ["rounded", "truncated", either, either]);
}

#[test]
fn one_row_of_the_table_cannot_have_been_rounded() {
    let rows = &default_report().table_audit;
    let rounded: Vec<bool> = rows.iter().map(|row| row.both_rounded).collect();
    assert_eq!(rounded, [false, true, true, true]);
    assert!(rows.iter().all(|row| row.both_truncated && row.difference.abs() < 0.01));
    assert_near(rows[0].bits_in_nats, 7.2988, 5e-5);
    assert_near(rows[3].perplexity, 20.4, 5e-2);
}

#[test]
fn sampled_text_costs_what_the_entropy_table_says() {
    let entropy = &default_report().entropy;
    assert_eq!(entropy.entropy, 1.75);
    let costs: Vec<f64> = entropy.models.iter().map(|row| row.cross_entropy).collect();
    assert_near(costs[0], 1.75, 0.0);
    assert_near(costs[1], 2.0, 0.0);
    assert_near(costs[2], 1.918_25, 1e-5); // 0.5 log2(1/0.7) + 0.5 log2 10
    for row in &entropy.models {
        assert_near(row.divergence, row.cross_entropy - 1.75, 1e-15);
        assert_near(row.sampled, row.cross_entropy, 3.0 * row.standard_error + 1e-12);
    }
}

#[test]
fn no_row_breaks_a_claim_about_rank_for_any_of_three_seeds() {
    for seed in 0..3 {
        let report = run(&Args { seed, draws: 400, documents: 2, tokens: 1, ..default_args() });
        let links = report.unwrap().links;
        assert_eq!((links.rows, links.documents), (400, 10));
        assert_eq!((links.token_violations, links.document_violations), (0, 0));
        assert_eq!(Ok(links.allowed), random_guess_bits(links.vocab_size));
        assert!(links.dearest_first_guess > 0.5 && links.dearest_first_guess <= links.allowed);
    }
    assert_eq!(default_report().links.rows, 8_000);
}

#[test]
fn the_self_test_has_its_answers() {
    let answers = &default_report().self_test;
    let four = answers.four_tokens;
    // 1 + 2 + 3 + 4 bits over 4 tokens; ranks 1, 1, 3, 2.
    assert_near(four.nll_bits, 10.0, 1e-12);
    assert_near(four.bits_per_token, 2.5, 1e-12);
    assert_near(four.perplexity, 5.656_854, 1e-6); // 2^2.5
    assert_eq!((four.top_1_error, four.top_2_error), (0.5, 0.25));
    assert!(answers.token_level < answers.document_level);
    let guessing = answers.against_guessing;
    assert_near(guessing.nats_in_bits, 4.3425, 5e-5); // 3.01 / ln 2
    assert_near(guessing.ratio, 3.59, 5e-3);
    assert_near(guessing.ratio_of_mixed_units, 5.19, 5e-3);
    assert_near(guessing.times_fewer_choices, 2464.0, 0.5);
}

#[test]
fn a_seed_gives_one_report_and_changes_only_what_is_random() {
    let small = |seed| {
        run(&Args { seed, documents: 100, tokens: 100, draws: 40, ..default_args() }).unwrap()
    };
    assert_eq!(small(7), small(7));
    let (one, other) = (small(1), small(2));
    assert_ne!(one.synthetic_corpus, other.synthetic_corpus);
    assert_ne!(one.links, other.links);
    assert_eq!(one.worked_document, other.worked_document); // the rows differ, the scores do not
    assert_eq!(one.table_audit, other.table_audit);
}
