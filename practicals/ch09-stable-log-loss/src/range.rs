//! Where exponentials end.

use serde::Serialize;

/// The exponential of one number in both precisions: "0", "infinite", or "a number".
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RangeRow {
    /// x.
    pub x: f64,
    /// exp(x) in f32.
    pub exp_f32: &'static str,
    /// exp(x) in f64.
    pub exp_f64: &'static str,
}

/// Numbers on both sides of each end of each range.
pub fn range_rows() -> Vec<RangeRow> {
    let numbers = [-746.0, -745.0, -104.0, -103.0, 0.0, 88.0, 89.0, 709.0, 710.0];
    let row = |x: f64| RangeRow {
        x,
        exp_f32: size(libm::expf(x as f32).into()),
        exp_f64: size(libm::exp(x)),
    };
    numbers.map(row).to_vec()
}

fn size(exponential: f64) -> &'static str {
    match exponential {
        0.0 => "0",
        f64::INFINITY => "infinite",
        _ => "a number",
    }
}
