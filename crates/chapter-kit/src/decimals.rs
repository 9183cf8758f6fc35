//! Rounding to six decimals, at the moment a number is written and not before.

use serde::{Serialize, Serializer};
use std::collections::BTreeMap;

/// Writes `value` rounded to six decimals; for fields marked
/// `#[serde(serialize_with = "llm_chapter_kit::six_decimals")]`, whether they hold one number, an
/// optional one, a list or a map of them ([`SixDecimals`]).
///
/// The result is the f64 nearest to the correctly rounded decimal (a tie goes to the even digit,
/// as in the standard library's formatting of the exact binary value), so the text shows at most
/// six decimals. Multiplying by a million, rounding and dividing would round twice. A value that
/// rounds to zero is written as `0.0` whatever its sign. NaN and infinities are passed on as they
/// are; [`finish`](crate::finish) refuses them.
///
/// # Errors
/// Only those of `serializer`.
pub fn six_decimals<T: SixDecimals + ?Sized, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value.serialize_rounded(serializer)
}

/// Writes `value` rounded to two significant digits, `3.5e-11`; for errors, of which the size matters
/// and six decimals would be 0.
///
/// # Errors
/// Only those of `serializer`.
pub fn two_digits<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    let rounded: f64 = format!("{value:.1e}").parse().expect("a formatted f64 is a number");
    serializer.serialize_f64(rounded + 0.0) // no -0.0
}

/// What [`six_decimals`] can write: an f64, and anything made of what it can write.
pub trait SixDecimals {
    /// Writes every number in it rounded.
    ///
    /// # Errors
    /// Only those of `serializer`.
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error>;
}

/// A part of a larger value, on its way to the serializer.
struct Rounded<'a, T: ?Sized>(&'a T);

impl<T: SixDecimals + ?Sized> Serialize for Rounded<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize_rounded(serializer)
    }
}

impl SixDecimals for f64 {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(round_to_six(*self))
    }
}

impl<T: SixDecimals> SixDecimals for Option<T> {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_ref().map(Rounded).serialize(serializer)
    }
}

impl<T: SixDecimals> SixDecimals for [T] {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(Rounded))
    }
}

impl<T: SixDecimals> SixDecimals for Vec<T> {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize_rounded(serializer)
    }
}

impl<T: SixDecimals, const N: usize> SixDecimals for [T; N] {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize_rounded(serializer)
    }
}

impl<K: Serialize, T: SixDecimals> SixDecimals for BTreeMap<K, T> {
    fn serialize_rounded<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter().map(|(key, value)| (key, Rounded(value))))
    }
}

/// The f64 nearest to the six-decimal text of `value`.
fn round_to_six(value: f64) -> f64 {
    let rounded: f64 = format!("{value:.6}").parse().expect("a formatted f64 is a number");
    rounded + 0.0 // -0.0 + 0.0 is 0.0; nothing else changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[track_caller]
    fn assert_written(value: f64, expected: &str) {
        assert_eq!(serde_json::to_string(&round_to_six(value)).unwrap(), expected);
    }

    #[test]
    fn rounds_to_the_nearest_sixth_decimal() {
        assert_written(std::f64::consts::LN_2, "0.693147"); // ln 2 = 0.6931471805...
        assert_written(2.0 / 3.0, "0.666667");
        assert_written(-2.0 / 3.0, "-0.666667");
        assert_written(155.239_619_6, "155.23962");
    }

    #[test]
    fn two_digits_of_an_error_are_kept_whatever_its_size() {
        let written = |value: f64| {
            let mut out = Vec::new();
            two_digits(&value, &mut serde_json::Serializer::new(&mut out)).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(written(3.456e-11), "3.5e-11");
        assert_eq!(written(-0.994), "-0.99");
        assert_eq!(written(-0.0), "0.0");
        assert_eq!(written(1234.0), "1200.0");
    }

    #[test]
    fn whole_and_huge_numbers_keep_their_value() {
        assert_written(2.0, "2.0");
        assert_written(1e300, "1e+300");
        assert_written(9_007_199_254_740_993.0, "9007199254740992.0");
    }

    #[test]
    fn the_exact_binary_value_decides_near_a_tie() {
        // The f64 nearest to 1.0000015 is 1.00000149999999998..., below the tie, but a million times
        // it is rounded to 1000001.5, from where both usual ways of rounding go up.
        assert_written(1.000_001_5, "1.000001");
        // And 2.0000005 is 2.00000050000000006988..., above the tie.
        assert_written(2.000_000_5, "2.000001");
        // 0.5^7 = 0.0078125 is exact: a true tie, which goes to the even digit 2.
        assert_written(0.007_812_5, "0.007812");
        // 3 * 0.5^7 = 0.0234375 is one too: 0.023437 or 0.023438, and 8 is even.
        assert_written(0.023_437_5, "0.023438");
    }

    #[test]
    fn what_rounds_to_zero_has_no_sign() {
        assert_written(-0.0, "0.0");
        assert_written(-4e-7, "0.0");
        assert_written(f64::MIN_POSITIVE, "0.0");
    }

    #[test]
    fn non_finite_values_stay_what_they_are() {
        assert!(round_to_six(f64::NAN).is_nan());
        assert_eq!(round_to_six(f64::INFINITY), f64::INFINITY);
        assert_eq!(round_to_six(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }

    #[test]
    fn numbers_are_rounded_wherever_they_stand() {
        #[derive(Serialize)]
        struct Report {
            #[serde(serialize_with = "six_decimals")]
            best: Option<f64>,
            #[serde(serialize_with = "six_decimals")]
            none: Option<f64>,
            #[serde(serialize_with = "six_decimals")]
            pair: [f64; 2],
            #[serde(serialize_with = "six_decimals")]
            by_split: BTreeMap<&'static str, Vec<f64>>,
        }
        let report = Report {
            best: Some(2.0 / 3.0),
            none: None,
            pair: [1.0 / 3.0, 0.5],
            by_split: BTreeMap::from([("train", vec![1.0 / 7.0, -0.0])]), // 0.142857142...
        };
        assert_eq!(
            serde_json::to_string(&report).unwrap(),
            r#"{"best":0.666667,"none":null,"pair":[0.333333,0.5],"by_split":{"train":[0.142857,0.0]}}"#
        );
    }

    proptest! {
        #[test]
        fn rounding_moves_by_half_a_millionth_and_only_once(value in -1e6..1e6f64) {
            let once = round_to_six(value);
            prop_assert!((once - value).abs() <= 0.5e-6 + 1e-9); // 1e-9: spacing of f64 near 1e6
            prop_assert_eq!(round_to_six(once).to_bits(), once.to_bits());
        }
    }
}
