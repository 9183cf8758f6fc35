//! Unit tests of the superaccumulator: hand-worked values and the private steps.

use super::*;
use proptest::prelude::*;

fn sum(terms: &[f64]) -> f64 {
    terms.iter().copied().collect::<ExactSum>().value()
}

/// Equality of bits: tells `-0.0` from `0.0` and takes NaN for equal to itself.
#[track_caller]
fn assert_same_bits(left: f64, right: f64) {
    assert_eq!(left.to_bits(), right.to_bits(), "{left:e} against {right:e}");
}

#[test]
fn a_float_is_taken_apart_into_its_integer_and_its_column() {
    assert_eq!(significand_and_column(0.0), (0, 0));
    assert_eq!(significand_and_column(f64::from_bits(1)), (1, 0)); // 2^-1074
    assert_eq!(significand_and_column(f64::MIN_POSITIVE), (1 << 52, 0)); // 2^-1022
    assert_eq!(significand_and_column(1.0), (1 << 52, 1022)); // 52 + 1022 = 1074
    assert_eq!(significand_and_column(-1.5), (3 << 51, 1022));
    assert_eq!(significand_and_column(f64::MAX), ((1 << 53) - 1, 2045));
}

#[test]
fn no_terms_and_zeros_of_either_sign_sum_to_positive_zero() {
    for terms in [&[][..], &[0.0], &[-0.0], &[-0.0, -0.0], &[1.5, -1.5]] {
        assert_same_bits(sum(terms), 0.0);
    }
}

#[test]
fn ties_go_to_the_even_neighbour() {
    let two_53 = (1_u64 << 53) as f64; // from here on floats are 2 apart
    assert_same_bits(sum(&[two_53, 1.0]), two_53);
    assert_same_bits(sum(&[two_53 + 2.0, 1.0]), two_53 + 4.0);
    assert_same_bits(sum(&[-two_53, -1.0]), -two_53);
    let least = f64::from_bits(1);
    assert_same_bits(sum(&[two_53, 1.0, least]), two_53 + 2.0); // no tie any more
    assert_same_bits(sum(&[two_53 + 2.0, 1.0, -least]), two_53 + 2.0);
}

#[test]
fn a_sum_may_pass_beyond_the_largest_float_and_come_back() {
    let there_and_back = [f64::MAX, f64::MAX, f64::MAX, 1.0, -f64::MAX, -f64::MAX, -f64::MAX];
    assert_same_bits(sum(&there_and_back), 1.0);
    assert_same_bits(sum(&[f64::MAX, f64::MAX]), f64::INFINITY);
    assert_same_bits(sum(&[f64::MIN, f64::MIN]), f64::NEG_INFINITY);
}

#[test]
fn infinite_and_nan_terms_follow_ieee_754_and_stay() {
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    assert_same_bits(sum(&[1.0, inf, -1e308, inf]), inf);
    assert_same_bits(sum(&[-inf, 7.0]), -inf);
    assert_same_bits(sum(&[inf, 1.0, -inf]), nan);
    assert_same_bits(sum(&[inf, -inf, inf]), nan);
    assert_same_bits(sum(&[nan, inf]), nan);
    assert_same_bits(sum(&[1.0, -nan]), nan); // the sign of a NaN does not survive
    // A finite sum that only rounds to infinity is no infinite term: it can still come back.
    assert_same_bits(sum(&[f64::MAX, f64::MAX, f64::MIN]), f64::MAX);
}

#[test]
fn equal_sums_are_equal_values_however_they_came_about() {
    let long_way: ExactSum = [1e300, 0.1, -1e300, 0.2, -0.1].into_iter().collect();
    assert_eq!(long_way, ExactSum::from_iter([0.2]));
    // 0.1 + 0.2 differs from 0.3 by less than half a step; both are read as sums, not as floats.
    assert_ne!(ExactSum::from_iter([0.1, 0.2]), ExactSum::from_iter([0.3]));
    assert_eq!(ExactSum::default(), ExactSum::new());
}

#[test]
fn infinite_sums_are_equal_whatever_else_they_hold() {
    let infinite = |other| ExactSum::from_iter([f64::INFINITY, other]);
    assert_eq!(infinite(1.0), infinite(2.0));
    assert_ne!(infinite(1.0), ExactSum::from_iter([f64::NEG_INFINITY, 1.0]));
    assert_ne!(infinite(1.0), ExactSum::from_iter([1.0]));
    assert_ne!(infinite(1.0), ExactSum::from_iter([f64::MAX, f64::MAX])); // finite, but too large
    assert_ne!(infinite(f64::NAN), infinite(f64::NAN));
}

#[test]
fn debug_output_shows_what_rounding_would_lose() {
    let sum = ExactSum::from_iter([1.0, 1e-20]);
    assert_eq!(format!("{sum:?}"), "ExactSum { value: 1.0, rest: 1e-20 }");
}

#[test]
fn merging_moves_carries_across_every_limb() {
    let least = f64::from_bits(1);
    let mut below_zero: ExactSum = [-least].into_iter().collect(); // all 2176 digits are 1
    assert!(below_zero.limbs.iter().all(|&limb| limb == u64::MAX));
    below_zero.merge(&ExactSum::from_iter([least])); // and the carry turns each into 0
    assert_eq!(below_zero, ExactSum::new());
}

#[test]
fn the_harmonic_series_has_the_bits_that_fsum_gives() {
    // python3: math.fsum(1/n for n in range(1, 1001)) and the alternating series
    let harmonic = (1..=1000).map(|n| 1.0 / f64::from(n)).collect::<ExactSum>();
    assert_same_bits(harmonic.value(), f64::from_bits(0x401d_f11f_45f4_e61a));
    let signs = |n: i32| if n % 2 == 0 { 1.0 } else { -1.0 };
    let alternating = (1..=1000).map(|n| signs(n) / f64::from(n)).collect::<ExactSum>();
    assert_same_bits(alternating.value(), f64::from_bits(0xbfe6_2a2a_f1bd_3624));
}

proptest! {
    /// The slow reference: multiples of 2^-40 added as 128-bit integers, which convert to `f64`
    /// with one rounding to even; scaling by a power of two then changes nothing.
    #[test]
    fn agrees_with_128_bit_integers(
        units in prop::collection::vec(-(1_i64 << 53)..(1 << 53), 0..40),
        scale in prop_oneof![Just(-40), Just(900), Just(-1074)],
    ) {
        let power = libm::ldexp(1.0, scale);
        let expected = units.iter().map(|&unit| i128::from(unit)).sum::<i128>() as f64 * power;
        let terms: Vec<f64> = units.iter().map(|&unit| unit as f64 * power).collect();
        prop_assert_eq!(sum(&terms).to_bits(), expected.to_bits());
    }

    /// One term comes back as it was, whatever its bits (-0.0 as 0.0).
    #[test]
    fn one_term_is_its_own_sum(term in any::<f64>()) {
        prop_assert_eq!(sum(&[term]).to_bits(), (term + 0.0).to_bits());
    }

    /// A rounded sum is within half a step of the exact one: what is left after subtracting it is
    /// at most half the distance to either neighbour.
    #[test]
    fn no_neighbour_is_nearer_than_the_value(terms in prop::collection::vec(-1e300..1e300, 1..20)) {
        let mut rest: ExactSum = terms.into_iter().collect();
        let value = rest.value();
        rest.add(-value);
        let rest = rest.value();
        for neighbour in [value.next_up(), value.next_down()] {
            prop_assert!(rest.abs() <= (neighbour - value).abs() / 2.0);
        }
    }
}
