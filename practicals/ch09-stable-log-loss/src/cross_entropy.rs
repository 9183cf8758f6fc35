//! Several models of one text: the text's own distribution is the best of them.

use llm_chapter_kit::six_decimals;
use llm_from_scratch_practical::metrics::{cross_entropy_bits, entropy_bits, kl_divergence_bits};
use serde::Serialize;

use crate::finite;

/// How often the four tokens occur in the text.
const TEXT: [f64; 4] = [0.5, 0.25, 0.125, 0.125];

/// A text and its models, in bits per token.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossEntropyReport {
    /// q, how often each token occurs.
    pub text: [f64; 4],
    /// H(q), the least that any model can need.
    #[serde(serialize_with = "six_decimals")]
    pub entropy: f64,
    /// One row for each model.
    pub models: Vec<ModelRow>,
    /// Whether every model needs at least the entropy.
    pub never_below_the_entropy: bool,
}

/// One model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelRow {
    /// What it is.
    pub name: &'static str,
    /// p, the probability that it gives to each token.
    pub model: [f64; 4],
    /// H(q, p), what it needs; null if infinite.
    #[serde(serialize_with = "six_decimals")]
    pub cross_entropy: Option<f64>,
    /// H(q, p) - H(q), what it needs too much; null if infinite.
    #[serde(serialize_with = "six_decimals")]
    pub divergence: Option<f64>,
    /// Whether it gives probability 0 to a token that occurs.
    pub infinite: bool,
}

/// Scores four models.
///
/// # Errors
/// None: all rows are distributions.
pub fn cross_entropy() -> anyhow::Result<CrossEntropyReport> {
    let models = [
        ("the text itself", TEXT),
        ("uniform", [0.25; 4]),
        ("too sure", [0.7, 0.1, 0.1, 0.1]),
        ("rules out the last token", [0.5, 0.25, 0.25, 0.0]),
    ];
    let entropy = entropy_bits(&TEXT)?;
    let row = |(name, model): (&'static str, [f64; 4])| -> anyhow::Result<(ModelRow, bool)> {
        let bits = cross_entropy_bits(&TEXT, &model)?;
        let divergence = finite(kl_divergence_bits(&TEXT, &model)?);
        let infinite = bits == f64::INFINITY;
        let row = ModelRow { name, model, cross_entropy: finite(bits), divergence, infinite };
        Ok((row, bits >= entropy))
    };
    let rows = models.into_iter().map(row).collect::<anyhow::Result<Vec<_>>>()?;
    let (models, above): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
    let never_below_the_entropy = above.into_iter().all(|above| above);
    Ok(CrossEntropyReport { text: TEXT, entropy, models, never_below_the_entropy })
}
