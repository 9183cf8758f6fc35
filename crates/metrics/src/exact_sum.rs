//! Summing floating-point numbers without rounding: a superaccumulator.
//!
//! # The problem
//!
//! `(1e16 + 1.0) + 1.0` is `1e16`, but `1e16 + (1.0 + 1.0)` is `1e16 + 2`. Every floating-point
//! addition rounds, so a sum depends on the order and the grouping of its terms. For a corpus
//! score that means: another batch size, another score.
//!
//! # The idea: integers do not round
//!
//! Every finite `f64` is a whole number of the smallest positive one, `2^-1074`. Measured in that
//! unit a sum of floats is a sum of *integers*, which is exact, and which no order or grouping can
//! change. The integers are long, up to 2098 binary digits, but there is one fixed row of digits
//! that holds them all:
//!
//! ```text
//!   column    2175        2097              1074                       0
//!   weight    sign        2^1023            2^0                        2^-1074
//!             | headroom  | whole numbers   | fractions                |
//!   1.5                                    11
//!   2^-1074                                                            1
//!   f64::MAX              1111..(53 digits)
//! ```
//!
//! A float is a stripe of 53 digits (its significand) laid down at a column (its exponent), so
//! adding one touches two 64-bit limbs of the row and then whatever a carry reaches. Negative sums
//! are in two's complement, as in any machine integer. The headroom on the left takes `2^77`
//! additions of the largest float, more than any machine will ever do; even beyond it nothing
//! would break but the sum itself.
//!
//! Rounding happens once, in [`ExactSum::value`], to the nearest `f64`, in a tie to the even one.
//! The result is the one Python's `math.fsum` gives by another method.
//!
//! # Sources
//!
//! Kulisch, *Computer Arithmetic and Validity* (2nd ed. 2013), for the long fixed-point register;
//! Neal, *Fast exact summation using small and large superaccumulators* (2015),
//! <https://arxiv.org/abs/1505.05571>, also for faster layouts. Storing plain two's complement and
//! moving carries at once is our choice: it is the shortest to explain, and a sum then has one
//! single representation, so equal sums are equal values.

use std::fmt;

/// Limbs of 64 bits: 2098 for every finite `f64`, the rest for carries and the sign.
const LIMBS: usize = 34;
/// Binary digits of a significand, the leading 1 included.
const SIGNIFICAND_BITS: usize = 53;
/// Digits of a significand that are stored; the leading 1 of a normal number is implied.
const FRACTION_BITS: usize = SIGNIFICAND_BITS - 1;
/// The implied leading 1.
const LEADING_ONE: u64 = 1 << FRACTION_BITS;

/// A sum of `f64` values that is exact until it is read.
///
/// Adding is associative and commutative: any order, any split into partial sums that are merged
/// later, gives the same bits. Nothing overflows on the way, so a huge term that a later one
/// cancels leaves no trace.
///
/// Infinities and NaN follow IEEE 754 and stay: an infinite sum remains infinite, and NaN or
/// infinity minus infinity makes it NaN. A sum that is zero reads as `+0.0`, also that of no terms
/// and that of `-0.0` alone. Two sums are equal (`==`) if they are the same real number, unrounded,
/// or the same infinity; as in IEEE 754, NaN equals nothing.
///
/// # Example
/// ```
/// use llm_metrics::ExactSum;
///
/// let terms = [1e100, 1.0, -1e100];
/// assert_eq!(terms.iter().sum::<f64>(), 0.0); // the 1 was rounded away
/// assert_eq!(terms.into_iter().collect::<ExactSum>().value(), 1.0);
/// ```
#[derive(Clone)]
pub struct ExactSum {
    /// The finite terms: a two's complement integer in units of `2^-1074`, lowest limb first.
    limbs: [u64; LIMBS],
    /// The sum of the infinite and NaN terms, else 0. An ordinary float is enough here: among
    /// 0, the infinities and NaN floating-point addition is already exact and order-free.
    non_finite: f64,
}

impl ExactSum {
    /// The empty sum, 0.
    pub fn new() -> Self {
        Self { limbs: [0; LIMBS], non_finite: 0.0 }
    }

    /// Adds one term, exactly.
    pub fn add(&mut self, term: f64) {
        if !term.is_finite() {
            self.non_finite += term;
            return;
        }
        let (significand, column) = significand_and_column(term);
        let stripe = u128::from(significand) << (column % 64);
        let stripe = [stripe as u64, (stripe >> 64) as u64];
        let limbs = &mut self.limbs[column / 64..]; // the digits to the right cannot change
        if term.is_sign_negative() {
            subtract_integer(limbs, &stripe);
        } else {
            add_integer(limbs, &stripe);
        }
    }

    /// Adds all terms of another sum, exactly. Merging partial sums equals adding every term here.
    pub fn merge(&mut self, other: &Self) {
        add_integer(&mut self.limbs, &other.limbs);
        self.non_finite += other.non_finite;
    }

    /// The sum as the nearest `f64`, ties to even; infinite if it is beyond the largest one.
    pub fn value(&self) -> f64 {
        if self.non_finite.is_nan() {
            return f64::NAN; // one NaN, whichever bits the processor chose for inf - inf
        }
        if self.non_finite.is_infinite() {
            return self.non_finite;
        }
        if self.limbs[LIMBS - 1] >> 63 == 0 {
            nearest_f64(&self.limbs)
        } else {
            let mut magnitude = [0; LIMBS];
            subtract_integer(&mut magnitude, &self.limbs);
            -nearest_f64(&magnitude)
        }
    }
}

impl Default for ExactSum {
    fn default() -> Self {
        Self::new()
    }
}

impl PartialEq for ExactSum {
    fn eq(&self, other: &Self) -> bool {
        // Beside an infinity the finite terms count for nothing.
        let finite_terms_matter = self.non_finite == 0.0;
        self.non_finite == other.non_finite && (!finite_terms_matter || self.limbs == other.limbs)
    }
}

/// Shows the rounded value and, as a second float, what rounding it left behind.
impl fmt::Debug for ExactSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.value();
        let mut rest = self.clone();
        rest.add(-value);
        f.debug_struct("ExactSum").field("value", &value).field("rest", &rest.value()).finish()
    }
}

impl Extend<f64> for ExactSum {
    fn extend<I: IntoIterator<Item = f64>>(&mut self, terms: I) {
        terms.into_iter().for_each(|term| self.add(term));
    }
}

impl FromIterator<f64> for ExactSum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::new();
        sum.extend(terms);
        sum
    }
}

/// Splits a finite float so that `|x| = significand * 2^column` in units of `2^-1074`.
///
/// An `f64` stores sign (1 bit), exponent field (11) and fraction (52). Field 0 marks the subnormal
/// numbers, which have no leading 1 and share the columns of field 1.
fn significand_and_column(x: f64) -> (u64, usize) {
    let fraction = x.to_bits() & (LEADING_ONE - 1);
    let field = (x.to_bits() >> FRACTION_BITS) as usize & 0x7ff;
    if field == 0 { (fraction, 0) } else { (fraction | LEADING_ONE, field - 1) }
}

/// Rounds a non-negative integer, in units of `2^-1074`, to the nearest `f64`, ties to even.
fn nearest_f64(integer: &[u64; LIMBS]) -> f64 {
    let Some(top) = integer.iter().rposition(|&limb| limb != 0) else {
        return 0.0;
    };
    let bit_length = 64 * (top + 1) - integer[top].leading_zeros() as usize;
    if bit_length <= SIGNIFICAND_BITS {
        // Fits as it is. The bits of such an f64, subnormal or not, *are* this integer.
        return f64::from_bits(integer[0]);
    }
    let column = bit_length - SIGNIFICAND_BITS;
    let significand = digits_from(integer, column) & (2 * LEADING_ONE - 1);
    let half = digits_from(integer, column - 1) & 1 == 1;
    let more_than_half = half && any_digit_below(integer, column - 1);
    let round_up = more_than_half || (half && significand % 2 == 1);

    // The exponent field is column + 1. Adding the significand with its leading 1 to `column` in
    // the field's place makes it so, and a round-up that overflows the significand carries into the
    // field, as it must. Past the largest finite number the bits reach those of infinity.
    let bits = ((column as u64) << FRACTION_BITS) + significand + u64::from(round_up);
    f64::from_bits(bits.min(f64::INFINITY.to_bits()))
}

/// The 64 digits that start at `column`, counted from the right end.
fn digits_from(integer: &[u64; LIMBS], column: usize) -> u64 {
    let limb = |index: usize| u128::from(integer.get(index).copied().unwrap_or(0));
    let window = limb(column / 64) | limb(column / 64 + 1) << 64;
    (window >> (column % 64)) as u64
}

/// Whether any digit to the right of `column` is 1.
fn any_digit_below(integer: &[u64; LIMBS], column: usize) -> bool {
    let partial = integer[column / 64] & ((1 << (column % 64)) - 1);
    partial != 0 || integer[..column / 64].iter().any(|&limb| limb != 0)
}

/// `limbs += addend`, lowest limb first; a carry out of the top is dropped (two's complement).
fn add_integer(limbs: &mut [u64], addend: &[u64]) {
    let mut carry = false;
    for (i, limb) in limbs.iter_mut().enumerate() {
        if i >= addend.len() && !carry {
            return;
        }
        (*limb, carry) = limb.carrying_add(addend.get(i).copied().unwrap_or(0), carry);
    }
}

/// `limbs -= subtrahend`, the mirror image of [`add_integer`].
fn subtract_integer(limbs: &mut [u64], subtrahend: &[u64]) {
    let mut borrow = false;
    for (i, limb) in limbs.iter_mut().enumerate() {
        if i >= subtrahend.len() && !borrow {
            return;
        }
        (*limb, borrow) = limb.borrowing_sub(subtrahend.get(i).copied().unwrap_or(0), borrow);
    }
}

#[cfg(test)]
mod tests;
