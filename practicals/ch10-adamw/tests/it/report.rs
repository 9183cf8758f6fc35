//! The chapter's numbers against a hand calculation, and what is refused.

use practical_ch10_adamw::{Args, Report, run, valley_runs};

fn args(gradients: &[f64], rate: f64, weight_decay: f64) -> Args {
    Args { gradients: gradients.to_vec(), rate, weight_decay }
}

fn default_report() -> Report {
    run(&args(&[2.0, 1.0, -2.0], 0.1, 0.5)).unwrap()
}

#[track_caller]
fn assert_close(value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{value}, expected {expected}");
}

/// ```text
/// step 1  m = 0.2    M = 2                 v = 0.004        V = 4
/// step 2  m = 0.28   M = 0.28 / 0.19       v = 0.004996     V = 0.004996 / 0.001999
/// step 3  m = 0.052  M = 0.052 / 0.271     v = 0.008991004  V = 0.008991004 / 0.002997001
/// ```
/// A step is 0.1 M / sqrt(V): 0.1, 0.0932180, 0.0110783. Matrices lose 0.05 w more.
#[test]
fn three_steps_are_those_of_the_hand_calculation() {
    let steps = default_report().steps;
    let expected = [
        (0.2, 0.004, 2.0, 4.0, 0.85, 0.9),
        (0.28, 0.004_996, 0.28 / 0.19, 0.004_996 / 0.001_999, 0.714_282, 0.806_782),
        (0.052, 0.008_991_004, 0.052 / 0.271, 3.0, 0.667_490, 0.795_704),
    ];
    assert_eq!(steps.len(), 3);
    for (step, (m, v, corrected_m, corrected_v, matrix, gain)) in steps.iter().zip(expected) {
        assert_close(step.first_moment, m, 1e-15);
        assert_close(step.second_moment, v, 1e-15);
        assert_close(step.corrected_first, corrected_m, 1e-12);
        assert_close(step.corrected_second, corrected_v, 1e-6);
        assert_close(step.matrix_weight, matrix, 1e-6);
        assert_close(step.gain_weight, gain, 1e-6);
    }
}

#[test]
fn the_size_of_the_gradient_cancels() {
    let steps = |factor: f64| {
        let gradients = [2.0, 1.0, -2.0].map(|g| g * factor);
        run(&args(&gradients, 0.1, 0.5)).unwrap().steps
    };
    for (small, large) in steps(1.0).iter().zip(steps(100.0)) {
        assert_close(small.gain_weight, large.gain_weight, 1e-8);
    }
}

#[test]
fn only_matrices_decay_and_every_weight_has_two_moments() {
    let model = default_report().model;
    // 266 * 8 + 4 * 8 * 8 + 3 * 8 * 16 + 3 * 8
    assert_eq!((model.weights, model.moments), (2792, 5584));
    assert_eq!(model.parameters.len(), 11);
    for parameter in &model.parameters {
        assert_eq!(parameter.moments, 2 * parameter.shape.iter().product::<usize>());
        let expected = if parameter.shape.len() == 2 { 0.95 } else { 1.0 };
        assert_close(parameter.kept, expected, 1e-15);
        assert_eq!(parameter.shape.len() == 1, parameter.name.ends_with("gain"));
    }
}

/// Plain descent multiplies x by 12/13 and y by -12/13 in a step, hence f by (12/13)^2.
#[test]
fn the_valley_is_that_of_the_lesson() {
    let [descent, diverged, adamw, scaled] = &valley_runs().unwrap()[..] else { panic!() };
    assert_close(descent.x_after_1, 12.0 / 13.0, 1e-15);
    assert_close(descent.y_after_1, -12.0 / 13.0, 1e-15);
    assert_close(descent.f_after_10, 13.0 * (12.0_f64 / 13.0).powi(20), 1e-12);
    assert_close(descent.f_after_50, 13.0 * (12.0_f64 / 13.0).powi(100), 1e-12);
    assert!(diverged.f_after_10 > 1e20);
    // The first step is the rate in each direction, and the scale cancels.
    assert_close(adamw.x_after_1, 0.9, 1e-8);
    assert_close(adamw.y_after_1, 0.9, 1e-8);
    assert_close(adamw.f_after_50, scaled.f_after_50, 1e-8);
    assert!(adamw.f_after_50 < descent.f_after_50);
}

#[test]
fn numbers_that_cannot_be_are_refused_by_name() {
    for (bad, name) in [
        (args(&[], 0.1, 0.5), "--gradients"),
        (args(&[1.0, f64::NAN], 0.1, 0.5), "--gradients: number 2 is NaN"),
        (args(&[1e101], 0.1, 0.5), "--gradients: number 1 is 1e101"),
        (args(&[1.0; 1001], 0.1, 0.5), "--gradients"),
        (args(&[1.0], -0.1, 0.5), "--rate is -0.1"),
        (args(&[1.0], f64::NAN, 0.5), "--rate"),
        (args(&[1.0], 0.1, -0.5), "--weight-decay is -0.5"),
        (args(&[1.0], 0.1, f64::INFINITY), "--weight-decay"),
    ] {
        let error = run(&bad).unwrap_err().to_string();
        assert!(error.starts_with(name), "{error}");
    }
}
