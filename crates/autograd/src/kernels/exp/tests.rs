//! The exponential against correctly rounded values, on every implementation.
//!
//! The operations that use it round again, so its own error shows only here. The tables in
//! `testdata/` were computed in high precision by `tools/reference/exp_reference.py`: thresholds of
//! overflow and of subnormal results, the neighbourhood of zero, the edges of the reduction by
//! ln 2, and random numbers over the whole range.

use super::*;
use crate::Kernels;
use crate::kernels::ElementKernels;

/// One line of a table: `y` is exp(x) rounded to nearest, `rest` what rounding took away in units
/// in the last place of `y`, and `unit` that last place (of subnormal size if `y` is zero).
struct Line<E> {
    x: E,
    y: E,
    unit: f64,
    rest: f64,
}

macro_rules! parse {
    ($text:expr, $float:ty, $bits:ty) => {{
        let lines = $text.lines().filter(|line| !line.starts_with('#'));
        let lines = lines.map(|line| {
            let columns: Vec<&str> = line.split(' ').collect();
            let [x, y, rest] = columns[..] else { panic!("three columns: {line}") };
            let float = |hex| <$float>::from_bits(<$bits>::from_str_radix(hex, 16).unwrap());
            let (x, y) = (float(x), float(y));
            let unit = f64::from(y.next_up()) - f64::from(y); // exact
            Line { x, y, unit, rest: rest.parse().unwrap() }
        });
        lines.collect::<Vec<_>>()
    }};
}

/// The error of `z` in units in the last place. Nothing can be measured in such units next to an
/// infinity; there, anything but equality counts as infinitely wrong.
fn error_in_ulp<E: Element>(line: &Line<E>, z: E) -> f64 {
    if !line.x.is_finite() || !line.y.is_finite() {
        return if z == line.y { 0.0 } else { f64::INFINITY };
    }
    // The difference is exact for z near y, and any other z is far outside every bound.
    let error = ((z.to_f64() - line.y.to_f64()) / line.unit - line.rest).abs();
    if error.is_nan() { f64::INFINITY } else { error }
}

/// The largest error over a table and where it is; whole vectors and single elements agree.
fn largest_error<E: Element>(kernels: Kernels, table: &[Line<E>]) -> (f64, E) {
    let mut all: Vec<E> = table.iter().map(|line| line.x).collect();
    E::run_exp(kernels, ExpSlice(&mut all));
    let mut worst = (0.0, E::ZERO);
    for (line, z) in table.iter().zip(all) {
        let mut alone = [line.x];
        E::run_exp(kernels, ExpSlice(&mut alone));
        assert_eq!(
            alone[0].bits(),
            z.bits(),
            "exp({:e}) alone, {}",
            line.x.to_f64(),
            kernels.name()
        );
        let error = error_in_ulp(line, z);
        if error > worst.0 {
            worst = (error, line.x);
        }
    }
    worst
}

/// Bounds are what the documentation of `exp` states, below what it promises, so that a loss of
/// accuracy is noticed.
fn stays_below<E: Element>(bound: f64, table: &[Line<E>]) {
    assert!(table.len() > 4000, "only {} lines", table.len());
    for kernels in Kernels::available() {
        let (error, x) = largest_error(kernels, table);
        assert!(
            error < bound,
            "{} {}: the largest error is {error:.4} ulp, at exp({:e}); the bound is {bound}",
            E::NAME,
            kernels.name(),
            x.to_f64(),
        );
    }
}

#[test]
fn the_f64_exponential_is_as_accurate_as_documented() {
    stays_below(0.812, &parse!(include_str!("../../../testdata/exp_f64.txt"), f64, u64));
}

#[test]
fn the_f32_exponential_is_as_accurate_as_documented() {
    stays_below(0.847, &parse!(include_str!("../../../testdata/exp_f32.txt"), f32, u32));
}

/// Every f32 whose exponential is neither zero nor infinite. The reference is an f64 exponential,
/// whose own error is less than a millionth of the unit that is measured.
#[test]
#[ignore = "campaign: two thousand million exponentials, some minutes"]
fn no_f32_at_all_has_a_less_accurate_exponential_than_documented() {
    let (lowest, highest) = ((-104.0_f32).to_bits(), 89.0_f32.to_bits());
    let mut inputs = (0..=highest).chain((-0.0_f32).to_bits()..=lowest).map(f32::from_bits);
    let mut worst = (0.0, 0.0);
    loop {
        let x: Vec<f32> = inputs.by_ref().take(1 << 16).collect();
        if x.is_empty() {
            break;
        }
        let mut z = x.clone();
        f32::run_exp(Kernels::fastest(), ExpSlice(&mut z));
        for (x, z) in x.into_iter().zip(z) {
            let exact = libm::exp(x.into());
            let y = exact as f32;
            let unit = f64::from(y.next_up()) - f64::from(y);
            let error = error_in_ulp(&Line { x, y, unit, rest: (exact - f64::from(y)) / unit }, z);
            if error > worst.0 {
                worst = (error, x);
            }
        }
    }
    assert!(worst.0 < 0.925, "the largest error is {:.4} ulp, at exp({:e})", worst.0, worst.1);
}

/// The measure itself: y one step too large or too small is one unit off, give or take the rest.
#[test]
fn one_step_beside_the_rounded_value_counts_as_one_unit() {
    let line = Line { x: 1.0_f64, y: 2.5, unit: 2.5_f64.next_up() - 2.5, rest: 0.25 };
    assert_eq!(error_in_ulp(&line, 2.5), 0.25);
    assert_eq!(error_in_ulp(&line, 2.5_f64.next_up()), 0.75);
    assert_eq!(error_in_ulp(&line, 2.5_f64.next_down()), 1.25);
    assert_eq!(error_in_ulp(&line, f64::NAN), f64::INFINITY);
    let overflow = Line { x: 1e3_f64, y: f64::INFINITY, unit: f64::NAN, rest: 0.0 };
    assert_eq!(error_in_ulp(&overflow, f64::MAX), f64::INFINITY);
    assert_eq!(error_in_ulp(&overflow, f64::INFINITY), 0.0);
}
