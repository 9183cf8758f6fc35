//! The numbers of the report, worked out by hand.

use clap::Parser;
use practical_ch06_tensors_and_autograd::{Args, Report, run, scalar_graph};

fn report() -> Report {
    run(&Args::parse_from(["chapter"])).unwrap()
}

#[test]
fn the_forward_pass_is_the_one_on_paper() {
    // 3 * 2 = 6; 6 - 5 = 1; 1 - 3 = -2; (-2)^2 = 4.
    let values: Vec<f64> = report().scalar_graph.forward.iter().map(|row| row.value).collect();
    assert_eq!(values, [3.0, 2.0, -5.0, 3.0, 6.0, 1.0, -2.0, 4.0]);
}

#[test]
fn the_walk_back_is_the_one_on_paper() {
    // d loss / d error = 2 * error = -4. It passes to the prediction and, negated, to the target;
    // from the prediction to the product and the bias; from there w gets -4 * 2, x gets -4 * 3.
    let expected = [
        ("loss", 1.0),
        ("error", -4.0),
        ("prediction", -4.0),
        ("product", -4.0),
        ("target", 4.0),
        ("bias", -4.0),
        ("input", -12.0),
        ("weight", -8.0),
    ];
    let graph = report().scalar_graph;
    let walked: Vec<_> = graph.backward.iter().map(|row| (row.name, row.gradient)).collect();
    assert_eq!(walked, expected);
    let product = graph.backward.iter().find(|row| row.name == "product").unwrap();
    assert_eq!(product.to, ["weight", "input"]);
    assert_eq!(product.they_have, [-8.0, -12.0]);
}

#[test]
fn the_gradient_of_any_prediction_is_twice_the_error_times_the_input() {
    for (weight, input, bias, target) in [(0.5, -4.0, 1.0, 2.0), (1.0, 0.0, 0.0, 0.0)] {
        let args = Args { weight, input, bias, target };
        let error = weight * input + bias - target;
        let graph = scalar_graph(&args).unwrap();
        let of = |name| graph.backward.iter().find(|row| row.name == name).unwrap().gradient;
        assert_eq!([of("weight"), of("bias")], [2.0 * error * input, 2.0 * error]);
    }
}

#[test]
fn a_repeated_row_gets_the_sums_of_the_columns() {
    let report = report().broadcasting;
    // 1 + 20 + 300 and 4 + 50 + 600.
    assert_eq!((report.sums_along_axis_1, report.total), (vec![321.0, 654.0], 975.0));
    assert_eq!(report.gradient_of_row, [5.0, 7.0, 9.0]); // 1 + 4, 2 + 5, 3 + 6
    assert_eq!(report.gradient_of_matrix, [[1.0, 10.0, 100.0], [1.0, 10.0, 100.0]]);
    assert_eq!(report.tape, ["variable", "variable", "broadcast", "mul", "sum_axis", "sum"]);
}

#[test]
fn only_a_recording_with_a_variable_records_and_only_once() {
    let uses = report().tape_uses;
    assert_eq!(uses.recorded_with_a_variable, 4); // x, mul, add, sum
    assert_eq!((uses.recorded_with_constants, uses.recorded_without_gradient), (0, 0));
    assert!(uses.same_bits);
    assert_eq!(uses.recorded_after_backward, 0);
    assert!(uses.second_backward.contains("consumed by an earlier backward pass"));
    assert!(uses.backward_without_gradient.contains("not recorded"));
}

#[test]
fn the_error_of_a_quotient_first_falls_with_the_square_of_the_step_and_then_rises() {
    // (e^(1+h) - e^(1-h)) / 2h = e (1 + h^2 / 6 + ...), and the error is relative to e.
    let rows = report().step_sizes;
    for row in &rows[..3] {
        assert!((row.error / (row.step * row.step / 6.0) - 1.0).abs() < 1e-2, "{row:?}");
    }
    let smallest = rows.iter().map(|row| row.error).fold(f64::INFINITY, f64::min);
    assert!(smallest < 1e-10);
    assert!(rows.last().unwrap().error > 1e-6); // rounding, divided by a tiny step
}

#[test]
fn every_operation_agrees_with_its_quotients() {
    let rows = report().operations;
    assert!(rows.len() >= 25);
    assert!(rows.iter().all(|row| row.largest_error < 1e-8), "{rows:?}");
}
