//! What `quantize_row` has to do; both files beside this one are tested with it.

use super::quantize_row;

#[test]
fn codes_are_the_nearest_whole_numbers_of_scales() {
    // The largest weight is 127, so the scale is 1.
    let (scale, codes) = quantize_row(&[127.0, 0.99, -0.99, -3.4, 62.6]);
    assert_eq!((scale, codes), (1.0, vec![127, 1, -1, -3, 63]));
}

#[test]
fn half_way_goes_to_the_even_code() {
    // The largest is -254, so the scale is 2: 0.5, 1.5, 2.5 and -1.5 scales.
    let (scale, codes) = quantize_row(&[-254.0, 1.0, 3.0, 5.0, -3.0]);
    assert_eq!((scale, codes), (2.0, vec![-127, 0, 2, 2, -2]));
}

#[test]
fn no_error_is_larger_than_half_a_scale() {
    let weights: Vec<f64> = (0..200).map(|i| f64::from(i * i % 101) * 0.013 - 0.6).collect();
    let (scale, codes) = quantize_row(&weights);
    for (code, weight) in codes.iter().zip(&weights) {
        let error = (f64::from(*code) * scale - weight).abs();
        assert!(error <= scale * 0.500_000_000_1, "{weight} became {code}");
    }
}

#[test]
fn a_row_of_zeros_has_a_scale_that_can_be_divided_by() {
    let (scale, codes) = quantize_row(&[0.0, 0.0]);
    assert!(scale > 0.0);
    assert_eq!(codes, [0, 0]);
}
