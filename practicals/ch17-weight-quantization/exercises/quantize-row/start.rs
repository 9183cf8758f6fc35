//! Round a row of weights to codes of one byte, with an error of at most half a scale.

/// The scale of a row, and a code from -127 to 127 for each weight, so that code × scale is as near to
/// the weight as any code can bring it; of two codes that are equally near, the even one. The weights are
/// finite. A row of zeros has codes of 0 and any scale above 0.
pub fn quantize_row(weights: &[f64]) -> (f64, Vec<i8>) {
    let largest = weights.iter().fold(0.0, |most: f64, weight| most.max(weight.abs()));
    let scale = largest / 127.0;
    // A cast drops the fraction: 0.99 becomes 0.
    (scale, weights.iter().map(|weight| (weight / scale) as i8).collect())
}

#[cfg(test)]
mod tests;
