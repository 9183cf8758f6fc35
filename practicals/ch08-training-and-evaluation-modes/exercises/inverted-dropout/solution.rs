//! Make dropout keep the mean: a solution.

/// Features as the next layer sees them in training: feature i is dropped where `kept[i]` is false.
/// `probability` is the probability with which each was dropped, at least 0 and below 1.
pub fn drop_features(features: &[f64], kept: &[bool], probability: f64) -> Vec<f64> {
    let kept_share = 1.0 - probability;
    features.iter().zip(kept).map(|(x, &kept)| if kept { x / kept_share } else { 0.0 }).collect()
}

#[cfg(test)]
mod tests;
