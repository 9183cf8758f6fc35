//! The chapter's numbers against hand calculations, and what is refused.

use practical_ch13_accumulated_updates::{Args, Losses, Report, compare_gradients, pool, run};

fn losses(microbatches: &[&[f64]]) -> Vec<Losses> {
    microbatches.iter().map(|losses| Losses(losses.to_vec())).collect()
}

fn default_report() -> Report {
    run(&Args { microbatches: losses(&[&[4.0], &[1.0, 1.0, 1.0]]) }).unwrap()
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
}

#[test]
fn four_and_three_times_one_make_one_and_three_quarters() {
    let pooled = default_report().losses;
    assert_eq!(pooled.target_counts, [1, 3]);
    assert_eq!(pooled.mean_nll, 1.75); // (4 + 1 + 1 + 1) / 4
    assert_close(pooled.perplexity, 1.75_f64.exp());
    assert_eq!(pooled.incorrect_mean_of_means, 2.5); // (4 + 1) / 2
    assert_close(pooled.incorrect_perplexity, 2.5_f64.exp());
    assert_close(pooled.incorrect_mean_perplexity, (4.0_f64.exp() + 1.0_f64.exp()) / 2.0);
}

#[test]
fn equal_microbatches_hide_the_mistake_and_the_order_does_not_matter() {
    let equal = pool(&losses(&[&[1.0, 3.0], &[0.5, 0.5]])).unwrap();
    assert_eq!(equal.mean_nll, equal.incorrect_mean_of_means);
    let parts: [&[f64]; 3] = [&[0.1, 0.2], &[0.3], &[700.0, 1e-9, 0.7]];
    let forwards = pool(&losses(&parts)).unwrap().mean_nll;
    let backwards = pool(&losses(&[parts[2], parts[1], parts[0]])).unwrap().mean_nll;
    assert_eq!(forwards.to_bits(), backwards.to_bits());
}

#[test]
fn gradients_are_the_same_bits_in_one_batch_packed_and_accumulated() {
    let rows = compare_gradients().unwrap();
    let same: Vec<bool> = rows.iter().map(|row| row.same_bits).collect();
    assert_eq!(same, [true, true, true, false]);
    assert_eq!(rows.iter().map(|row| row.microbatches).collect::<Vec<_>>(), [1, 1, 2, 2]);
    assert!(rows[3].largest_difference > 0.01);
    assert!(rows.iter().all(|row| row.norm > 1.0));
}

/// Both are figures of chapter 16 (`testdata/figures.json` there), which were not computed with this code:
/// 4.172745 with every target alike, 3.918773 with every document alike.
#[test]
fn eighty_updates_end_at_the_figures_of_chapter_sixteen() {
    let training = default_report().training;
    let [one_batch, microbatches, wrong] = &training[..] else { panic!("three runs") };
    assert!((one_batch.validation_nll - 4.172745).abs() < 5e-7);
    assert!(microbatches.same_bits && !wrong.same_bits);
    assert!((wrong.validation_nll - 3.918773).abs() < 5e-7);
}

#[test]
fn what_is_no_loss_is_refused() {
    for bad in ["", "x", "1,", "-1", "nan", "inf", "701"] {
        let error = bad.parse::<Losses>().unwrap_err();
        assert!(error.contains("is no loss: expected a number from 0 to 700"), "{error}");
    }
    assert_eq!("0, 700".parse::<Losses>().unwrap(), Losses(vec![0.0, 700.0]));
    assert!(pool(&[]).is_err());
    assert!(pool(&losses(&[&[1.0], &[]])).is_err());
}
