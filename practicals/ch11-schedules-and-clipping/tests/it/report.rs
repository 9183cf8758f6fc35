//! The chapter's numbers against hand calculations, and what is refused.

use practical_ch11_schedules_and_clipping::{
    Args, clip_two_ways, clipped_updates, refused_update, run,
};

fn args() -> Args {
    Args { peak: 0.8, floor: 0.2, warmup: 4, updates: 10, gradient: vec![3.0, 4.0], limit: 1.0 }
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-12, "{value}, expected {expected}");
}

/// Steps of 30 degrees from update 4 on: 0.5 + 0.3 cos, with the cosines 1, √3/2, 1/2, 0, ...
#[test]
fn the_table_of_rates_is_the_one_worked_out_by_hand() {
    let rates = run(&args()).unwrap().rates;
    let root = 3f64.sqrt();
    let cosine = [0.8, 0.5 + 0.15 * root, 0.65, 0.5, 0.35, 0.5 - 0.15 * root, 0.2, 0.2];
    let warmup = [0.2, 0.4, 0.6, 0.8];
    assert_eq!(rates.len(), 12);
    for (row, expected) in rates.iter().zip(warmup.into_iter().chain(cosine)) {
        assert_close(row.warmup_cosine, expected);
        assert_close(row.constant, 0.8);
        assert_close(row.warmup, if row.update < 4 { expected } else { 0.8 });
    }
}

#[test]
fn a_gradient_of_norm_five_keeps_its_direction_and_gets_the_norm_one() {
    let [by_norm, by_element] = &clip_two_ways(&[3.0, 4.0], 1.0)[..] else { panic!() };
    assert_close(by_norm.gradient[0], 0.6);
    assert_close(by_norm.gradient[1], 0.8);
    assert_close(by_norm.norm, 1.0);
    assert_close(by_norm.cosine, 1.0);
    assert_eq!(by_element.gradient, [1.0, 1.0]);
    assert_close(by_element.cosine, 7.0 / (5.0 * 2f64.sqrt())); // (3 + 4) / (|(3, 4)| |(1, 1)|)
}

#[test]
fn gradients_within_the_limit_and_gradients_of_zero_stay() {
    for gradient in [vec![3.0, -4.0], vec![0.0, 0.0]] {
        for clipped in clip_two_ways(&gradient, 5.0) {
            assert_eq!(clipped.gradient, gradient);
            assert_close(clipped.cosine, 1.0);
        }
    }
}

#[test]
fn training_clips_what_is_above_the_limit_and_nothing_else() {
    let updates = clipped_updates().unwrap();
    assert!(updates.iter().all(|update| update.clipped == (update.gradient_norm > 5.0)));
    let clipped = updates.iter().filter(|update| update.clipped).count();
    assert!((1..8).contains(&clipped), "both kinds are there to be seen: {clipped}");
    // Warm-up over two: 0.1 / 2, then the peak.
    assert_eq!([updates[0].rate, updates[1].rate], [0.05, 0.1]);
}

#[test]
fn a_refused_update_leaves_no_trace() {
    let refusal = refused_update().unwrap();
    assert!(refusal.mean_nll.is_finite());
    assert_eq!(refusal.updates, [1, 1]);
    assert_eq!((refusal.changed_weights, refusal.changed_moments), (0, 0));
    assert!(refusal.goes_on_as_if_never_asked);
}

#[test]
fn what_cannot_be_is_refused_by_name() {
    type Spoil = fn(&mut Args);
    let cases: [(&str, Spoil); 11] = [
        ("training configuration: peak is -1", |a| a.peak = -1.0),
        ("training configuration: floor is 0.9", |a| a.floor = 0.9),
        ("training configuration: updates is 4", |a| a.updates = 4),
        ("--updates is 1001", |a| a.updates = 1001),
        ("--peak is 1e9", |a| a.peak = 1e9),
        ("--limit is 0e0", |a| a.limit = 0.0),
        ("--limit is NaN", |a| a.limit = f64::NAN),
        ("--gradient: give", |a| a.gradient = Vec::new()),
        ("--gradient: element 2 is NaN", |a| a.gradient = vec![1.0, f64::NAN]),
        ("--gradient: element 1 is -1e101", |a| a.gradient = vec![-1e101]),
        ("--gradient: give", |a| a.gradient = vec![1.0; 1001]),
    ];
    for (message, spoil) in cases {
        let mut args = args();
        spoil(&mut args);
        let error = run(&args).unwrap_err().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
