//! Auditing a printed table: rounded, truncated, or neither?
//!
//! A table prints 2 decimals of numbers that readers can recompute. Two conventions are common:
//!
//! ```text
//! round half up   floor(100 x + 0.5) / 100          0.125 -> 0.13     99.998 -> 100.00
//! truncate        floor(100 x) / 100                0.125 -> 0.12     99.998 ->  99.99
//! ```
//!
//! One number tells which convention gives it ([`convention_of`]). Two numbers that are the same
//! quantity in two units, bits and nats, tell more: each print stands for an interval of values,
//! and the pair is possible only if the intervals, brought to one unit, overlap
//! ([`audit_pair`]). A table that mixes conventions, or a pair that no convention allows, was not
//! made from one set of numbers.

use crate::{MetricError, bits_to_nats};

/// Added before truncating, in units of the last digit: 0.29 is stored as 0.28999.. and must not
/// print as 0.28. Our choice: far below what a table shows, far above rounding errors.
const TRUNCATION_GUARD: f64 = 1e-9;

/// The most decimals that a table of measurements is audited for; scaling stays exact enough.
const MOST_DECIMALS: u32 = 9;

/// How a printed number was made from the exact one.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum PrintConvention {
    /// Only rounding half up gives the print.
    Rounded,
    /// Only truncation gives the print.
    Truncated,
    /// Both give it.
    Either,
    /// Neither gives it: the print belongs to another number.
    Neither,
}

/// Which conventions can have printed both of two numbers.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct PairAudit {
    /// Both can be rounded.
    pub both_rounded: bool,
    /// Both can be truncated.
    pub both_truncated: bool,
}

/// `value` rounded half up to `decimals` places.
///
/// # Errors
/// [`MetricError::OutOfRange`] for more than 9 decimals or a value that is not finite.
pub fn round_half_up(value: f64, decimals: u32) -> Result<f64, MetricError> {
    let scale = checked_scale(value, decimals)?;
    Ok((scale * value + 0.5).floor() / scale)
}

/// `value` without the digits behind `decimals` places (towards minus infinity).
///
/// # Errors
/// As [`round_half_up`].
pub fn truncate(value: f64, decimals: u32) -> Result<f64, MetricError> {
    let scale = checked_scale(value, decimals)?;
    Ok((scale * value + TRUNCATION_GUARD).floor() / scale)
}

/// Which convention makes `printed` out of `exact`.
///
/// # Errors
/// As [`round_half_up`], for either value.
///
/// # Example
/// ```
/// use llm_metrics::{PrintConvention, convention_of};
///
/// let top_1_error = 100.0 * (1.0 - 1.0 / 50_257.0); // 99.99801 %
/// assert_eq!(convention_of(99.99, top_1_error, 2)?, PrintConvention::Truncated);
/// assert_eq!(convention_of(100.00, top_1_error, 2)?, PrintConvention::Rounded);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn convention_of(
    printed: f64,
    exact: f64,
    decimals: u32,
) -> Result<PrintConvention, MetricError> {
    let last_digit = 1.0 / checked_scale(printed, decimals)?;
    let same = |value: f64| (value - printed).abs() < last_digit / 2.0;
    let rounded = same(round_half_up(exact, decimals)?);
    let truncated = same(truncate(exact, decimals)?);
    Ok(match (rounded, truncated) {
        (true, true) => PrintConvention::Either,
        (true, false) => PrintConvention::Rounded,
        (false, true) => PrintConvention::Truncated,
        (false, false) => PrintConvention::Neither,
    })
}

/// Whether one quantity can be printed as `printed_bits` and as `printed_nats`.
///
/// With one step `u` of the last digit: rounded prints stand for `(x - u/2, x + u/2)`, truncated
/// ones for `(x, x + u)`. The bits' interval is multiplied by ln 2 and must overlap that of the
/// nats in more than a point.
///
/// # Errors
/// As [`round_half_up`], for either value.
///
/// # Example
/// ```
/// use llm_metrics::audit_pair;
///
/// // 10.53 rounded means at least 10.525 bits, that is 7.2954 nats: more than 7.295.
/// let audit = audit_pair(10.53, 7.29, 2)?;
/// assert!(!audit.both_rounded && audit.both_truncated);
/// # Ok::<(), llm_metrics::MetricError>(())
/// ```
pub fn audit_pair(
    printed_bits: f64,
    printed_nats: f64,
    decimals: u32,
) -> Result<PairAudit, MetricError> {
    checked_scale(printed_nats, decimals)?;
    let unit = 1.0 / checked_scale(printed_bits, decimals)?;
    let overlap = |below: f64, above: f64| {
        let bits = (bits_to_nats(printed_bits - below), bits_to_nats(printed_bits + above));
        let nats = (printed_nats - below, printed_nats + above);
        bits.0 < nats.1 && nats.0 < bits.1
    };
    Ok(PairAudit {
        both_rounded: overlap(unit / 2.0, unit / 2.0),
        both_truncated: overlap(0.0, unit),
    })
}

/// `10^decimals`, if the value can be printed with that many.
fn checked_scale(value: f64, decimals: u32) -> Result<f64, MetricError> {
    if !value.is_finite() {
        let (what, expected) = ("the audited value", "a finite number");
        return Err(MetricError::OutOfRange { what, value, expected });
    }
    if decimals > MOST_DECIMALS {
        let (what, value) = ("the number of decimals", f64::from(decimals));
        return Err(MetricError::OutOfRange { what, value, expected: "at most 9" });
    }
    Ok(f64::from(10_u32.pow(decimals)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_go_up_and_truncation_keeps_what_is_stored_just_below() {
        assert_eq!(round_half_up(0.125, 2), Ok(0.13));
        assert_eq!(truncate(0.125, 2), Ok(0.12));
        assert_eq!(round_half_up(99.998, 2), Ok(100.0));
        assert_eq!(truncate(99.998, 2), Ok(99.99));
        // 100 * 0.29 is 28.999999999999996 in f64.
        assert_eq!((round_half_up(0.29, 2), truncate(0.29, 2)), (Ok(0.29), Ok(0.29)));
    }

    #[test]
    fn a_column_that_mixes_conventions_is_found_out() {
        // Guessing among V = 50,257 tokens: bits, then top-1, top-10 and top-100 errors in percent.
        let error = |k: f64| 100.0 * (1.0 - k / 50_257.0);
        let column = [(15.62, libm::log2(50_257.0)), (99.99, error(1.0)), (99.98, error(10.0))];
        let found = column.map(|(printed, exact)| convention_of(printed, exact, 2).unwrap());
        use PrintConvention::{Either, Neither, Rounded, Truncated};
        assert_eq!(found, [Rounded, Truncated, Either]);
        assert_eq!(convention_of(99.8, error(100.0), 2), Ok(Either));
        assert_eq!(convention_of(15.63, libm::log2(50_257.0), 2), Ok(Neither));
    }

    #[test]
    fn pairs_are_possible_only_where_their_intervals_overlap() {
        let audits = [(11.21, 7.77), (13.85, 9.60), (4.35, 3.01)]
            .map(|(bits, nats)| audit_pair(bits, nats, 2).unwrap());
        assert_eq!(audits, [PairAudit { both_rounded: true, both_truncated: true }; 3]);
        // 1.00 bits is 0.693 nats; 0.68 is too low for any convention.
        let neither = PairAudit { both_rounded: false, both_truncated: false };
        assert_eq!(audit_pair(1.00, 0.68, 2), Ok(neither));
        // 1.00 bits rounded is 0.6897 to 0.6966 nats, which is 0.69 or 0.70 rounded.
        assert!(audit_pair(1.00, 0.70, 2).unwrap().both_rounded);
        // Truncated it is 0.6931 to 0.7001, so 0.70 is possible, by a hair.
        assert!(audit_pair(1.00, 0.70, 2).unwrap().both_truncated);
        assert!(!audit_pair(1.00, 0.71, 2).unwrap().both_truncated);
    }

    #[test]
    fn what_cannot_be_printed_is_refused() {
        assert!(round_half_up(f64::NAN, 2).is_err() && truncate(f64::INFINITY, 2).is_err());
        assert!(round_half_up(1.0, 10).is_err());
        assert!(audit_pair(1.0, f64::NAN, 2).is_err() && convention_of(1.0, f64::NAN, 2).is_err());
    }
}
